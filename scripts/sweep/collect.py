"""Rows of target/sweep into docs/results: a row of the sweep takes the place of an older
one of the same target, part, configuration and seed; others stay. Only jobs that ended count:
where one failed its folder may still hold rows of what was before."""

import json
import os
import pathlib
import sys

RESULTS = pathlib.Path("docs/results")


def rows(path):
    # What a run wrote last before it was killed is no row yet.
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    try:
        return [json.loads(line) for line in lines]
    except json.JSONDecodeError as error:
        print(f"collect: {path}: not a row: {error}", file=sys.stderr)
        sys.exit(2)


def identity(row):
    return tuple(str(row.get(key)) for key in ("target", "part", "core", "seed"))


for name in ("area.jsonl", "timing.jsonl"):
    found = sorted(pathlib.Path("target/sweep").glob(f"*/{name}"))
    paths = [RESULTS / name, *(path for path in found if (path.parent / "done").exists())]
    merged = {identity(row): row for path in paths for row in rows(path)}
    if merged:
        new = RESULTS / f".{name}.new"
        order = ("target", "part", "threads_per_warp", "core", "hardware", "script", "seed")
        in_order = sorted(merged.values(), key=lambda row: [row.get(key, 0) for key in order])
        text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in in_order)
        new.write_text(text)
        os.replace(new, RESULTS / name)
