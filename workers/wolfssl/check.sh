#!/bin/sh
# Says which Rust builds this here, or what is missing.
if ! command -v "${CC:-cc}" >/dev/null; then
    echo "no C compiler here" >&2
    exit 1
fi
cargo --version
