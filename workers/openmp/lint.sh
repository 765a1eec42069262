#!/bin/sh
# Compiles with stricter warnings and GCC's analyzer, all of them errors, and keeps nothing. The modules
# form no circle.
set -e
../../tests/circles .
trap 'rm -f build/lint' EXIT
export FLAGS='-Wconversion -Wshadow -Wstrict-prototypes -Wvla -Wcast-qual -Wpedantic -fanalyzer' OUT=lint
sh build.sh
