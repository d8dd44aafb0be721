#!/usr/bin/env bash
# Writes the presets, each with every unit in hardware, to verilog-out/, where
# they are tracked. With --check: writes them elsewhere and compares; a line per
# difference, exit 1 if there is one. Needs Rust only.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
check=
case "$#:${1:-}" in
    0:) ;;
    1:--check) check=1 ;;
    1:-h | 1:--help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    *) echo "presets: takes --check or nothing" >&2; exit 2 ;;
esac

cargo build --quiet --locked --bin gen
gen=${CARGO_TARGET_DIR:-target}/debug/gen
presets=$("$gen" --list-presets | awk '{print $1}')
units=$("$gen" --list-units | awk '!/emulator only/ {print $1}')

out=verilog-out
if [ -n "$check" ]; then
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
fi
for preset in $presets; do
    for unit in $units; do
        written=$("$gen" --preset "$preset" --divergence "$unit" --out "$out")
        [ -n "$check" ] || echo "$written"
    done
done
[ -n "$check" ] || exit 0

# Only what is tracked counts: other folders may lie there, ignored.
differences=0
differs() { echo "presets: verilog-out/$1: $2" >&2; differences=$((differences + 1)); }
while read -r file; do
    if [ ! -f "verilog-out/$file" ]; then
        differs "$file" "missing"
    elif ! cmp -s "$out/$file" "verilog-out/$file"; then
        differs "$file" "differs from what gen writes"
    fi
done < <(cd "$out" && find . -type f | sed 's|^\./||' | sort)
while read -r file; do
    [ -f "$out/$file" ] || differs "$file" "of no preset"
done < <(git ls-files verilog-out | sed -n 's|^verilog-out/\(.*/.*\)|\1|p')
[ "$differences" -eq 0 ] || { echo "presets: run scripts/presets.sh" >&2; exit 1; }
echo "presets: verilog-out is what gen writes"
