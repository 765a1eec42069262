//! The server as its users meet it: a process, asked over HTTP.

mod common;

mod api;
mod guard;
mod pages;
mod push;
mod tokens;
