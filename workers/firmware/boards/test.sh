#!/bin/sh
# All checks of the boards; --deep builds the images for the ESP32-C3 first. The last line adds up.
exec python3 "$(dirname "$0")/test.py" "$@"
