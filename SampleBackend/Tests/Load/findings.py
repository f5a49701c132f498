"""Results of a program of load.sh, as JSON for report.py."""

import json
import os
import signal
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path += [os.path.join(TESTS, name) for name in ("Scale", "Simulation")]


class Findings:
    def __init__(self):
        self.figures, self.details, self.wrong, self.tables = [], [], [], []

    def figure(self, name, what, value, target=None):
        """A figure, whose unit is part of `what`, and which must not exceed the target."""
        self.figures.append({"name": name, "what": what, "value": value, "sign": "<=", "target": target})

    def table(self, title, rows):
        """Rows of text; the first one has the titles of the columns."""
        self.tables.append({"title": title, "rows": rows})

    def print(self):
        json.dump(vars(self), sys.stdout, ensure_ascii=False)


def end_on_signals():
    """Turns signals into exits, which end the started processes."""
    for number in signal.SIGINT, signal.SIGTERM:
        signal.signal(number, lambda number, _: sys.exit(128 + number))


def progress(text):
    """Shows a line of progress on a terminal; an empty text removes it."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
