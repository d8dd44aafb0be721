#!/usr/bin/env bash
# Emulator speed: thread instructions per second, release build, statistics on,
# T=32, W=8, one core. Prints the median of five runs per kernel.
#
#   scripts/speed.sh [KERNEL ...]     default: saxpy matmul gcd spmv
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

declare -A size=([saxpy]=4000000 [matmul]=512 [gcd]=1000000 [spmv]=50000)
out=target/speed
rows=$(mktemp -d)
trap 'rm -rf "$rows"' EXIT
cargo build --quiet --release --bin sim
[ $# -gt 0 ] || set -- saxpy matmul gcd spmv
for kernel in "$@"; do
    source=testbenches/kernels/$kernel.c
    [ -f "$source" ] || { echo "speed: no kernel $kernel" >&2; exit 2; }
    scripts/kernels.sh ${size[$kernel]:+--size ${size[$kernel]}} --out $out "$source" >/dev/null
    for run in 1 2 3 4 5; do
        "${CARGO_TARGET_DIR:-target}/release/sim" --threads-per-warp 32 --warps 8 --ram-size 64M \
            --stats "$rows/$kernel.$run" "$out/$kernel.elf" >/dev/null
    done
    python3 - "$kernel" "$rows/$kernel".* <<'PY'
import json, statistics, sys
rows = [json.load(open(name)) for name in sys.argv[2:]]
rate = lambda r: r["thread_instructions"] / r["run"]["host_seconds"] / 1e6
rates = sorted(map(rate, rows))
row = rows[0]
print(f"{sys.argv[1]:8} {statistics.median(rates):6.0f} million thread instructions/s "
      f"(runs {rates[0]:.0f}..{rates[-1]:.0f}); {row['thread_instructions']} thread, "
      f"{row['warp_instructions']} warp instructions, activity {row['activity_factor']:.3f}")
PY
done
