#!/bin/sh
# Guards a change in any CI and on your own machine; in `git bisect run`, turn 2 to 5 into 125:
#
#     guard.sh OLD NEW [OPTION...]        as `ciphermeter guard` takes them; docs/regression-guard.md explains it
#
# Leaves guard.md, a comment for the pull request, and guard.json, and ends with ciphermeter's exit code. From the environment:
# CIPHERMETER, the binary. On GitHub the comment also becomes the job's summary.
set -u
rm -f guard.md guard.json
"${CIPHERMETER:-ciphermeter}" guard "$@" --quiet --markdown guard.md --json guard.json
code=$?
if [ -s guard.md ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    cat guard.md >>"$GITHUB_STEP_SUMMARY"
fi
if [ "$code" -eq 0 ] && ! [ -s guard.json ]; then
    echo "guard.sh: ${CIPHERMETER:-ciphermeter} measured nothing: it left no guard.json" >&2
    exit 4
fi
exit "$code"
