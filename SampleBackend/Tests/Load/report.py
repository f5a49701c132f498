"""Prints what load.sh measured: report.py DIRECTORY NAMES [--check] [--json]"""

import json
import os
import statistics
import sys

directory, names = sys.argv[1], sys.argv[2].split(",")
rates, latencies, errors, sizes, publishes = {}, {}, 0, {}, []
for line in open(os.path.join(directory, "results")):
    name, first, second, third = line.split()[:4]
    if name == "bytes":
        sizes[first] = int(second)
    elif name == "B8":
        publishes.append(float(first) * 1000)
    else:
        rates.setdefault(name, []).append(float(first))
        latencies.setdefault(name, []).append(float(second))
        errors += int(third)
rate = {name: statistics.median(values) for name, values in rates.items()}
latency = {name: statistics.median(values) for name, values in latencies.items()}


def read(name, default):
    """The figures of another program; the default if it did not run."""
    path = os.path.join(directory, name)
    return json.load(open(path)) if os.path.exists(path) else default


streams = read("streams.json", {"figures": [], "details": [], "wrong": []})
for name in "polls.json", "heavy.json":
    for key, lines in read(name, {"figures": [], "details": [], "wrong": []}).items():
        streams[key] += lines
rows = []
if "B1" in names:
    nanoseconds = read("targeting.json", None)["mixed"]
    rows.append(("B1", "100 conditions of one user, µs", nanoseconds / 1000, "<=", 4.0))
if "B2" in names:
    rows += [
        ("B2", f"document of {sizes['B2']} bytes, rate to nginx's", rate["B2-backend"] / rate["B2-nginx"], ">=", 0.9),
        ("B2", "99th percentile to nginx's", latency["B2-backend"] / latency["B2-nginx"], "<=", 2.0)]
if "B3" in names:
    rows.append(
        ("B3", f"document of {sizes['B3']} bytes, rate to nginx's", rate["B3-backend"] / rate["B3-nginx"], ">=", 0.85))
if "B4" in names:
    rows.append(("B4", "304, rate to B2's", rate["B4-backend"] / rate["B2-backend"], ">=", 1.3))
rows += [(f["name"], f["what"], f["value"], "<=", f["target"]) for f in streams["figures"]]
if "B8" in names:
    rows.append(
        ("B8", f"publish of 3,000 parameters, ms (median of {len(publishes)})", statistics.median(publishes), "<=",
         100.0))
if "B10" in names:
    figures = read("targeting.json", None)
    heaviest = max((value, name) for name, value in figures.items() if name.startswith("heaviest "))
    rows.append(("B10", f"{heaviest[1]}, ms", heaviest[0] / 1e6, "<=", 50.0))
for work, figures in read("allocations.json", {}).items():
    of = {"document": "document", "rendered": "document that is rendered", "not-modified": "304",
          "event": "event to a stream"}[work]
    for figure, unit, target in (figures[0], "allocations", 50), (figures[1] / 1000, "kB allocated", 12):
        rows.append(("B16", f"{of}, {unit}", figure, "<=", target if work == "document" else None))


def is_met(value, sign, target):
    return target is None or (value >= target if sign == ">=" else value <= target)


missed = [name for name, _, value, sign, target in rows if not is_met(value, sign, target)]
if errors:
    missed.append(f"{errors} requests failed")
missed += streams["wrong"]
if "--json" in sys.argv:
    print(json.dumps({
        "figures": [{"name": n, "what": w, "value": v, "target": f"{s} {t}" if t is not None else None} for n, w, v, s, t in rows],
        "requestsPerSecond": rate, "p99Microseconds": latency, "errors": errors,
        "streams": streams["details"], "missed": missed}))
else:
    print(f"{'':4} {'':52} {'measured':>9}  wanted")
    for name, what, value, sign, target in rows:
        wanted = "" if target is None else f"{sign} {target}" + "  MISSED" * (not is_met(value, sign, target))
        print(f"{name:4} {what:52} {value:9.3f}  {wanted}".rstrip())
    print()
    for name in sorted(rate):
        print(f"{name:26} {rate[name]:10.0f} a second, 99th percentile {latency[name]:8.0f} µs")
    for line in streams["details"]:
        print(line)
    if errors:
        print(f"{errors} requests failed")
    for line in streams["wrong"]:
        print(f"WRONG: {line}")
sys.exit(1 if missed and "--check" in sys.argv else 0)
