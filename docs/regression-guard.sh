#!/bin/sh
# Holds what is new against what is old, measured in the same rounds, and ends with ciphermeter's exit code:
# 0 nothing is surely slower by more than the threshold, 1 something is, 2 usage, 3 wrong output, 4 nothing to compare,
# 5 cells fell out. docs/regression-guard.md explains it.
#
#     regression-guard.sh OLD NEW [OPTION...]
#
# OLD  a libcrypto, a worker's command, or a ciphermeter binary
# NEW  a libcrypto, a folder of workers, or a ciphermeter binary, which then measures
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

if [ -d "$new" ]; then
    set -- --workers "$new" "$@"
else
    case $new in
    *.so | *.so.* | *.dylib) set -- --openssl "$new" "$@" ;;
    *) ciphermeter=$new ;;
    esac
fi

code=0
"$ciphermeter" run "$@" --against "$old" --threshold "${GUARD_THRESHOLD:-5%}" --budget "${GUARD_BUDGET:-60s}" \
    --quiet --json "$result.json" >"$result.txt" || code=$?
cat "$result.txt"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    { echo '```'; cat "$result.txt"; echo '```'; } >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
