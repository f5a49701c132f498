"""Runs the benchmarks of this commit, alternating with those of an earlier one, and prints the results.

USAGE: report.py --figures FILE --plot FILE
       report.py [--earlier FOLDER COMMIT] [--markdown] [--plot FILE] [--command TEXT] FOLDER [OPTION ...]

FOLDER has the program activeconfig-benchmarks, to which the other options go. --figures draws the plot of
figures that were written down, as figures.json has them, and measures nothing.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../Reports"))
import conditions  # noqa: E402
import plot  # noqa: E402
import tables  # noqa: E402

RUNS = 5  # Of each side, alternating.
PLOTTED = ("F1", "F2", "F4", "F5", "F9")  # Targets with a peer other than ActiveConfig itself.

parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("--earlier", nargs=2, default=(None, None))
parser.add_argument("--markdown", action="store_true")
parser.add_argument("--plot")
parser.add_argument("--command")
parser.add_argument("--only")
parser.add_argument("--rounds", default="5")
parser.add_argument("--json", action="store_true")
parser.add_argument("--check", action="store_true")
parser.add_argument("--figures")
parser.add_argument("folder", nargs="?")
options, others = parser.parse_known_args()
earlier, commit = options.earlier


def run(folder, target):
    """Rows of a target by operation; empty for a target that the earlier commit does not have."""
    command = [os.path.join(folder, "activeconfig-benchmarks"), "--json", "--rounds", options.rounds, *others]
    answer = subprocess.run(command + (["--only", target] if target else []), stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL if folder == earlier else None, check=False)
    if answer.returncode:
        return {} if folder == earlier else sys.exit(answer.returncode)
    return {(row["target"], row["what"], peer_name(row)): row for row in json.loads(answer.stdout)["rows"]}


def peer_name(row):
    """The peer without its figure."""
    return re.sub(r" [\d.,]+ [nµm]?s\b.*", "", row["peer"])


def in_turn(target, folders):
    """Rows of a target for each folder, with the medians of all runs as their times."""
    runs = [[] for _ in folders]
    for number in range(RUNS):
        order = list(enumerate(folders))
        for side, folder in order if number % 2 == 0 else reversed(order):
            runs[side].append(run(folder, target))
    for rows in runs:
        for key, row in rows[0].items():
            for field in "oursInNanoseconds", "peerInNanoseconds":
                times = [other[key][field] for other in rows if other.get(key, {}).get(field) is not None]
                if times:
                    row[field] = statistics.median(times)
    return [rows[0] for rows in runs]


def measured():
    """Rows of this commit and of the earlier one."""
    if not earlier:
        return run(options.folder, options.only), {}
    targets = options.only.split(",") if options.only else [f"F{number}" for number in range(1, 11)]
    sides = {}, {}
    for target in targets:
        for side, rows in zip(sides, in_turn(target, (options.folder, earlier))):
            side.update(rows)
    return sides


def time(nanoseconds):
    for unit, size in ("s", 1e9), ("ms", 1e6), ("µs", 1e3):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def read(path):
    """Rows that were written down, and where they were measured."""
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    return {(row["target"], row["what"], peer_name(row)): row for row in content["rows"]}, content["measured"]


if not options.figures and not options.folder:
    parser.error("FOLDER is missing")
if options.figures:
    (this, line), before = read(options.figures), {}
else:
    this, before = measured()
    when = conditions.of(options.command, commit)
    line = when.line
for key, row in this.items():
    ours, theirs = (side.get(key, {}).get("oursInNanoseconds") for side in (this, before))
    row["earlierInNanoseconds"] = theirs
    row["ratioToEarlier"] = ours / theirs if ours and theirs else None


def cells(row):
    if not earlier:
        return [row["target"], row["what"], row["ours"], row["peer"], row["ratioText"], row["wanted"]]
    ours = row.get("oursInNanoseconds")
    if ours is None:
        other = before.get((row["target"], row["what"], peer_name(row)), {})
        return [row["target"], row["what"], row["ours"], other.get("ours", ""), ""]
    theirs, ratio = row["earlierInNanoseconds"], row["ratioToEarlier"]
    return [row["target"], row["what"], time(ours), time(theirs) if theirs else "", f"{ratio:.3f}" if ratio else ""]


def rows():
    yield (["", "", "ours", commit, "ratio"] if earlier else ["", "", "ours", "peer", "", "wanted"])
    last = None
    for row in this.values():
        # A figure with several peers has several rows.
        if not earlier or (row["target"], row["what"]) != last:
            yield cells(row)
        last = row["target"], row["what"]


def plotted():
    groups = {}
    for row in this.values():
        if row["target"] in PLOTTED and row.get("peerInNanoseconds") and row["wanted"] \
                and not peer_name(row).endswith(" settings"):
            group = groups.setdefault(f"{row['target']}: {row['what']}", [])
            group.append(plot.Bar(peer_name(row), row["peerInNanoseconds"] / row["oursInNanoseconds"],
                                  time(row["peerInNanoseconds"]), False))
    return [plot.Group(title, sorted(bars, key=lambda bar: -bar.value)) for title, bars in groups.items()]


if options.plot:
    plot.write(options.plot, "How long peers take, to ActiveConfig's time", "times ActiveConfig's time",
               plotted(), [line], is_logarithmic=True)
if options.figures:
    sys.exit()
if options.json:
    print(json.dumps(when.fields | {"rows": list(this.values())}, ensure_ascii=False, indent=2))
elif options.markdown:
    print(tables.markdown(rows()), "", when.paragraph, sep="\n")
else:
    print(tables.text(rows()), "", when.line, sep="\n")
sys.exit(options.check and any(row["verdict"] == "missed" for row in this.values()))
