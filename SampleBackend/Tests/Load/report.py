"""Prints the results of load.sh.

USAGE: report.py WORK NAMES [--against COMMIT] [--check] [--json | --markdown] [--plot FILE] [--command TEXT]
"""

import argparse
import json
import os
import sys

from figures import Rates, Side

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../Tests/Reports"))
import conditions  # noqa: E402
import plot  # noqa: E402
import tables  # noqa: E402

parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("work")
parser.add_argument("names")
parser.add_argument("--against")
parser.add_argument("--check", action="store_true")
parser.add_argument("--json", action="store_true")
parser.add_argument("--markdown", action="store_true")
parser.add_argument("--plot")
parser.add_argument("--command")
options = parser.parse_args()
names = options.names.split(",")

rates = Rates(options.work)
this = Side(options.work, "this", names, rates)
earlier = Side(options.work, "earlier", names, rates) if options.against else None
values = {(figure.name, figure.what): figure.value for figure in earlier.figures} if earlier else {}
missed = [figure.name for figure in this.figures if not figure.is_met]
if rates.errors:
    missed.append(f"{rates.errors} requests failed")
missed += this.wrong
when = conditions.of(options.command, options.against)


def ratio(figure):
    """The ratio of a figure to that of the earlier commit; None if there is none."""
    value = values.get((figure.name, figure.what))
    return figure.value / value if value else None


def number(value):
    return f"{value:,.0f}" if isinstance(value, int) or abs(value) >= 1000 else f"{value:.3f}"


def rows():
    yield ["", "", "measured"] + ([options.against, "ratio"] if earlier else []) + ["wanted"]
    for figure in this.figures:
        value = values.get((figure.name, figure.what))
        others = ["" if found is None else number(found) for found in (value, ratio(figure))] if earlier else []
        yield [figure.name, figure.what, number(figure.value), *others,
               figure.wanted + "  MISSED" * (not figure.is_met)]


def rate_rows():
    yield ["", "by", "requests a second", "±", "99th percentile"]
    for name, server in sorted(rates.samples):
        yield [name, conditions.side(server, options.against), f"{rates.rate(name, server):,.0f}",
               f"{100 * rates.spread(name, server):.0f} %", f"{rates.latency(name, server):,.0f} µs"]


def plotted():
    """The rates of each server, relative to nginx."""
    titles = {"B2": "Document of 2 kB, shared by users (B2)", "B2-all-different": "Document of 2 kB, hardly two alike",
              "B3": "Document of 100 kB (B3)"}
    groups = []
    for name, title in titles.items():
        measured = [(server, name) for what, server in rates.samples if what == name]
        if name == "B2":
            measured += [(server, "B4") for what, server in rates.samples if what == "B4"]
        bars = []
        for server, what in measured:
            rate = rates.rate(what, server)
            label = conditions.side(server, options.against) + (", 304 (B4)" if what == "B4" else "")
            bars.append(plot.Bar(label, rate / rates.rate(name, "nginx"), f"{rate:,.0f}/s", server == "this"))
        if bars:
            target = next((f.target for f in this.figures if f.name == name and f.sign == ">="), None)
            groups.append(plot.Group(title, sorted(bars, key=lambda bar: -bar.value), target))
    return groups


if options.plot:
    plot.write(options.plot, "Requests a second, beside nginx that serves the same bytes from a file",
               "times nginx's rate", plotted(), [when.line])
if options.json:
    print(json.dumps(when.fields | {
        "figures": [{"name": f.name, "what": f.what, "value": f.value, "target": f.wanted or None}
                    | ({options.against: values.get((f.name, f.what)), "ratio": ratio(f)} if earlier else {})
                    for f in this.figures],
        "requestsPerSecond": {f"{name}-{server}": rates.rate(name, server) for name, server in rates.samples},
        "p99Microseconds": {f"{name}-{server}": rates.latency(name, server) for name, server in rates.samples},
        "tables": this.tables, "errors": rates.errors, "streams": this.details, "missed": missed}, ensure_ascii=False))
elif options.markdown:
    print(tables.markdown(rows()), "", sep="\n")
    if rates.samples:
        print(tables.markdown(rate_rows()), "", sep="\n")
    for table in this.tables:
        print(f"{table['title']}:", "", tables.markdown(table["rows"]), "", sep="\n")
    print(when.paragraph)
else:
    print(tables.text(rows()))
    if rates.samples:
        print("", tables.text(rate_rows()), sep="\n")
    for table in this.tables:
        print("", f"{table['title']}:", tables.text(table["rows"]), sep="\n")
    for side in [this] + ([earlier] if earlier else []):
        lines = side.details + [f"WRONG: {line}" for line in side.wrong]
        if lines:
            print("", *[f"{options.against}:"] * (side is earlier), *lines, sep="\n")
    if rates.errors:
        print(f"{rates.errors} requests failed")
sys.exit(1 if missed and options.check else 0)
