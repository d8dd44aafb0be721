#!/usr/bin/env bash
# Builds kernels: target/kernels/<name>.elf and, with join hints, <name>.hints.elf.
#
#   scripts/kernels.sh [--size N] [--out DIR] [-D NAME=VALUE] [FILE.c|FILE.S ...]
#
# Without files: all of testbenches/kernels. A file of your own is built the
# same way (it defines `int kernel(u32 id, u32 n)`, see
# testbenches/kernels/runtime/weft.h). --size sets the problem size (SIZE).
# Only what changed is built: each kernel has a stamp with the hash of its
# source, the headers beside it, the run-time, the flags and the tools.
# DIR/index.json lists what DIR holds. Exit 1 when a build fails, 2 for bad input.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
sources=$root/testbenches/kernels
runtime=$sources/runtime
target=${CARGO_TARGET_DIR:-$root/target}
out=$root/target/kernels
python=$root/.venv/bin/python
jobs=2

die() { echo "kernels: $2" >&2; exit "$1"; }

size= defines=() files=()
while [ $# -gt 0 ]; do
    case $1 in
        --size) [[ ${2:-} =~ ^[1-9][0-9]{0,8}$ ]] || die 2 "--size takes a number from 1 to 999999999"
            size=$2 defines+=("-DSIZE=$2"); shift 2 ;;
        --out) [ -n "${2:-}" ] || die 2 "--out takes a directory"; out=$2; shift 2 ;;
        -D) [ -n "${2:-}" ] || die 2 "-D takes NAME or NAME=VALUE"; defines+=("-D$2"); shift 2 ;;
        -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
        -*) die 2 "unknown option $1 (known: --size N, --out DIR, -D NAME=VALUE)" ;;
        *) files+=("$1"); shift ;;
    esac
