//! The server as its users meet it: a process, asked over HTTP.

mod common;

mod api;
mod guard;
mod join;
mod live;
mod pages;
mod push;
mod tokens;
