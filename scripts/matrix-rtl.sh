#!/usr/bin/env bash
# Every ISA test and every kernel (small sizes) on hardware, in lockstep, on the
# whole matrix of shapes and memories: T of 1 to 64 with eight warps, 1 to 32
# warps with four lanes, latency 1, 20 and 1 to 50. About an hour on two cores.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ $# -eq 0 ] || { echo "matrix-rtl: takes no arguments" >&2; exit 2; }

scripts/kernels.sh --size 8 --out target/kernels-small # sets up .venv first
scripts/isa.sh
exec cargo test --release --locked -p sim --test rtl_programs -- --include-ignored
