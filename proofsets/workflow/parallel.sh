#!/bin/sh
# The workflow with GNU parallel: parallel.sh FOLDER [ARGUMENTS OF PARALLEL]. See README.md.
# CHECKER, CLAIM, WEIGHTS, TABLE_MB and UNITS (a file of names) may be set in the environment.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
folder=${1:?usage: parallel.sh FOLDER [ARGUMENTS OF PARALLEL]}
shift
checker=${CHECKER:-$root/target/release/verify-dosello}
claim=${CLAIM:-$root/certificates/dosello}
weights=${WEIGHTS:-$root/proofsets/dosello-weights.lzma}
table=${TABLE_MB:-1024}

mkdir -p "$folder/lines"
folder=$(CDPATH='' cd -- "$folder" && pwd)
if [ -n "${UNITS:-}" ]; then cat -- "$UNITS"; else "$checker" "$claim" --list-units; fi > "$folder/units.txt"

# A unit is done when its line is there under its final name.
while IFS= read -r unit; do
    [ -e "$folder/lines/$unit.line" ] || printf '%s\n' "$unit"
done < "$folder/units.txt" > "$folder/open.txt"

run='rm -f {2}/lines/{1}.part && {3} --unit {1} --weights {4} --table-mb {5} --log {2}/lines/{1}.part >/dev/null'
# With nothing left to do GNU parallel would start one job without a name, which fails.
if [ -s "$folder/open.txt" ]; then
    parallel "$@" "$run && mv {2}/lines/{1}.part {2}/lines/{1}.line" \
        :::: "$folder/open.txt" ::: "$folder" ::: "$checker" ::: "$weights" ::: "$table"
fi

while IFS= read -r unit; do
    cat -- "$folder/lines/$unit.line"
done < "$folder/units.txt" > "$folder/log.txt"
code=0
"$checker" "$claim" --accept-log "$folder/log.txt" > "$folder/verdict.txt" || code=$?
tail -n 1 "$folder/verdict.txt"
# Results of other machines are an assumption: 2, a conditional value, is the best that can come.
[ "$code" = 2 ]
