#!/usr/bin/env python3
"""Checks the alert rules and the dashboard of SampleBackend/Operations without a server.

USAGE: SampleBackend/Tests/Operations/rules.py; promtool must be installed.

promtool checks the rules, runs their unit tests, and parses each query of the dashboard. Each alert has a
summary and a runbook, a test in which it fires and one in which it does not, and a line in Monitoring.md.
The dashboard has what Grafana needs to import it. Exit codes: 0, 1 something is wrong.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

OPERATIONS = Path(__file__).parents[2] / "Operations"
ALERTS = OPERATIONS / "alerts.yml"
DASHBOARD = OPERATIONS / "dashboard.json"
TESTS = Path(__file__).parent / "alerts-test.yml"
WORDS = set("by without on ignoring group_left group_right and or unless offset bool".split())


def alerts():
    """The alerts as (name, expression, text of the rule)."""
    found = []
    for rule in re.split(r"^ *- alert: ", ALERTS.read_text("utf-8"), flags=re.M)[1:]:
        name, text = rule.split("\n", 1)
        # A block ends where the next key begins.
        expression = re.search(r"^ *expr: (?:\|\n)?(.*?)^ {8}\w+:", text, re.M | re.S)[1]
        found.append((name, " ".join(expression.split()), text))
    return found


def panels():
    return json.loads(DASHBOARD.read_text("utf-8"))["panels"]


def queries():
    """The queries of the dashboard as (panel's title, expression), with values for Grafana's variables."""
    dashboard = json.loads(DASHBOARD.read_text("utf-8"))
    found = [(panel["title"], target["expr"]) for panel in dashboard["panels"] for target in panel.get("targets", [])]
    found += [(note["name"], note["expr"]) for note in dashboard["annotations"]["list"] if "expr" in note]
    return [(title, re.sub(r"\$\w+", ".*", text.replace("$__rate_interval", "10s"))) for title, text in found]


def metrics(expression):
    """The names of the metrics in an expression."""
    text = re.sub(r'"[^"]*"|\{[^}]*\}|\[[^]]*\]', "", expression.replace('\\"', ""))
    text = re.sub(r"\b(by|without|on|ignoring) *\([^)]*\)", "", text)
    names = re.findall(r"(?<![\w.])[a-zA-Z_:][\w:]*(?! *\(|\w)", text)
    return {name for name in names if name not in WORDS}


def run_promtool(*arguments, text=None):
    result = subprocess.run(["promtool", *arguments], input=text, text=True, capture_output=True)
    # promtool prints findings to either stream.
    return result.returncode, (result.stdout + result.stderr).strip()


def promtool_problems():
    problems = []
    for arguments in (("check", "rules", str(ALERTS)), ("test", "rules", str(TESTS))):
        code, text = run_promtool(*arguments)
        if code:
            problems.append(f"promtool {' '.join(arguments[:2])}: {text}")
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        file.write("groups:\n- name: dashboard\n  rules:\n")
        for number, (_, expression) in enumerate(queries()):
            file.write(f"  - record: query:{number}\n    expr: {json.dumps(expression)}\n")
        file.flush()
        code, text = run_promtool("check", "rules", file.name)
        if code:
            problems.append(f"promtool on the queries of the dashboard: {text}")
    return problems


def alert_problems():
    tests = TESTS.read_text("utf-8")
    document = (OPERATIONS / "Monitoring.md").read_text("utf-8")
    fires = set(re.findall(r"alertname: (\w+)\n +exp_alerts:", tests))
    is_silent = set(re.findall(r"alertname: (\w+)\}", tests))
    for name, expression, text in alerts():
        for key in ("severity", "summary", "runbook"):
            if f"{key}: " not in text:
                yield f"{name} has no {key}"
        if name not in fires:
            yield f"no test in {TESTS.name} has {name} fire"
        if name not in is_silent:
            yield f"no test in {TESTS.name} has {name} silent"
        if not re.search(rf"^\| [^|]*`{name}`", document, re.M):
            yield f"Monitoring.md does not explain {name}"
        if not metrics(expression):
            yield f"no metric is found in the expression of {name}"


def dashboard_problems():
    dashboard = json.loads(DASHBOARD.read_text("utf-8"))
    for key in ("title", "uid", "schemaVersion", "templating", "time", "annotations", "version"):
        if key not in dashboard:
            yield f"the dashboard has no {key}"
    if dashboard["id"] is not None:
        yield "the dashboard has an id, which belongs to one installation of Grafana"
    variables = {variable["name"] for variable in dashboard["templating"]["list"]}
    identifiers, taken = set(), {}
    for panel in dashboard["panels"]:
        title, place = panel["title"], panel["gridPos"]
        if panel["id"] in identifiers:
            yield f"two panels have the id {panel['id']}"
        identifiers.add(panel["id"])
        if place["x"] + place["w"] > 24:
            yield f"\"{title}\" is wider than the page"
        for cell in ((x, y) for x in range(place["x"], place["x"] + place["w"])
                     for y in range(place["y"], place["y"] + place["h"])):
            if taken.setdefault(cell, title) != title:
                yield f"\"{title}\" covers \"{taken[cell]}\""
                break
        if panel["type"] == "row":
            continue
        if not panel["targets"] or len({target["refId"] for target in panel["targets"]}) != len(panel["targets"]):
            yield f"\"{title}\" has no queries, or two of one refId"
        for target in panel["targets"]:
            if target["datasource"]["uid"] != "${datasource}":
                yield f"\"{title}\" reads a data source of one installation"
            for name in re.findall(r"\$\{?(\w+)", target["expr"]):
                if not name.startswith("__") and name not in variables:
                    yield f"\"{title}\" uses ${name}, which is no variable"


def main():
    problems = promtool_problems() + list(alert_problems()) + list(dashboard_problems())
    for problem in problems:
        print(f"rules.py: {problem}", file=sys.stderr)
    if problems:
        sys.exit(1)
    print(f"{len(alerts())} alerts and {len(queries())} queries of the dashboard are well-formed")


if __name__ == "__main__":
    main()
