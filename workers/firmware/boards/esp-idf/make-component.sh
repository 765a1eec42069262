#!/bin/sh
# Makes the ESP-IDF project: `sh make-component.sh FOLDER`. Then: cd FOLDER; idf.py set-target esp32; idf.py flash
set -e
folder=${1:?usage: make-component.sh FOLDER}
here=$(dirname "$0")
mkdir -p "$folder"
cp -R "$here"/example/. "$folder"
python3 "$here/../assemble.py" esp-idf "$folder/components/ciphermeter"
echo "$folder"
