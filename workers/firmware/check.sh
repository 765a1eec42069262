#!/bin/sh
# Says for which targets the compilers and emulators are installed, or what is missing; fails if nothing can be built.
if ! command -v python3 >/dev/null || ! python3 -c 'import tomllib' 2>/dev/null; then
    echo "no python3 of 3.11 or later" >&2
    exit 1
fi
if ! command -v cargo >/dev/null; then
    echo "no cargo, which fetches the libraries' sources; install Rust" >&2
    exit 1
fi
exec python3 check.py
