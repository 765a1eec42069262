#!/bin/sh
# Says that what builds BoringSSL is here, or what is missing: Rust, CMake, a C++ compiler, git, with which its crate
# patches it, and libclang, which reads its headers.
missing() { # WHAT
    echo "no $1 here" >&2
    exit 1
}
for program in cargo cmake git "${CXX:-c++}"; do
    command -v "$program" >/dev/null || missing "$program"
done
has_file() { # FILE...
    for file; do
        test ! -e "$file" || return 0
    done
    return 1
}
has_file "${LIBCLANG_PATH:-/nowhere}"/libclang* /usr/lib/llvm*/lib/libclang.so* /usr/lib/*-linux-*/libclang-[0-9]* \
    /usr/lib*/libclang.so* /usr/local/lib/libclang.so* /Library/Developer/CommandLineTools/usr/lib/libclang.dylib \
    /Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/lib/libclang.dylib ||
    missing libclang
cmake --version | sed q
