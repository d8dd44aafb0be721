#!/usr/bin/env bash
# 20,000 random programs on hardware of random shape, ISA, unit, options and memory
# latency, in lockstep with the golden model. Resumable: finished rows are kept in
# docs/results/torture-rtl.jsonl. Program n has seed FIRST + n.
#
#   scripts/torture-rtl.sh [FIRST [COUNT]]      default: 1 20000
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ $# -le 2 ] || { echo "usage: $0 [FIRST [COUNT]]" >&2; exit 2; }

cargo build --quiet --release --locked --bin sim
exec "${CARGO_TARGET_DIR:-target}/release/sim" torture --engine rtl --seed "${1:-1}" \
    --count "${2:-20000}" --rows docs/results/torture-rtl.jsonl
