#!/bin/sh
# Says which Go is installed, or that it is too old. The Go that is here is asked,
# never one that it would download; and asked by its version, because Go before
# 1.21 can't even read our go.mod.
export GOTOOLCHAIN=local
wanted=$(sed -n 's/^go 1\.\([0-9]*\).*/\1/p' go.mod)
if ! version=$(go version 2>/dev/null); then
    echo "no Go here; Go 1.$wanted or later is wanted" >&2
    exit 1
fi
minor=$(printf '%s\n' "$version" | sed -n 's/.*go1\.\([0-9]*\).*/\1/p')
if [ "${minor:-0}" -lt "$wanted" ]; then
    echo "$version is here; Go 1.$wanted or later is wanted" >&2
    exit 1
fi
echo "$version"
