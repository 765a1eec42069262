#!/bin/sh
# Puts the flash page together in build/flash: the page, esp-web-tools from the npm registry, and the images that image.sh
# has made, each with its manifest. Any web server can serve the folder: python3 -m http.server -b 127.0.0.1 -d build/flash
set -e
cd "$(dirname "$0")"
build=$PWD/../../build
site=$build/flash
rm -rf "$site"
mkdir -p "$site" "$build/flash-npm"
cp package.json package-lock.json .npmrc "$build/flash-npm"
(cd "$build/flash-npm" && npm ci --silent --ignore-scripts --no-audit --no-fund)
cp -R "$build/flash-npm/node_modules/esp-web-tools/dist/web" "$site/esp-web-tools"
cp "$build/flash-npm/node_modules/esp-web-tools/LICENSE" "$site/esp-web-tools"
cp ../flash.html "$site/index.html"
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' ../../../../Cargo.toml)
found=
for placement in flash ram; do
    if [ ! -e "$build/esp32c3-$placement/merged.bin" ]; then continue; fi
    found="$found $placement"
    cp "$build/esp32c3-$placement/merged.bin" "$site/esp32c3-$placement.bin"
    # The board does not speak Improv, so the page need not wait for that.
    cat >"$site/esp32c3-$placement.json" <<MANIFEST
{
  "name": "Ciphermeter, code in $placement",
  "version": "$version",
  "new_install_prompt_erase": false,
  "new_install_improv_wait_time": 0,
  "builds": [{ "chipFamily": "ESP32-C3", "parts": [{ "path": "esp32c3-$placement.bin", "offset": 0 }] }]
}
MANIFEST
done
if [ -z "$found" ]; then
    echo "site.sh: no image; build one first: sh boards/esp32c3/image.sh" >&2
    exit 1
fi
echo "$site: page and image(s):$found"
