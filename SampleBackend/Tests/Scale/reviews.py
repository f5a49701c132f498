"""The history of change requests in a protected project, and its checks.

A history has what the people did and what each response showed (reviewers.py), and what the server has at the end:
the versions with their values, the requests, and the audit trail, oldest entry first. `check` yields a violation for
each rule that it breaks:

  gate       a version that came from neither an approved request nor a bypass: two (`required`) people who have
             not made the request approved exactly its content, over a version since which nothing changed its settings;
             nobody asked for changes
  version    a request that is published twice, or whose publish was answered with another version
  content    a version that lacks a change of its request, or has any other change
  lost       an answered act that is not there, at the end or in a response to a later request
  twice      an act that is there more than once
  refused    an act that is there although it was refused
  audit      an act without an entry, or an entry without an act

reviewfaults.py plants faults in a history, to show that the checks notice each.
"""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from reviewers import changes_of, names_in

AUDITED = {"create": "CREATE_CHANGE_REQUEST", "edit": "EDIT_CHANGE_REQUEST", "retitle": "EDIT_CHANGE_REQUEST",
           "approve": "APPROVE_CHANGE_REQUEST", "requestChanges": "REJECT_CHANGE_REQUEST",
           "close": "CLOSE_CHANGE_REQUEST", "publish": "PUBLISH", "bypass": "PUBLISH", "direct": "PUBLISH"}
COMMENTED = "COMMENT_CHANGE_REQUEST"
SHOWN = {"approve", "requestChanges", "comment", "close"}  # Acts whose names responses show for ever.


@dataclass(frozen=True)
class Violation:
    kind: str
    message: str
    request: str = ""
    names: tuple = ()  # The acts concerned, if they have no request.

    def __str__(self):
        return f"{self.kind}: {self.message}"


@dataclass
class Version:
    number: int
    values: dict
    description: str


@dataclass
class History:
    acts: list
    reads: list
    versions: dict = field(default_factory=dict)  # By number.
    requests: dict = field(default_factory=dict)  # By identifier.
    audit: list = field(default_factory=list)
    changed: list = field(default_factory=list)  # Numbers of versions that were read with different contents.

    def about(self, violation):
        """The acts and the entries of the request that a violation concerns, in order, as text."""
        acts = [act for act in self.acts if violation.request and act.request == violation.request
                or act.name in violation.names]
        lines = [str(act) for act in sorted(acts, key=lambda act: act.invoked)]
        if violation.request:
            lines += [f"audit {entry}" for entry in self.audit if entry["subject"] == violation.request
                      or violation.request in entry.get("detail", "")]
            lines.append(f"request {self.requests.get(violation.request)}")
        return lines


def check(history, required=2):
    """All violations of a history, in a project where so many people must approve."""
    return [*check_versions(history, required), *check_acts(history), *check_audit(history), *check_reads(history)]


def last_name(text):
    """The name of the act at the end of a text."""
    return (text or "").rsplit(": ", 1)[-1]


class Index:
    """The acts and the audit trail of a history by names."""

    def __init__(self, history):
        self.acts = {act.name: act for act in history.acts}
        # The entry of a comment has the title only, which is the name of another act.
        self.order = {last_name(entry.get("detail")): place for place, entry in enumerate(history.audit)
                      if entry["action"] != COMMENTED}
        self.publishes = {entry["subject"]: place for place, entry in enumerate(history.audit)
                          if entry["action"] == "PUBLISH"}
        self.makers = defaultdict(set)
        for act in history.acts:
            if act.kind in ("create", "edit") and act.outcome == "done":
                self.makers[act.request].add(act.person)


