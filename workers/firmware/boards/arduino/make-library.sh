#!/bin/sh
# Makes the Arduino library: `sh make-library.sh [FOLDER]`, by default ~/Arduino/libraries/Ciphermeter. Cargo fetches the
# libraries' sources. Then, in the Arduino IDE: File, Examples, Ciphermeter.
set -e
folder=${1:-$HOME/Arduino/libraries/Ciphermeter}
python3 "$(dirname "$0")/../assemble.py" arduino "$folder"
echo "$folder"
