#!/bin/sh
# Builds the flashable image for the ESP32-C3: `sh image.sh` (C code in flash) or `sh image.sh ram` (C code in RAM).
#   build/esp32c3-flash/app.bin     for a board that has a boot loader and a partition table already, at 0x10000
#   build/esp32c3-flash/merged.bin  boot loader, partition table and app, at 0
# Sources and tools come from the registries, pinned; exit code 3 means that a tool is missing, with the reason.
set -e
cd "$(dirname "$0")"
placement=${1:-flash}
out=$PWD/../../build/esp32c3-$placement
target=riscv32imc-unknown-none-elf
missing() {
    echo "esp32c3: left out, $1" >&2
    exit 3
}

case $placement in flash | ram) ;; *) echo "usage: image.sh [flash|ram]" >&2; exit 2 ;; esac
for program in riscv64-unknown-elf-gcc python3 cargo; do
    command -v $program >/dev/null || missing "$program is missing; install gcc-riscv64-unknown-elf, python3-venv and Rust"
done
python3 -c 'import ensurepip, venv' 2>/dev/null || missing "python3 has no venv; install python3-venv"

# The Rust target, if this Rust has it; else the core library is built from Debian's sources by Debian's compiler, which
# only does so if it is told that it is not the stable one.
fetch=cargo cargo=cargo rustc=rustc standard=
if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
    cargo=/usr/bin/cargo rustc=/usr/bin/rustc standard=-Zbuild-std=core
    { test -x $rustc && test -d "$($rustc --print sysroot)/lib/rustlib/src/rust/library/core"; } ||
        missing "Rust lacks $target: rustup target add $target, or install rustc-web, cargo-web and rust-web-src"
    export RUSTC_BOOTSTRAP=1
fi
# Rust's own linker: GNU ld 2.40 crashes on its archives.
linker=
for candidate in "$($rustc --print sysroot)" "$(rustc --print sysroot)" "$HOME"/.rustup/toolchains/*; do
    for host in x86_64 aarch64; do
        file=$candidate/lib/rustlib/$host-unknown-linux-gnu/bin/rust-lld
        if [ -z "$linker" ] && [ -x "$file" ]; then linker=$file; fi
    done
done
if [ -z "$linker" ]; then linker=$(command -v ld.lld-19 || command -v ld.lld) || missing "no lld; install lld-19"; fi

python3 objects.py "$placement"
FIRMWARE=$out
LIBGCC=$(dirname "$(riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32 -misa-spec=2.2 -print-libgcc-file-name)")
export FIRMWARE LIBGCC RUSTC=$rustc
export CARGO_TARGET_DIR=$PWD/../../build/esp32c3-rust
export CARGO_TARGET_RISCV32IMC_UNKNOWN_NONE_ELF_LINKER=$linker
if [ "$placement" = ram ]; then
    export ESP_HAL_CONFIG_USE_RWTEXT_LD_HOOK=true ESP_HAL_CONFIG_USE_RWDATA_LD_HOOK=true
    # Both placements of the Rust half would else be built in turn, in the same folder. What does not depend on the placement is the same.
    if [ -d "$CARGO_TARGET_DIR" ] && [ ! -e "$CARGO_TARGET_DIR-ram" ]; then cp -a "$CARGO_TARGET_DIR" "$CARGO_TARGET_DIR-ram"; fi
    export CARGO_TARGET_DIR=$CARGO_TARGET_DIR-ram
fi
# shellcheck disable=SC2086 # one word or none
$cargo build --release --locked $standard
cp "$CARGO_TARGET_DIR/$target/release/ciphermeter-esp32c3" "$out/app.elf"

# esptool, in a folder of its own.
tools=$PWD/../../build/esptool
if [ ! -e "$tools/done" ] || [ requirements.txt -nt "$tools/done" ]; then
    python3 -m venv --clear "$tools"
    "$tools/bin/pip" -q --disable-pip-version-check install --require-hashes -r requirements.txt
    touch "$tools/done"
fi
"$tools/bin/esptool" --chip esp32c3 elf2image --flash-mode dio --flash-freq 80m --flash-size 4MB -o "$out/app.bin" "$out/app.elf"
unset RUSTC RUSTC_BOOTSTRAP
CARGO=$fetch "$tools/bin/python" merge.py "$out"
