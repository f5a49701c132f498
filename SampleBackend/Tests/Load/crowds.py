"""Measures streams at replicas on etcd: crowds.py DIRECTORY-OF-PROGRAMS WORK CONNECTIONS ROUNDS NAMES > FILE

S1 holds CONNECTIONS streams at one replica; S2 publishes to 12,000 streams, or CONNECTIONS, of one, two and three
replicas, and compares the times with the simulation. Writes JSON (findings.py). The token of the administrator is
in ACTIVECONFIG_ADMIN_TOKEN.
"""

import sys

from findings import Findings, end_on_signals, progress

from measure import measure  # noqa: E402, of Tests/Simulation
from model import predicted  # noqa: E402

KINDS = {"same": "the same for all", "own": "hardly two alike"}


def hold(findings, programs, count, rounds):
    """S1: the most streams of a process."""
    progress(f"S1: {count} streams at one replica …")
    (point,), wrong = measure(programs, "etcd", ["same"], 1, count, rounds)
    findings.wrong += [f"S1: {line}" for line in wrong]
    findings.figure("S1", f"{count} streams of one process on etcd, KiB of memory each", point["kibAStream"], 5.0)
    findings.figure("S1", "until all are connected, s", point["connectSeconds"])
    findings.figure("S1", "1,000 idle streams, % of a processor", point["idlePercent"])
    findings.figure("S1", "publish to all of them, last, ms", point["last"])


def tell(findings, programs, count, rounds):
    """S2: a publish until it is delivered."""
    rows = [["events", "replicas", "publish answered, ms", "p50, ms", "p99, ms", "last, ms", "last in each round",
             "model's last, ms", "error", "µs of a replica's processor a stream"]]
    for replicas in 1, 2, 3:
        progress(f"S2: {count} streams at {replicas} replicas …")
        points, wrong = measure(programs, "etcd", list(KINDS), replicas, count, rounds)
        findings.wrong += [f"S2, {replicas} replicas: {line}" for line in wrong]
        for point in points:
            model = predicted(point)["last"]
            rows.append([KINDS[point["kind"]], str(replicas), *(f"{point[name]:.0f}" for name in (
                "answered", "p50", "p99", "last")), ", ".join(f"{last:.0f}" for last in sorted(point["lastRounds"])),
                f"{model:.0f}", f"{model / point['last'] - 1:+.0%}", f"{point['serverMicroseconds']:.0f}"])
    for point in points:
        for name in "p50", "p99", "last":
            findings.figure("S2", f"publish to {count} streams of three replicas, {KINDS[point['kind']]}, {name}, ms",
                            point[name])
    findings.table(f"S2: from a publish until {count} streams have it", rows)


def main():
    programs, _, count, rounds, names = sys.argv[1:]
    end_on_signals()
    findings, count, rounds = Findings(), int(count), int(rounds)
    if "S1" in names.split(","):
        hold(findings, programs, count, rounds)
    if "S2" in names.split(","):
        tell(findings, programs, min(count, 12_000), rounds)
    progress("")
    findings.print()


if __name__ == "__main__":
    main()