done
whole=
if [ ${#files[@]} -eq 0 ]; then
    whole=1
    files=("$sources"/*.c "$sources"/*.S)
fi
declare -A seen=()
for file in "${files[@]}"; do
    [ -e "$file" ] || die 2 "no such file: $file"
    [ -f "$file" ] && [ -r "$file" ] || die 2 "not a readable file: $file"
    case $file in *.c | *.S) ;; *) die 2 "not a .c or .S file: $file" ;; esac
    name=$(basename "${file%.*}")
    [[ $name =~ ^[A-Za-z0-9_-]+$ ]] || die 2 "a kernel's name has letters, digits, - and _ only: $file"
    [ "$name" != runtime ] || die 2 "the name runtime is taken: $file"
    [ -z "${seen[$name]:-}" ] || die 2 "two kernels named $name: ${seen[$name]} and $file"
    seen[$name]=$file
done
mkdir -p "$out/build" 2>/dev/null || die 2 "cannot create $out"
out=$(cd "$out" && pwd -P)
if command -v flock >/dev/null; then # one build of a directory at a time
    exec 8>"$out/build/lock"
    flock 8
fi

"$root/scripts/setup.sh"
# The test command has no release build; WEFT_PROFILE=dev is for it.
profile=${WEFT_PROFILE:-release}
annotate=$target/${profile/#dev/debug}/annotate
(cd "$root" && cargo build --quiet --profile "$profile" --locked --bin annotate) || die 1 "annotate does not build"

export ZIG_GLOBAL_CACHE_DIR=$root/target/zig-cache ZIG_LOCAL_CACHE_DIR=$root/target/zig-cache
flags=(-target riscv32-freestanding-none -mcpu=generic_rv32+m+a+zicsr -mno-relax
    -O2 -g0 -fomit-frame-pointer -ffreestanding -nostdlib -fno-sanitize=all -fno-stack-protector
    -Wall -Wextra -Werror -Wno-unused-command-line-argument "-I$runtime")
zig=("$python" -m ziglang cc "${flags[@]}")

common=$(cat "$runtime"/* "$root/scripts/kernels.sh" "$root/scripts/requirements.txt" "$annotate" | sha256sum)

# STEM.s and STEM.hints.s of one source.
assembly() { # source stem [flag ...]
    local source=$1 stem=$2
    shift 2
    case $source in
        *.c) "${zig[@]}" "$@" -S "$source" -o "$stem.s" ;;
        *.S) "${zig[@]}" "$@" -E -P "$source" -o "$stem.s" ;;
    esac
    "$annotate" "$stem.s" -o "$stem.hints.s" --report "$stem.hints.txt"
}

# The run-time first. Its library gets hints too, crt0 never does.
built() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }
rt=$out/build/runtime
if ! built "$rt.stamp" "$common"; then
    rm -f "$rt.stamp"
    "${zig[@]}" -c "$runtime/crt0.S" -o "$rt.crt0.o" &&
        assembly "$runtime/lib.c" "$rt.lib" -fno-builtin &&
        "${zig[@]}" -c "$rt.lib.s" -o "$rt.lib.o" &&
        "${zig[@]}" -c "$rt.lib.hints.s" -o "$rt.lib.hints.o" || die 1 "the run-time does not build"
    echo "$common" >"$rt.stamp"
fi

# A field of the line `// weft: order=.. progress=..`, as JSON.
field() { # field source
    local value
    value=$(sed -n "1,20s|^// weft:.* $1=\\([a-z]*\\).*|\\1|p" "$2" | head -n 1)
    [ -n "$value" ] && echo "\"$value\"" || echo null
}

build() { # source name stamp
    local source=$1 name=$2 stem=$out/build/$2 kind
    rm -f "$stem.stamp" "$out/$name.elf" "$out/$name.hints.elf"
    assembly "$source" "$stem" "${defines[@]}" || return 1
    for kind in "" .hints; do
        "${zig[@]}" -Wl,-T,"$runtime/link.ld" "$rt.crt0.o" "$stem$kind.s" "$rt.lib$kind.o" \
            -o "$out/build/$name$kind.elf" || return 1
    done
    "$annotate" --check "$out/build/$name.hints.elf" || return 1
    mv "$out/build/$name.elf" "$out/build/$name.hints.elf" "$out/"
    local shown=$size default=$source
    [ -n "$shown" ] || shown=$(sed -n 's/^#define SIZE \([0-9]*\).*/\1/p' "$source" | head -n 1)
    local text # the header comment up to the first full stop
    text=$(sed -n '/^\/\/ weft:/d; /^\/\//!q; s|^// *||p' "$source" | tr '\n' ' ' |
        sed 's/\\/\\\\/g; s/"/\\"/g; s/\. [A-Z].*/./; s/ *$//')
    cat >"$stem.json" <<JSON
  {"name": "$name", "order": $(field order "$source"), "progress": $(field progress "$source"),
   "size": ${shown:-null}, "elf": "$name.elf", "hints_elf": "$name.hints.elf",
   "description": "$text"}
JSON
    echo "$3" >"$stem.stamp"
}

log=$out/build/log
: >"$log"
count=0 failed=0
for name in "${!seen[@]}"; do
    file=${seen[$name]}
    stamp=$(printf '%s\n' "$common" "${flags[*]}" "${defines[*]}" "$(cat "$file" "$(dirname "$file")"/*.h 2>/dev/null | sha256sum)" | sha256sum)
    stem=$out/build/$name
    if built "$stem.stamp" "$stamp" && [ -f "$out/$name.elf" ] && [ -f "$out/$name.hints.elf" ]; then
        continue
    fi
    count=$((count + 1))
    while [ "$(jobs -rp | wc -l)" -ge $jobs ]; do wait -n || true; done
    (build "$file" "$name" "$stamp" >"$stem.log" 2>&1 || { echo "$name" >>"$log"; }) &
done
wait
while read -r name; do
    failed=$((failed + 1))
    sed "s/^/  /" "$out/build/$name.log" >&2
    echo "kernels: $name does not build (see above)" >&2
done <"$log"

# A full build forgets kernels whose source is gone.
if [ -n "$whole" ]; then
    for json in "$out"/build/*.json; do
        name=$(basename "$json" .json)
        if [ -f "$json" ] && [ -z "${seen[$name]:-}" ]; then
            rm -f "$json" "$out/build/$name".* "$out/$name.elf" "$out/$name.hints.elf"
        fi
    done
fi
{
    echo "["
    separator=
    for json in "$out"/build/*.json; do
        [ -f "$out/$(basename "$json" .json).hints.elf" ] || continue
        printf '%s' "$separator"
        cat "$json"
        separator=,
    done
    echo "]"
} >"$out/index.json.new"
mv "$out/index.json.new" "$out/index.json"
echo "kernels: $((count - failed)) built, $((${#seen[@]} - count)) up to date, in ${out#"$root/"}"
[ "$failed" -eq 0 ] || die 1 "$failed of ${#seen[@]} failed"
