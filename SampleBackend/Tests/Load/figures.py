"""The figures that load.sh measured, for each side: this commit, and an earlier one."""

import json
import os
import statistics
from dataclasses import dataclass


@dataclass
class Figure:
    name: str
    what: str
    value: float
    sign: str = "<="
    target: float | None = None

    @property
    def is_met(self):
        return self.target is None or (self.value >= self.target if self.sign == ">=" else self.value <= self.target)

    @property
    def wanted(self):
        return "" if self.target is None else f"{self.sign} {self.target:g}"


class Rates:
    """Requests a second and 99th percentiles in µs, by the requested resource and the server."""

    def __init__(self, work):
        self.samples, self.sizes, self.publishes, self.errors = {}, {}, {}, 0
        for line in open(os.path.join(work, "results")):
            kind, name, server, *figures = line.split()
            if kind == "bytes":
                self.sizes[name] = int(figures[0])
            elif kind == "publish":
                self.publishes.setdefault(server, []).append(float(figures[0]) * 1000)
            else:
                self.samples.setdefault((name, server), []).append((float(figures[0]), float(figures[1])))
                self.errors += int(figures[2])

    def rate(self, name, server):
        return statistics.median(rate for rate, _ in self.samples[name, server])

    def latency(self, name, server):
        return statistics.median(latency for _, latency in self.samples[name, server])

    def spread(self, name, server):
        """Half the interquartile range of the rates, relative to their median."""
        rates = [rate for rate, _ in self.samples[name, server]]
        if len(rates) < 2:
            return 0
        low, middle, high = statistics.quantiles(rates, n=4, method="inclusive")
        return (high - low) / 2 / middle


class Side:
    """The measurements of one commit."""

    def __init__(self, work, name, names, rates):
        self.folder, self.details, self.wrong, self.tables = os.path.join(work, name), [], [], []
        self.figures = list(self.of_requests(name, names, rates))
        self.figures += self.of_conditions(names)
        for program in ("streams", "polls", "heavy", "unchanged", "crowds", "per_core", "restart", "footprint",
                        "failover"):
            found = self.read(program, {"figures": [], "details": [], "wrong": []})
            self.figures += [Figure(f["name"], f["what"], f["value"], f["sign"], f["target"])
                             for f in found["figures"]]
            self.details += found["details"]
            self.wrong += found["wrong"]
            self.tables += found.get("tables", [])
        self.figures += self.of_allocations()
        # A run for B6 has B5's figures as well.
        self.figures = sorted((f for f in self.figures if f.name in names), key=lambda f: names.index(f.name))

    def read(self, name, default):
        """The figures of another program; the default value if it did not run."""
        path = os.path.join(self.folder, name + ".json")
        return json.load(open(path)) if os.path.exists(path) else default

    def of_requests(self, name, names, rates):
        def to(server, what, same=None):
            return rates.rate(what, name) / rates.rate(same or what, server)
        if "B2" in names:
            yield Figure("B2", "document of 2 kB, rate to the bare handler's", to("nio", "B2"), ">=", 0.85)
            yield Figure("B2", "99th percentile to the bare handler's",
                         rates.latency("B2", name) / rates.latency("B2", "nio"), "<=", 1.5)
            yield Figure("B2", "the same, hardly two of them alike, rate to the bare handler's",
                         to("nio", "B2-all-different"), ">=", 0.6)
            yield Figure("B2", "document of 2 kB, rate to nginx's", to("nginx", "B2"))
            yield Figure("B2", "the same, hardly two of them alike, rate to nginx's", to("nginx", "B2-all-different"))
        if "B3" in names:
            yield Figure("B3", "document of 100 kB, rate to the bare handler's", to("nio", "B3"), ">=", 0.85)
            yield Figure("B3", "document of 100 kB, rate to nginx's", to("nginx", "B3"))
        if "B4" in names:
            yield Figure("B4", "304, rate to the bare handler's of 2 kB", to("nio", "B4", "B2"), ">=", 1.0)
            yield Figure("B4", "304, rate to B2's", rates.rate("B4", name) / rates.rate("B2", name))
        if "B8" in names:
            yield Figure("B8", "publish of 3,000 parameters, ms", statistics.median(rates.publishes[name]), "<=", 100.0)

    def of_conditions(self, names):
        rounds = [found for number in range(1, 10) if (found := self.read(f"conditions-{number}", None))]
        if not rounds:
            return
        medians = {key: statistics.median(found[key] for found in rounds) for key in rounds[0]}
        if "B1" in names:
            yield Figure("B1", "100 conditions of one user, µs", medians["mixed"] / 1000, "<=", 4.0)
        heaviest = max(((value, key) for key, value in medians.items() if key.startswith("heaviest")), default=None)
        if "B10" in names and heaviest:
            yield Figure("B10", "heaviest conditions of one user, ms", heaviest[0] / 1e6, "<=", 50.0)
            self.details.append(f"B10: {heaviest[1]}")

    def of_allocations(self):
        names = {"document": "document", "rendered": "document that is rendered", "not-modified": "304",
                 "repeated": "304 that the connection asks for again", "event": "event to a stream"}
        for work, (allocations, size) in self.read("allocations", {}).items():
            has_target = work == "document"
            yield Figure("B16", f"{names[work]}, allocations", allocations, "<=", 50.0 if has_target else None)
            yield Figure("B16", f"{names[work]}, kB allocated", size / 1000, "<=", 12.0 if has_target else None)
