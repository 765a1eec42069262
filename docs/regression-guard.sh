#!/bin/sh
# Compares what is new with what is old, measured in the same rounds, and ends with ciphermeter's exit code:
# 0 nothing is surely slower by more than the threshold, 1 something is, 2 usage, 3 wrong output, 4 nothing was compared,
# 5 cells dropped out. docs/regression-guard.md explains it.
#
#     regression-guard.sh OLD NEW [OPTION...]
#
# OLD  a libcrypto, a worker's command, or a ciphermeter binary
# NEW  a libcrypto, a worker's command, a folder of workers, or a ciphermeter binary, which then measures
# OPTION goes to `ciphermeter run`: `--provider`, `--algorithm` and so on
#
# From the environment: CIPHERMETER (the binary), GUARD_BUDGET, GUARD_THRESHOLD, GUARD_RESULT (a name for the .txt and
# the .json). On GitHub the text also becomes the job's summary.
set -eu

if [ "$#" -lt 2 ]; then
    echo "usage: $0 OLD NEW [OPTION...]; its first lines say what these are" >&2
    exit 2
fi
old=$1 new=$2
shift 2
ciphermeter=${CIPHERMETER:-ciphermeter}
result=${GUARD_RESULT:-guard}

# A worker is started without input, so it ends at once.
is_ciphermeter() {
    case $("$1" --version </dev/null 2>/dev/null) in
    "ciphermeter "*) true ;;
    *) false ;;
    esac
}

if [ -d "$new" ]; then
    set -- --workers "$new" "$@"
else
    case $new in
    *.so | *.so.* | *.dylib) set -- --openssl "$new" "$@" ;;
    *) if is_ciphermeter "$new"; then ciphermeter=$new; else set -- --worker "$new" "$@"; fi ;;
    esac
fi
if ! is_ciphermeter "$ciphermeter"; then
    echo "$0: $ciphermeter is no ciphermeter binary; name one with CIPHERMETER" >&2
    exit 2
fi

# What an older run left would pass for this one's.
rm -f "$result.json"
code=0
"$ciphermeter" run "$@" --against "$old" --threshold "${GUARD_THRESHOLD:-5%}" --budget "${GUARD_BUDGET:-60s}" \
    --quiet --json "$result.json" </dev/null >"$result.txt" || code=$?
cat "$result.txt"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    { echo '```'; cat "$result.txt"; echo '```'; } >>"$GITHUB_STEP_SUMMARY"
fi
if [ "$code" -eq 0 ] && ! { [ -s "$result.txt" ] && [ -s "$result.json" ]; }; then
    echo "$0: $ciphermeter measured nothing: it left no $result.txt or no $result.json" >&2
    exit 4
fi
exit "$code"
