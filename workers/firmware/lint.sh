#!/bin/sh
# Compiles the worker as a Linux program with stricter warnings and GCC's analyzer, all of them errors, and keeps nothing.
# The core's modules form no circle.
set -e
../../tests/circles core
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/target.h" <<'END'
#define BOARD       "none"
#define EMULATED    0
#define MAX_LINE    1024u
#define MAX_MESSAGE 256u
#define MAX_CELLS   8
#define MAX_LATENCY 16
#define STACK_PAINT 512
END
for source in core/*.c core/bare/*.c ports/hosted/*.c; do
    gcc -std=gnu11 -O2 -Wall -Wextra -Werror -Wconversion -Wshadow -Wstrict-prototypes -Wvla -fno-builtin -fanalyzer \
        -I core -I "$folder" -c "$source" -o "$folder/none.o"
done
