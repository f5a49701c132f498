#!/usr/bin/env python3
"""Computes the replicas for a crowd, the time until a publish reaches all, and the effect of a lost region.

USAGE: simulate.py [--users N] [--streams N] [--conditions N] [--parameters N] [--template-mb N]
                   [--interval SECONDS] [--regions N] [--members N] [--own] [--seed N] [--markdown | --json]
       simulate.py --check FILE [--json]
       simulate.py --page Capacity.md

Without options: 100 million users, 20 million streams, 200 conditions, a publish per minute that affects all,
three regions, one of them lost. --own: hardly two users share an event. Prints the assumptions, their
basis, and the limits of the design. --markdown prints the tables of Operations/Capacity.md.

--check compares the model with points that measure.py, or load.sh --scale, measured, and prints the errors:
{"points": [{"kind": "same", "replicas": 1, "streams": 12000, "processors": 2, "last": 280.0, …}]}; values a point
lacks are not compared.

--page checks that a page has the tables of --markdown.

Exit codes: 0, 1 a median error is above 25 % or a page has different tables, 64 wrong arguments, 65 no points or page.
"""

import argparse
import json
import os
import statistics
import sys

from constants import CONSTANTS, MACHINE, constant
from model import LARGE, SMALL, TINY, Scenario, Size, come_back, ends, etcd, predicted, publish

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Tests/Reports"))
import tables  # noqa: E402

WORST = 0.25  # Maximum median error of the model.
CROWDS = [  # Users, a fifth of whom listen; machine, regions.
    (1_000, TINY, 1), (100_000, SMALL, 1), (1_000_000, SMALL, 1), (10_000_000, LARGE, 3), (100_000_000, LARGE, 3),
]

TIMES = {"commit", "last replica", "p50", "p99", "last"}


def results(scenario, seed):
    size = Size(scenario)
    return {
        "replicas": size.replicas, "replicas a region": size.replicas_a_region, "limited by": size.limit,
        "streams a replica": round(size.streams_normally), "with a region lost": round(size.streams_after_loss),
        "machine": str(scenario.machine), "documents a second": round(size.requests),
        "part of the replicas' time for documents": size.request_share,
        "streams a second that a restarted replica sends away": round(size.restart_rate),
        "publish": publish(scenario, size, seed), "region lost": come_back(scenario, size, seed),
        "region silent": come_back(scenario, size, seed, is_silent=True), "etcd": etcd(scenario, size)}


def text(value):
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def print_all(scenario, seed):
    print(f"{scenario.users:,} users, {scenario.streams:,} streams, {scenario.conditions} conditions, "
          f"{scenario.regions} regions, a publish every {scenario.interval:g} s, seed {seed}\n")
    for name, value in results(scenario, seed).items():
        if isinstance(value, dict):
            print(f"{name} (times in s):" if name != "etcd" else "etcd:")
            for key, inner in value.items():
                print(f"  {key:50}{text(inner):>12}")
        else:
            print(f"{name:52}{text(value):>12}")
    print("\nThe design ends (the number of streams up to which it holds, doubling those above):")
    for what, end in ends(scenario).items():
        limit = f"{end['streams']:,} streams, {end['replicas']:,} replicas"
        print(f"  {what:55}{limit if end['ends'] else 'not below 10^11 streams'}")
    print(NEXT)
    print(extrapolation(Size(scenario)))
    print(f"\nRests on ({MACHINE}):")
    for row in CONSTANTS.values():
        print(f"  {row.what:56}{row.value:>10g} {row.unit:28} {row.source}")


NEXT = """
Each replica watches etcd and reads each new template itself: that is what grows with the replicas, and it ends
first. The next step is a tier between: some replicas of a region watch etcd, the others watch those and read the
template, named by its content, from them or from a cache. Not modelled: TLS (before the replicas), pinned values
(in the memory of each replica), several projects, uneven regions, members that are overloaded or have slow disks."""


def extrapolation(size):
    """The results that lie beyond the measured range."""
    watchers = constant("watchers_measured") * size.scenario.members
    return (f"Extrapolated: a process was measured with at most {constant('streams_measured'):,} streams, and has "
            f"up to {size.streams_at_most:,.0f} here; members with {constant('watchers_measured'):,} watchers each, "
            f"which are {watchers:,} replicas; a machine with 2 processors.")


