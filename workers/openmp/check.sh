#!/bin/sh
# Says which compiler is installed, or what is missing: Linux's CPU masks, GCC with OpenMP's omp_pause_resource (GCC 9),
# and the headers of OpenSSL 3, jansson and zlib. Each is compiled against by itself, so that the reason is the right
# one.
compiler=${CC:-gcc}
if ! version=$("$compiler" -dumpfullversion 2>/dev/null); then
    echo "no $compiler here" >&2
    exit 1
fi
has() { # CODE
    printf '%s\n' "$1" | "$compiler" -std=c11 -fopenmp -x c -fsyntax-only -Werror - 2>/dev/null
}
lacks() { # WHAT
    echo "$compiler $version is here, but $1" >&2
    exit 1
}
test "$(uname)" = Linux || lacks "this is $(uname); the worker needs Linux's CPU masks"
has '#include <stdio.h>' || lacks "no headers of the C library"
has '#include <omp.h>
int f(void) { return omp_pause_resource(omp_pause_soft, omp_get_initial_device()); }' ||
    lacks "no OpenMP with omp_pause_resource; install GCC 9 or later"
has '#include <openssl/opensslv.h>
#if OPENSSL_VERSION_MAJOR < 3
#error
#endif' || lacks "no headers of OpenSSL 3"
has '#include <jansson.h>
int f(const json_t *t) { return (int)json_object_size(t); }' || lacks "no jansson"
has '#include <zlib.h>
unsigned long f(void) { return crc32_z(0, (void *)0, 0); }' ||
    lacks "no zlib 1.2.9 or later"
echo "gcc $version"
