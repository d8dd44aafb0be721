#!/usr/bin/env bash
# Compares against older, independent tools from Debian: installs GCC for
# RISC-V, Verilator 5.006, Icarus Verilog and Yosys 0.23 with apt-get, then
# compiles every C kernel with GCC, annotates GCC's assembly, links, verifies
# the hints, and runs each program, plain and with hints, on the emulator. Every
# preset in verilog-out must be clean to the old Verilator, Icarus and Yosys, too.
# A command of its own, not part of the tests: it needs root (or sudo) for the
# installation. Exit 1 when a kernel or preset fails, 2 when the tools cannot be had.
set -euo pipefail

die() { echo "compat: $2" >&2; exit "$1"; }

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
sources=$root/testbenches/kernels
runtime=$sources/runtime
target=${CARGO_TARGET_DIR:-$root/target}
out=$root/target/compat
packages=(gcc-riscv64-unknown-elf binutils-riscv64-unknown-elf verilator iverilog yosys)

missing=()
for package in "${packages[@]}"; do
    dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    command -v apt-get >/dev/null || die 2 "apt-get is not here; this command wants a Debian-like system"
    as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die 2 "neither root nor sudo: cannot install ${missing[*]}"
        as_root=(sudo)
    fi
    echo "compat: installing ${missing[*]}"
    log=$(mktemp)
    if ! { "${as_root[@]}" apt-get update && DEBIAN_FRONTEND=noninteractive \
        "${as_root[@]}" apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        tail -n 3 "$log" >&2
        rm -f "$log"
        die 2 "could not install ${missing[*]} (see above)"
    fi
    rm -f "$log"
fi
gcc=riscv64-unknown-elf-gcc
# The tools of .venv do not interfere: these are called by their full path.
echo "compat: $("$gcc" --version | head -n 1)"
echo "compat: $(/usr/bin/verilator --version)"
echo "compat: $(/usr/bin/iverilog -V 2>/dev/null | head -n 1)"
echo "compat: $(/usr/bin/yosys -V)"

(cd "$root" && cargo build --quiet --release --bin annotate --bin sim) || die 1 "annotate or sim does not build"
annotate=$target/release/annotate
sim=$target/release/sim
mkdir -p "$out"

flags=(-march=rv32ima_zicsr -mabi=ilp32 -mno-relax -O2 -ffreestanding -fomit-frame-pointer
    -fno-stack-protector -Wall -Wextra "-I$runtime")
link=("$gcc" "${flags[@]}" -nostdlib -nostartfiles -static -Wl,--build-id=none,--no-warn-rwx-segments,-T,"$runtime/link.ld")

# STEM.s and STEM.hints.s of one source.
assembly() { # source stem [flag ...]
    local source=$1 stem=$2
    shift 2
    case $source in
        *.c) "$gcc" "${flags[@]}" "$@" -S "$source" -o "$stem.s" ;;
        *.S) "$gcc" "${flags[@]}" "$@" -E -P "$source" -o "$stem.s" ;;
    esac
    "$annotate" "$stem.s" -o "$stem.hints.s" --report "$stem.hints.txt"
}

"$gcc" "${flags[@]}" -c "$runtime/crt0.S" -o "$out/crt0.o"
assembly "$runtime/lib.c" "$out/lib" -fno-builtin || die 1 "the run-time does not build"

# Where locks finish is a matter of the traversal order; with one lane they do.
lanes() { grep -q '^// weft:.*progress=lock' "$1" && echo 1 || echo 8; }

passed=0 failed=0
for source in "$sources"/*.c "$sources"/*.S; do
    name=$(basename "${source%.*}")
    stem=$out/$name
    why=
    assembly "$source" "$stem" >"$stem.log" 2>&1 || why="does not compile or annotate"
    for kind in "" .hints; do
        [ -z "$why" ] || break
        "${link[@]}" "$out/crt0.o" "$stem$kind.s" "$out/lib$kind.s" -o "$stem$kind.elf" >>"$stem.log" 2>&1 ||
            { why="does not link"; break; }
        for policy in depth-pc stack; do
            "$sim" --policy $policy --threads-per-warp "$(lanes "$source")" --warps 2 "$stem$kind.elf" \
                >>"$stem.log" 2>&1 || why="$(basename "$stem$kind.elf") does not pass under $policy"
        done
    done
    [ -n "$why" ] || "$annotate" --check "$stem.hints.elf" >>"$stem.log" 2>&1 || why="a hint is wrong"
    if [ -z "$why" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "compat: $name: $why" >&2
        tail -n 3 "$stem.log" | sed 's/^/  /' >&2
    fi
done
echo "compat: $passed kernels compiled by GCC pass, $failed fail"

# The Verilog of the presets, read by each tool; a line per tool that objects. Not
# asked for: what the old Verilator cannot make fast (the new one can), and that a
# process which reads a memory waits for all of its words.
presets=0 refused=0
objects() { # tool preset log
    refused=$((refused + 1))
    echo "compat: $1, $2: $(grep -m 1 -iE 'error|warning' "$3" || tail -n 1 "$3")" >&2
}
log=$out/verilog.log
for file in $(cd "$root" && git ls-files 'verilog-out/*.v'); do
    folder=$root/${file%/*} name=$(basename "$file" .v)
    presets=$((presets + 1))
    /usr/bin/verilator -Wall -Wno-UNOPTFLAT --lint-only --default-language 1364-2001 --top-module "$name" \
        "$folder/$name.vlt" "$folder/$name.v" >"$log" 2>&1 || objects Verilator "$name" "$log"
    /usr/bin/iverilog -g2001 -Wall -Wno-timescale -Wno-sensitivity-entire-array -s "$name" \
        -o "$out/$name.vvp" "$folder/$name.v" >"$log" 2>&1 && [ ! -s "$log" ] || objects Icarus "$name" "$log"
    /usr/bin/yosys -q -p "read_verilog $folder/$name.v; hierarchy -check -top $name; proc;
        select -assert-none t:\$dlatch; check -assert" >"$log" 2>&1 || objects Yosys "$name" "$log"
done
echo "compat: $presets presets read by Verilator, Icarus and Yosys, $refused objections"
[ "$failed" -eq 0 ] && [ "$refused" -eq 0 ]
