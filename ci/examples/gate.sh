#!/usr/bin/env bash
# The gate with plain git and nothing else: may REVISION land on BASE?
#     ci/examples/gate.sh origin/main some-branch
# It builds and runs what the revision brings: use it where untrusted code may run.
set -euo pipefail

base=$(git rev-parse --verify "$1^{commit}")
revision=$(git rev-parse --verify "$2^{commit}")
report=$(git rev-parse --show-toplevel)/target/audit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A clean checkout: what lies about in this one, committed or not, is no part of the change.
git clone --quiet --no-checkout "$(git rev-parse --show-toplevel)" "$work/tree"
cd "$work/tree"
git fetch --quiet origin "$base" "$revision"
git checkout --quiet --detach "$revision"

# The checkers are built in the clone. The exit code is the answer: 0 it may land, 1 it is refused.
cargo run --quiet --package audit -- gate --base "$base" --tier gate --out "$report"
