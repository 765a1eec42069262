//! The server as its users meet it: a process, asked over HTTP.

mod common;

mod api;
mod guard;
mod movements;
mod pages;
mod push;
mod tokens;
