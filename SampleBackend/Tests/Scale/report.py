"""The results of a run of faults: violations and durations."""

from collections import Counter
from dataclasses import dataclass

from linearizability import check, evidence
from schedule import OF_ONE_MEMBER, OF_REPLICAS, PAUSE, REACH, REACHES
from listeners import StreamCheck

SECOND = 1_000_000_000


@dataclass
class Window:
    """The time of a fault, in ns of the monotonic clock."""

    name: str
    began: int
    repaired: int

    @property
    def reach(self):
        """Seconds after the repair within which all must have the published versions."""
        return REACHES.get(self.name, REACH)


class Report:
    def __init__(self, run):
        self.run, self.history = run, run.recorder.history
        publishes = [operation for operation in self.history.operations if operation.op == "publish"]
        self.acknowledged = {operation.version: operation.returned for operation in publishes
                             if operation.outcome == "stored"}
        self.outcomes = Counter(operation.outcome for operation in publishes)
        self.answers = sum((Counter(register.outcomes) for publisher in run.publishers
                            for register in publisher.registers), Counter())
        contents = {version: next(iter(seen)) for version, seen in evidence(self.history).items()}
        self.stored_unknown = sum(o.outcome == "unknown" and o.content in contents.values() for o in publishes)
        self.violations = [f"{violation.kind}: {violation.message}" for violation in check(self.history)]
        self.lost = len(self.violations)
        truth = {version: run.plans.values[content] for version, content in contents.items()
                 if content in run.plans.values}
        self.rows = [self.row(window) for window in run.windows]
        self.figures = {}
        if run.documents is not None:
            self.violations += [f"documents: {problem}" for problem in run.documents.check(truth)]
            self.violations += [f"documents: {replica} did not answer at {moment / SECOND:.3f} s: {reason}"
                                for moment, replica, reason in run.documents.failures if not self.is_excused(moment)]
            streams = StreamCheck(run.streams.users, truth, self.acknowledged, self.allowed)
            self.violations += [f"streams: {problem}" for problem in streams.problems]
            self.figures = streams.figures | run.streams.counts

    def is_excused(self, moment):
        """Whether a replica itself was down, or had been until just before."""
        return any(window.name in OF_REPLICAS and window.began - SECOND < moment < window.repaired + SECOND
                   for window in self.run.windows)

    def allowed(self, moment):
        """The deadline for versions acknowledged at a time: 5 s later, not counting faults."""
        end = moment + REACH * SECOND
        for window in self.run.windows:
            if window.began <= end and window.repaired >= moment:
                end = max(end, window.repaired + window.reach * SECOND)
        return end

    def row(self, window):
        """The figures of a fault."""
        def during(moment):
            return window.began <= moment < window.repaired
        times = sorted(self.acknowledged.values())
        inside = [moment for moment in times if during(moment)]
        before = [moment for moment in times if moment < window.began][-1:]
        after = [moment for moment in times if moment >= window.repaired][:1]
        around = [*before, *inside, *after]
        row = {"fault": window.name, "seconds": (window.repaired - window.began) / SECOND, "stored": len(inside),
               "unknown": sum(o.outcome == "unknown" and during(o.invoked) for o in self.history.operations),
               "gap": max(((later - earlier) / SECOND for earlier, later in zip(around, around[1:])), default=None)}
        if window.name in OF_ONE_MEMBER and row["gap"] is not None and row["gap"] > PAUSE:
            self.violations.append(f"publishing stopped for {row['gap']:.1f} s by {window.name}")
        if self.run.documents is not None:
            row["agreed"] = self.agreed(window)
            row["unread"] = sum(during(moment) for moment, *_ in self.run.documents.failures)
            row["slowest read"] = max(((o.returned - o.invoked) / 1e6 for o in self.history.operations
                                       if o.op == "document" and during(o.invoked)), default=None)
        return row

    def agreed(self, window):
        """Seconds from the repair until all replicas have the versions acknowledged before it."""
        wanted = max((version for version, moment in self.acknowledged.items() if moment < window.repaired), default=1)
        times = {}
        for operation in self.history.operations:
            if operation.op == "document" and operation.returned > window.repaired and operation.version >= wanted:
                times[operation.via] = min(operation.returned, times.get(operation.via, operation.returned))
        if len(times) < len(self.run.replicas):
            self.violations.append(f"agreement: after {window.name} only {sorted(times)} had version {wanted}")
            return None
        seconds = (max(times.values()) - window.repaired) / SECOND
        if seconds > window.reach:
            self.violations.append(f"agreement: {seconds:.1f} s after {window.name} until all had version {wanted}")
        return seconds

    def json(self):
        options = self.run.options
        return {"seed": options.seed, "store": options.store, "outcomes": self.outcomes, "answers": self.answers,
                "storedUnknown": self.stored_unknown, "operations": len(self.history.operations), "faults": self.rows,
                "streams": self.figures, "lost": self.lost, "violations": self.violations}

    def text(self):
        def number(value, digits=1):
            return "–" if value is None else f"{value:.{digits}f}"
        lines = [f"{'fault':18}{'s':>6}{'stored':>8}{'unknown':>9}{'longest gap, s':>16}{'agreed after, s':>17}"]
        for row in self.rows:
            lines.append(f"{row['fault']:18}{number(row['seconds']):>6}{row['stored']:>8}{row['unknown']:>9}"
                         f"{number(row['gap']):>16}{number(row.get('agreed'), 2):>17}")
        outcomes = ", ".join(f"{count} {name}" for name, count in sorted(self.outcomes.items()))
        lines.append(f"publishes: {outcomes}; {self.stored_unknown} of the unknown ones were stored")
        lines.append("answers: " + ", ".join(f"{name} {count}" for name, count in sorted(self.answers.items())))
        if self.figures:
            lines.append("streams: " + ", ".join(f"{name} {value}" for name, value in self.figures.items()))
        lines += [f"WRONG {violation}" for violation in self.violations[:20]]
        lines.append(f"{len(self.history.operations)} operations, {len(self.violations)} violations; "
                     f"seed {self.run.options.seed}")
        return "\n".join(lines)
