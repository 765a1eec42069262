#!/bin/sh
# Says which Rust is installed, or what is missing: Linux on x86-64, and the library's header.
test "$(uname -sm)" = "Linux x86_64" || {
    echo "this is $(uname -sm); the library is for Linux on x86-64" >&2
    exit 1
}
echo '#include <intel-ipsec-mb.h>' | ${CC:-cc} -fsyntax-only -x c - 2>/dev/null || {
    echo "there is no intel-ipsec-mb.h, or no C compiler" >&2
    exit 1
}
cargo --version