def check_versions(history, required):
    index = Index(history)
    published = defaultdict(list)
    numbers = sorted(history.versions)
    if numbers != list(range(1, len(numbers) + 1)):
        yield Violation("version", f"the versions have gaps: {numbers}")
        return
    for number in history.changed:
        yield Violation("version", f"version {number} has changed after it was stored")
    for number in numbers[1:]:
        version = history.versions[number]
        found = re.match(r"Change request (\w+): ", version.description)
        is_bypassed = "Without approval: " in version.description
        act = index.acts.get(last_name(version.description))
        if act is None or act.kind not in ("publish", "bypass"):
            yield Violation("gate", f"version {number}, \"{version.description}\", was published by no act")
        elif is_bypassed != (act.kind == "bypass"):
            yield Violation("gate", f"version {number} is by the act {act}", act.request, (act.name,))
        if found:
            published[found[1]].append(number)
            if act is not None and act.request != found[1]:
                yield Violation("version", f"version {number} is of the request {found[1]}, not as by {act}", found[1])
            yield from check_published(history, index, version, found[1], 0 if is_bypassed else required)
        elif not is_bypassed:
            yield Violation("gate", f"version {number}, \"{version.description}\", has neither a request nor a bypass")
        elif act is not None:
            yield from check_content(history, version, act.values, "")
    for request, of_request in published.items():
        if len(of_request) > 1:
            yield Violation("version", f"the request {request} was published as versions {of_request}", request)
    for identifier, request in history.requests.items():
        if request["state"] == "published" and identifier not in published:
            yield Violation("version", f"the request {identifier} is published, as no version", identifier)


def check_published(history, index, version, identifier, required):
    request = history.requests.get(identifier)
    if request is None:
        yield Violation("lost", f"version {version.number} is of the request {identifier}, which is gone", identifier)
        return
    ending = request.get("ending", {})
    if request["state"] != "published" or ending.get("versionNumber") != str(version.number):
        yield Violation("version", f"version {version.number} is of the request {identifier}, which is "
                        f"{request['state']} with {ending}", identifier)
    if bool(ending.get("bypassReason")) != (required == 0):
        yield Violation("gate", f"the end of the request {identifier} is {ending}, its version "
                        f"\"{version.description}\"", identifier)
    changes = changes_of(request)
    yield from check_content(history, version, changes, identifier)
    if required == 0:
        return
    counted = voters(history, index, request, changes, version.number)
    if len(counted) < required:
        yield Violation("gate", f"the request {identifier} was published as version {version.number} with the "
                        f"approvals of {sorted(counted)}; {required} are needed", identifier)
    if objections := [vote["person"] for vote in request["votes"] if vote["verdict"] != "approve"]:
        yield Violation("gate", f"the request {identifier} was published although {objections} asked for changes",
                        identifier)


def voters(history, index, request, changes, number):
    """The people whose approvals count for the published content, by what they and the others did."""
    content = next(iter(changes.values()), "")
    order, published = index.order, index.publishes.get(str(number), -1)
    made = index.makers[request["id"]] | {one.get("person") for one in [request["author"], *request["editors"]]}
    counted = set()
    for vote in request["votes"]:
        act = index.acts.get(vote["comment"])
        if act is None or act.kind != "approve" or act.request != request["id"] or act.person != vote["person"]:
            continue
        seen = history.versions.get(int(vote["liveVersionNumber"]))
        before = history.versions[number - 1]
        if (vote["verdict"] == "approve" and act.person not in made and act.content == content
                and seen is not None and seen.number == act.seen < number
                and all(seen.values.get(key) == before.values.get(key) for key in changes)
                and order.get(content, published) < order.get(act.name, published) < published):
            counted.add(act.person)
    return counted


def check_content(history, version, changes, request):
    before = history.versions[version.number - 1].values
    if version.values != before | changes:
        wrong = {key: (before.get(key), version.values.get(key)) for key in before | version.values | changes
                 if version.values.get(key) != (before | changes).get(key)}
        names = tuple(value for pair in wrong.values() for value in pair if value)
        yield Violation("content", f"version {version.number} should change {changes}, but has {wrong}", request, names)


