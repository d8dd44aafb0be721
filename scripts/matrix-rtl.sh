#!/usr/bin/env bash
# Every ISA test and every kernel (small sizes) on hardware, in lockstep, on the
# whole matrix of shapes and memories: T of 1 to 64 with eight warps, 1 to 32
# warps with four lanes, each with latency 1, 20 and 1 to 50. Resumable: runs that
# have a row of this hardware in target/matrix-rtl.jsonl are not repeated. Hours on two cores.
#
#   scripts/matrix-rtl.sh [option of `lab matrix` ...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/kernels-small.sh # sets up .venv first
scripts/isa.sh
exec cargo run --quiet --release --locked --bin lab -- matrix "$@"
