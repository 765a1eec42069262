#!/bin/sh
# Builds everything into build/: `worker-tink-go`, which has all providers,
# `worker-go` with Go's own alone, because Tink's packages take 2 MB and a
# millisecond when they are only linked in, and `plain`. `worker-tink-go` comes
# last and goes with a failure: where it is, all are. The Go that is here builds,
# or none; -trimpath keeps your paths out of the binaries.
set -e
trap 'test $? -eq 0 || rm -f build/worker-tink-go' EXIT
export GOTOOLCHAIN=local
go build -trimpath -o build/plain ./plain
go build -trimpath -tags without_tink -o build/worker-go .
go build -trimpath -o build/worker-tink-go .
