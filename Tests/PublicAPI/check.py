#!/usr/bin/env python3
"""Compares the public API with the files in this folder: check.py GRAPHS [--update]

GRAPHS contains a folder of symbol graphs for each module (`swift symbolgraph-extract`), as created by
`Tests/run.sh docs` in .build/docs/graphs. Prints the number of symbols of each module, the names to which
`config.` completes, and the added and removed symbols. With --update it rewrites the files, so that API
changes are visible in review.

Exit codes: 0 the files match the API, 1 they do not, 64 wrong arguments.
"""
import difflib
import json
import sys
from pathlib import Path

# Limit on the names to which `config.` completes.
MAXIMUM_NAMES = 34


def symbols(folder):
    """The symbols of a module, one line each: its parent and its declaration."""
    found = {}
    for graph in sorted(folder.glob("*.symbols.json")):
        for symbol in json.loads(graph.read_text())["symbols"]:
            path = symbol["pathComponents"]
            fragments = symbol.get("declarationFragments") or [{"spelling": path[-1]}]
            declaration = " ".join("".join(f["spelling"] for f in fragments).split())
            found[symbol["identifier"]["precise"]] = (symbol["kind"]["identifier"], path, declaration)
    return found


def completions(found):
    """The names after `config.`, without members of nested types and static members."""
    kinds = ("swift.method", "swift.property")
    return sorted({
        path[1].split("(")[0] for kind, path, _ in found.values()
        if len(path) == 2 and kind in kinds
        and path[0] in ("ActiveConfig", "SettingsReading", "SectionObserving")
    })


def main(arguments):
    update = "--update" in arguments
    arguments = [argument for argument in arguments if argument != "--update"]
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 64
    here = Path(__file__).parent
    changed, total, names = False, 0, []
    for folder in sorted(Path(arguments[0]).iterdir()):
        found = symbols(folder)
        if folder.name == "ActiveConfig":
            names = completions(found)
        lines = sorted({f"{'.'.join(path[:-1]) or '-'}: {text}" for _, path, text in found.values()})
        total += len(found)
        print(f"{folder.name:26}{len(found):5} symbols")
        file = here / f"{folder.name}.txt"
        known = file.read_text().splitlines() if file.exists() else []
        if known == lines:
            continue
        changed = True
        for line in difflib.unified_diff(known, lines, lineterm="", n=0):
            if not line.startswith(("---", "+++", "@@")):
                print(f"  {line}")
        if update:
            file.write_text("\n".join(lines) + "\n")
    print(f"{'all':26}{total:5} symbols")
    print(f"config. completes to {len(names)} names: {', '.join(names)}")
    if len(names) > MAXIMUM_NAMES:
        print(f"Tests/PublicAPI/check.py: more than {MAXIMUM_NAMES} names", file=sys.stderr)
        return 1
    if changed and not update:
        print(
            "Tests/PublicAPI/check.py: the public API has changed: review the lines above, then run "
            "Tests/PublicAPI/check.py .build/docs/graphs --update", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
