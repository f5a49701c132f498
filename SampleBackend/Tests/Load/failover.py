"""Measures the effect of a leader's failure on clients: failover.py DIRECTORY-OF-PROGRAMS WORK ROUNDS > FILE

Tests/Scale/faults.py publishes by five clients through three replicas, reads at all of them, and keeps 300 streams
open, while the leader is killed, stopped and cut off in turn; its checker compares the history with a register.
Writes JSON (findings.py).
"""

import json
import os
import statistics
import subprocess
import sys

from findings import TESTS, Findings, end_on_signals

FAULTS = {"kill-leader": "killed", "stop-leader": "stopped for 10 s", "cut-off-leader": "cut off for 8 s"}


def text(values, digits=1):
    """The median, the minimum and the maximum."""
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def main():
    programs, _, rounds = sys.argv[1:]
    command = [os.path.join(TESTS, "Scale", "faults.py"), "--json", "--binary",
               os.path.join(programs, "sample-backend"), "--faults", ",".join(list(FAULTS) * int(rounds))]
    # In a session of its own, so that Ctrl-C does not interrupt how it ends what it started.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    end_on_signals()
    try:
        output = process.communicate()[0]
    finally:
        process.terminate()
        process.wait()
    found = json.loads(output)
    findings = Findings()
    findings.wrong += [f"R8: {violation}" for violation in found["violations"]]
    rows = [["leader", "longest gap of publishes, s", "replicas agree after the repair, s", "publishes stored",
             "of unknown outcome", "reads unanswered", "slowest read, ms"]]
    for name, what in FAULTS.items():
        faults = [row for row in found["faults"] if row["fault"] == name]
        gaps, agreed = ([row[key] for row in faults if row[key] is not None] for key in ("gap", "agreed"))
        findings.figure("R8", f"longest gap of acknowledged publishes, leader {what}, s", statistics.median(gaps))
        findings.figure("R8", f"until the replicas agree after the repair, leader {what}, s", max(agreed), 5.0)
        rows.append([what, text(gaps), text(agreed, 2), *(
            str(sum(row[key] for row in faults)) for key in ("stored", "unknown", "unread")),
            f"{max(row['slowest read'] for row in faults):.0f}"])
    findings.figure("R8", "reads unanswered during the failures", sum(row["unread"] for row in found["faults"]), 0)
    findings.figure("R8", f"of {found['outcomes']['stored']} acknowledged publishes lost, doubled or out of order",
                    found["lost"], 0)
    findings.table(f"R8: {rounds} failures of each kind", rows)
    findings.details.append(
        f"R8: {found['operations']} operations in the history, "
        f"{found['outcomes'].get('unknown', 0)} publishes of unknown outcome, {found['storedUnknown']} of them "
        f"stored; seed {found['seed']}")
    findings.print()


if __name__ == "__main__":
    main()
