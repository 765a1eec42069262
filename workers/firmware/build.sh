#!/bin/sh
# Builds the images of one target, of several, or of all that can be built here: sh build.sh [--planted] [TARGET ...]
exec python3 build.py "$@"