def runs(seed):
    """Rows with the required systems, by users."""
    yield ["users", "streams", "store", "replicas", "each with", "streams of each, at most", "open files of each",
           "all notified after a publish", "99 % back after a region is lost", "first limit of a replica"]
    for users, machine, regions in CROWDS:
        scenario = Scenario(users=users, streams=users // 5, regions=regions, machine=machine)
        size = Size(scenario)
        store, replicas, back = "SQLite", "1", ""
        if regions > 1:
            store, replicas = "3 members of etcd, one a region", f"{regions} × {size.replicas_a_region}"
            back = f"{come_back(scenario, size, seed)['p99']:.0f} s"
        elif size.replicas > 1:
            store, replicas = "3 members of etcd", str(size.replicas)
        yield [f"{users:,}", f"{scenario.streams:,}", store, replicas, str(machine), f"{size.streams_at_most:,.0f}",
               f"{size.open_files:,}", f"{publish(scenario, size, seed)['last']:.1f} s", back,
               f"{size.limit}, at {size.streams_each:,} streams"]


def markdown(seed):
    """The tables of Operations/Capacity.md."""
    parts = []

    def show(title, rows, *paragraphs):
        parts.extend([f"### {title}", tables.markdown(rows), *paragraphs])
    scenario = Scenario()
    show("Users and what to run", runs(seed), "Simulated. " + extrapolation(Size(scenario)))
    found = results(scenario, seed)
    rows = [(name, text(value)) for name, value in found.items() if not isinstance(value, dict)]
    for group in "publish", "region lost", "etcd":
        rows += [(f"{group}: {name}" + ", s" * (name in TIMES), text(value)) for name, value in found[group].items()]
    show(f"{scenario.users:,} users with {scenario.streams:,} streams, a publish a minute, one of three regions lost",
         [("", "simulated"), *rows])
    show("Where the design ends", [("", "streams", "replicas"), *(
        (what, f"{end['streams']:,}" if end["ends"] else "no end below 10^11", f"{end['replicas']:,}")
        for what, end in ends(scenario).items())], NEXT.strip())
    show("What the simulation rests on", [("", "", "", "by"), *(
        (row.what, f"{row.value:g}", row.unit, row.source) for row in CONSTANTS.values())],
        f"Measured on {MACHINE}. Printed by `SampleBackend/Tests/Simulation/simulate.py --markdown`, seed {seed}.")
    return "\n\n".join(parts)


def check_page(path, seed):
    """The exit code of --page."""
    try:
        with open(path, encoding="utf-8") as file:
            is_current = markdown(seed) in file.read()
    except OSError as error:
        print(f"simulate.py: {error}", file=sys.stderr)
        return 65
    if not is_current:
        print(f"simulate.py: {path} has not the tables of --markdown", file=sys.stderr)
    return 0 if is_current else 1


def check(path, as_json):
    """Compares the model with measured points; returns the exit code."""
    try:
        with open(path, encoding="utf-8") as file:
            points = json.load(file)["points"]
        rows = [(point, {name: (value, point[name]) for name, value in predicted(point).items() if point.get(name)})
                for point in points]
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"simulate.py: {path} has no points: {error}", file=sys.stderr)
        return 65
    errors = {}
    for _, compared in rows:
        for name, (value, measured) in compared.items():
            errors.setdefault(name, []).append(value / measured - 1)
    medians = {name: statistics.median(abs(error) for error in found) for name, found in errors.items()}
    if as_json:
        print(json.dumps({"medianErrors": medians, "points": [
            {name: point.get(name) for name in ("store", "kind", "replicas", "streams")} | {
             "errors": {name: value / measured - 1 for name, (value, measured) in compared.items()}}
            for point, compared in rows]}))
    else:
        print(f"{'store':7}{'kind':6}{'replicas':>9}{'streams':>9}  " + "".join(f"{name:>24}" for name in errors))
        for point, compared in rows:
            cells = [f"{compared[name][0]:.3g} for {compared[name][1]:.3g}, "
                     f"{compared[name][0] / compared[name][1] - 1:+.0%}" if name in compared else "" for name in errors]
            print(f"{point.get('store', ''):7}{point['kind']:6}{point['replicas']:>9}{point['streams']:>9}  "
                  + "".join(f"{cell:>24}" for cell in cells))
        print(f"{'median error':33}" + "".join(f"{medians[name]:>24.0%}" for name in errors))
    return 1 if any(median > WORST for median in medians.values()) else 0


def main():
    parser = argparse.ArgumentParser(add_help=False)
    defaults = Scenario()
    for name, kind in (("users", int), ("streams", int), ("conditions", int), ("parameters", int),
                       ("template_mb", float), ("interval", float), ("regions", int), ("members", int)):
        parser.add_argument("--" + name.replace("_", "-"), type=kind, default=getattr(defaults, name))
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check")
    parser.add_argument("--page")
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__.strip())
        return 0
    try:
        options = vars(parser.parse_args())
    except SystemExit:
        return 64
    seed, as_json, as_markdown, path, page = (
        options.pop(name) for name in ("seed", "json", "markdown", "check", "page"))
    if path:
        return check(path, as_json)
    if page:
        return check_page(page, seed)
    scenario = Scenario(**options)
    if scenario.regions < 1 or scenario.members < 1 or not 0 < scenario.streams <= scenario.users:
        print("simulate.py: regions and members are at least 1, streams at most the users; see --help", file=sys.stderr)
        return 64
    if as_markdown:
        print(markdown(seed))
    elif as_json:
        print(json.dumps(results(scenario, seed) | {"ends": ends(scenario)}))
    else:
        print_all(scenario, seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
