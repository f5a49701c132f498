#!/usr/bin/env python3
"""Says how many replicas a crowd needs, when all know of a publish, and what happens when a region is lost.

USAGE: simulate.py [--users N] [--streams N] [--conditions N] [--parameters N] [--template-mb N]
                   [--interval SECONDS] [--regions N] [--members N] [--own] [--seed N] [--markdown | --json]
       simulate.py --check FILE [--json]

Without options: 100 million users, 20 million streams, 200 conditions, a publish a minute that concerns all,
three regions of which one is lost. --own: hardly two users share an event. It prints the assumptions, what they
rest on, and where the design ends. --markdown prints the tables of Operations/Capacity.md.

--check compares the model with points that measure.py, or load.sh --scale, has measured, and prints the errors:
{"points": [{"kind": "same", "replicas": 1, "streams": 12000, "processors": 2, "last": 280.0, …}]}; what a point
does not have is not compared.

Exit codes: 0, 1 a median error is above 25 %, 64 wrong arguments, 65 no points.
"""

import argparse
import json
import statistics
import sys

from constants import CONSTANTS, MACHINE, constant
from model import LARGE, SMALL, Scenario, Size, come_back, ends, etcd, predicted, publish

WORST = 0.25  # Median error above which the model is wrong.
CROWDS = [  # Streams, machine, regions.
    (2_000, SMALL, 1), (20_000, SMALL, 1), (200_000, SMALL, 1), (2_000_000, LARGE, 3), (20_000_000, LARGE, 3),
]


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
    """What of the results lies beyond what was measured."""
    watchers = constant("watchers_measured") * size.scenario.members
    return (f"Extrapolated: a process was measured with at most {constant('streams_measured'):,} streams, and has "
            f"{size.streams_normally:,.0f} here; members with {constant('watchers_measured'):,} watchers each, which "
            f"are {watchers:,} replicas; a machine with 2 processors.")


def markdown(seed):
    """The tables of Operations/Capacity.md."""
    print("| users | streams | run | etcd | streams each | all told after a publish "
          "| 99 % back after a region is lost |\n| ---: | ---: | --- | --- | ---: | ---: | ---: |")
    for streams, machine, regions in CROWDS:
        scenario = Scenario(users=streams * 5, streams=streams, regions=regions, machine=machine)
        size = Size(scenario)
        told = publish(scenario, size, seed)["last"]
        store, back = "3 members", "–"
        if regions > 1:
            run = f"{regions} regions of {size.replicas_a_region} replicas, {machine} each"
            store, back = "3 members, one a region", f"{come_back(scenario, size, seed)['p99']:.0f} s"
        elif size.replicas > 1:
            run = f"{size.replicas} replicas, {machine} each"
        else:
            run, store = f"1 replica, {machine}", "none: SQLite"
        print(f"| {scenario.users:,} | {streams:,} | {run} | {store} | {size.streams_normally:,.0f} "
              f"| {told:.1f} s | {back} |")
    print("\n| | assumed or measured | | by |\n| --- | ---: | --- | --- |")
    for row in CONSTANTS.values():
        print(f"| {row.what} | {row.value:g} | {row.unit} | {row.source} |")
    print("\n" + extrapolation(Size(Scenario())))
    print(f"\nMeasured on {MACHINE}; `SampleBackend/Tests/Simulation/simulate.py --markdown`, seed {seed}.")


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
            {"replicas": point["replicas"], "streams": point["streams"], "kind": point["kind"],
             "errors": {name: value / measured - 1 for name, (value, measured) in compared.items()}}
            for point, compared in rows]}))
    else:
        print(f"{'kind':6}{'replicas':>9}{'streams':>9}  " + "".join(f"{name:>24}" for name in errors))
        for point, compared in rows:
            cells = [f"{compared[name][0]:.3g} for {compared[name][1]:.3g}, "
                     f"{compared[name][0] / compared[name][1] - 1:+.0%}" if name in compared else "" for name in errors]
            print(f"{point['kind']:6}{point['replicas']:>9}{point['streams']:>9}  "
                  + "".join(f"{cell:>24}" for cell in cells))
        print(f"{'median error':26}" + "".join(f"{medians[name]:>24.0%}" for name in errors))
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
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__.strip())
        return 0
    try:
        options = vars(parser.parse_args())
    except SystemExit:
        return 64
    seed, as_json, as_markdown, path = (options.pop(name) for name in ("seed", "json", "markdown", "check"))
    if path:
        return check(path, as_json)
    scenario = Scenario(**options)
    if scenario.regions < 1 or scenario.members < 1 or not 0 < scenario.streams <= scenario.users:
        print("simulate.py: regions and members are at least 1, streams at most the users; see --help", file=sys.stderr)
        return 64
    if as_markdown:
        markdown(seed)
    elif as_json:
        print(json.dumps(results(scenario, seed) | {"ends": ends(scenario)}))
    else:
        print_all(scenario, seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