def check_acts(history):
    """Checks that the requests and versions have each answered act once, and no refused one."""
    shown = {request: Counter(names_in(body)) for request, body in history.requests.items()}
    everywhere = Counter(name for names in shown.values() for name in names.elements())
    closed = {request for request, body in history.requests.items() if body["state"] == "closed"}
    published = Counter(last_name(version.description) for version in history.versions.values())
    for act in history.acts:
        if act.kind in SHOWN:
            yield from counted(act, everywhere[act.name], "in the requests")
            if act.outcome == "done" and act.name not in shown.get(act.request, ()):
                yield Violation("lost", f"the request {act.request} lacks {act}", act.request)
        if act.kind == "close" and act.outcome == "done" and (
                act.request not in closed or history.requests[act.request]["ending"]["actor"] != act.actor):
            yield Violation("lost", f"the request {act.request} is not closed by {act}", act.request)
        if act.kind in ("publish", "bypass", "direct"):
            yield from counted(act, published[act.name], "among the versions")
            version = history.versions.get(act.version)
            if act.outcome == "done" and (version is None or last_name(version.description) != act.name):
                yield Violation("version", f"version {act.version} is not the one of {act}", act.request, (act.name,))
        if act.kind == "direct" and act.outcome == "done":
            yield Violation("gate", f"a publish past the protection succeeded: {act}", "", (act.name,))
    known = Counter(act.name for act in history.acts)
    for request, names in shown.items():
        for name in names - known:
            yield Violation("twice" if name in known else "audit", f"{name} is {names[name]} times in the request "
                            f"{request}", request)


def counted(act, count, where):
    if act.outcome == "done" and count == 0:
        yield Violation("lost", f"not {where}: {act}", act.request, (act.name,))
    if act.outcome == "refused" and count > 0:
        yield Violation("refused", f"{where}: {act}", act.request, (act.name,))
    if count > 1:
        yield Violation("twice", f"{count} times {where}: {act}", act.request, (act.name,))


def check_audit(history):
    """Checks that there is one entry for each act, by the name in its text, and for comments by their number."""
    entries = Counter((entry["action"], last_name(entry.get("detail")), entry["actor"]) for entry in history.audit
                      if entry["action"] in AUDITED.values() and entry["subject"] != "1")
    for act in history.acts:
        if act.kind in AUDITED:
            yield from counted(act, entries.pop((AUDITED[act.kind], act.name, act.actor), 0), "in the audit trail")
    for (action, name, actor), count in entries.items():
        yield Violation("audit", f"{count} entries {action} {name} by {actor} are of no act", "", (name,))
    acts = {act.name: act for act in history.acts}
    comments = Counter((entry["subject"], entry["actor"]) for entry in history.audit
                       if entry["action"] == COMMENTED)
    stored = Counter((request, acts[name].actor) for request, body in history.requests.items()
                     for name in names_in(body) if name in acts and acts[name].kind == "comment")
    for request, actor in comments.keys() | stored.keys():
        if comments[request, actor] != stored[request, actor]:
            yield Violation("audit", f"{actor} has {stored[request, actor]} comments in the request {request}, and "
                            f"{comments[request, actor]} entries", request)
    of_publish = Counter(entry["subject"] for entry in history.audit if entry["action"] == "PUBLISH")
    for number in history.versions:
        if of_publish[str(number)] != 1:
            yield Violation("audit", f"version {number} has {of_publish[str(number)]} entries")
    for act in history.acts:
        if act.kind == "create" and act.outcome == "done" and act.request not in history.requests:
            yield Violation("lost", f"the request is gone: {act}", act.request)


def check_reads(history):
    """Checks that each response shows the acts that were answered, or shown, before it was asked for."""
    reads = defaultdict(list)
    for read in history.reads:
        reads[read.request].append(read)
    for request, of_request in reads.items():
        since = {act.name: act.returned for act in history.acts
                 if act.request == request and act.kind in SHOWN and act.outcome == "done"}
        for read in of_request:
            for name in read.names:
                since[name] = min(since.get(name, read.returned), read.returned)
        for read in of_request:
            missing = [name for name, moment in since.items() if moment < read.invoked and name not in read.names]
            if missing:
                yield Violation("lost", f"a response of {read.via} at {read.returned / 1e9:.3f} s lacks {missing}, "
                                f"which were there before {read.invoked / 1e9:.3f} s", request)
