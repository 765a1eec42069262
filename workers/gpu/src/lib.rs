//! A worker for graphics cards. `worker` answers requests, `cell` numbers iterations and keeps the rules of PROTOCOL.md;
//! both know a card only through the traits of `card`. `cuda` and `wgpu_card` implement them.

mod card;
mod cell;
mod clock;
pub mod cuda;
mod host_memory;
mod self_test;
mod text;
mod wgpu_card;
mod worker;

pub use card::{Provider, Refused};
pub use wgpu_card::SHADER;
pub use worker::Worker;

/// The providers, each of which a process of its own serves.
pub const PROVIDERS: &[Provider] =
    &[Provider { name: "cuda", open: cuda::open }, Provider { name: "wgpu", open: wgpu_card::open }];
