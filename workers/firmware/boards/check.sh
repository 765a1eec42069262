#!/bin/sh
# Assembles the Arduino library and the ESP-IDF component and checks the syntax of all their sources against stub headers,
# for ESP32 and ESP32-C3. That is all: they are syntax-checked against stubs, never compiled for or run on an ESP32.
#   sh check.sh [FOLDER]    what is assembled stays in FOLDER
set -e
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../build/boards}
mkdir -p "$out"
sh "$here/arduino/make-library.sh" "$out/arduino" >/dev/null
sh "$here/esp-idf/make-component.sh" "$out/esp-idf" >/dev/null
count=0

# Ours have to be without warnings; the libraries' are theirs. Arduino makes C++ of a sketch by one line at its top.
for chip in ESP32 ESP32C3; do
    common="-fsyntax-only -DESP_PLATFORM -DSTUB_$chip -I $here/stubs/common"
    arduino="$common -DARDUINO=10819 -DESP32 -DARDUINO_ARCH_ESP32 -I $here/stubs/arduino -I $out/arduino/src"
    idf="$common -I $here/stubs/esp-idf -I $out/esp-idf/components/ciphermeter/src"
    check() { # COMPILER FLAGS FILE
        warnings=-w
        case $3 in */cm_worker/* | */main.c | */component_*) warnings="-Wall -Wextra -Werror" ;; esac
        # shellcheck disable=SC2086 # they are several words
        $1 $2 $warnings "$3"
        count=$((count + 1))
    }
    for file in "$out"/arduino/src/*/*.c; do check "gcc -std=gnu17" "$arduino" "$file"; done
    for file in "$out"/arduino/src/*/*.cpp; do check "g++ -std=gnu++2a" "$arduino" "$file"; done
    echo '#include <Arduino.h>' | cat - "$out/arduino/examples/Ciphermeter/Ciphermeter.ino" >"$out/sketch.cpp"
    # shellcheck disable=SC2086
    g++ -std=gnu++2a $arduino -Wall -Wextra -Werror "$out/sketch.cpp"
    for file in "$out"/esp-idf/components/ciphermeter/src/*/*.c "$out"/esp-idf/main/main.c; do
        check "gcc -std=gnu17" "$idf" "$file"
    done
done
echo "$((count + 2)) sources syntax-checked against stubs, never compiled for or run on an ESP32"
