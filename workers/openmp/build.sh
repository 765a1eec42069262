#!/bin/sh
# Builds build/openmp. FLAGS adds to the compiler's, for sanitizers; OUT is another name for the program.
set -e
mkdir -p build
# shellcheck disable=SC2086 # they are several words
${CC:-gcc} -std=c11 -O2 -fopenmp -Wall -Wextra -Werror $FLAGS -o "build/${OUT:-openmp}" ./*.c -lcrypto -ljansson -lz
