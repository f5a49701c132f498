"""The history of two projects, of which one gets settings of the other, and its checks.

`check` yields a violation for each rule that a history breaks:

  preview    a promotion whose answer has anything but the target's cells and the chosen ones of the source, or a
             condition of a single user; or one that was answered although a project had changed before, or refused
             although none had
  gate       a version of the target without a request that somebody else approved over the same values, or a bypass
  version    a request that is published twice, or whose publish was answered with another version
  content    a version that lacks a change of its act, or has any other change: so that the target's other work stays,
             and an undo takes back its version and nothing else
  lost       an answered act that is not there
  twice      an act that is there more than once
  refused    an act that is there although it was refused
  audit      a version or a request without exactly one entry
  pins       pinned values in the target

Faults are planted in copies of a history without violations, to show that the checks notice each.
"""

import copy
import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from promoters import PUTS, SHARED, SINGLE, SOURCE, TARGET, changes_between, with_changes
from reviewers import names_in
from reviews import Violation, counted, last_name

WRITES = {SOURCE: {"stage", "undo", "undoOverAny"},
          TARGET: {"ops", "express", "undo", "undoOverAny", "publish", "direct"}}


@dataclass
class Version:
    number: int
    cells: dict
    conditions: list
    description: str
    undone: int = 0


@dataclass
class History:
    acts: list
    versions: dict = field(default_factory=lambda: {SOURCE: {}, TARGET: {}})  # By project and number.
    requests: dict = field(default_factory=dict)  # By identifier.
    audit: dict = field(default_factory=dict)  # By project, oldest entry first.
    drafts: dict = field(default_factory=dict)  # The cells of each person's draft, by name of the actor.
    pins: dict = field(default_factory=dict)  # Of the user for whom the source has some, in the target.
    changed: list = field(default_factory=list)  # Projects and numbers that were read with different contents.

    def about(self, violation):
        """The acts that a violation concerns, in order, as text."""
        acts = [act for act in self.acts if violation.request and act.request == violation.request
                or act.name in violation.names]
        return [str(act) for act in sorted(acts, key=lambda act: act.invoked)]


def check(history):
    """All violations of a history."""
    index = Index(history)
    return [*check_versions(history, index), *check_promotions(history, index), *check_requests(history),
            *check_acts(history), *check_audit(history)]


class Index:
    """The acts of a history by name, and those that made versions and requests."""

    def __init__(self, history):
        self.acts = {act.name: act for act in history.acts}
        self.created = {act.request: act for act in history.acts if act.kind == "create" and act.request}
        self.writers = {
            (project, number): self.acts.get(last_name(version.description))
            for project, versions in history.versions.items() for number, version in versions.items()}


def check_versions(history, index):
    for project, number in history.changed:
        yield Violation("version", f"version {number} of {project} has changed after it was stored")
    for project, versions in history.versions.items():
        if sorted(versions) != list(range(1, len(versions) + 1)):
            yield Violation("version", f"the versions of {project} have gaps: {sorted(versions)}")
            return
        for number in sorted(versions)[1:]:
            yield from check_version(history, index, project, versions[number])


def check_version(history, index, project, version):
    act = index.writers[project, version.number]
    what = f"version {version.number} of {project}, \"{version.description}\""
    if act is None or act.kind not in WRITES[project]:
        yield Violation("gate", f"{what}, is of no act that publishes there: {act}")
        return
    versions, names = history.versions[project], (act.name,)
    before = versions[version.number - 1].cells
    if project == TARGET:
        yield from check_gate(history, index, version, act)
        if version.conditions != ["beta"]:
            yield Violation("content", f"{what}, has the conditions {version.conditions}", act.request, names)
    if act.kind in ("undo", "undoOverAny"):
        if version.undone != act.undone:
            yield Violation("content", f"{what}, undoes {version.undone}: {act}", "", names)
            return
        changes = taken_back(versions, act.undone, before)
        if changes is None:
            yield Violation("content", f"{what}, undoes what a later version changed: {act}", "", names)
            return
    else:
        created = index.created.get(act.request) if act.kind == "publish" else act
        changes = created.values if created else {}
    expected = with_changes(before, changes)
    if version.cells != expected:
        differing = changes_between(expected, version.cells)
        yield Violation("content", f"{what}, differs by {differing}", act.request, names)


def taken_back(versions, undone, before):
    """The changes that an undo makes to the cells before it; None if a later version changed the same."""
    made, changes = versions[undone].cells, {}
    for cell, earlier in changes_between(made, versions[undone - 1].cells).items():
        if before.get(cell) == made.get(cell):
            changes[cell] = earlier
        elif before.get(cell) != earlier:
            return None
    return changes


def check_gate(history, index, version, act):
    """Checks that a version of the target came by an approved request, or by somebody who may bypass approvals."""
    found = re.match(r"Change request (\w+): ", version.description)
    is_bypassed = "Without approval: " in version.description
    if is_bypassed == bool(found) or bool(found) != (act.kind == "publish"):
        yield Violation("gate", f"version {version.number}, \"{version.description}\", is of {act}", act.request)
        return
    if not found:
        return
    request, created = history.requests.get(found[1]), index.created.get(found[1])
    if request is None or created is None or act.request != found[1]:
        yield Violation("lost", f"version {version.number} is of the request {found[1]}, by {act}", found[1])
        return
    ending = request.get("ending", {})
    if request["state"] != "published" or ending.get("versionNumber") != str(version.number):
        yield Violation("version", f"version {version.number} is of the request {found[1]}, which is "
                        f"{request['state']} with {ending}", found[1])
    if not any(is_counted(history, index, request, created, vote, version.number) for vote in request["votes"]):
        yield Violation("gate", f"the request {found[1]} was published as version {version.number} with the votes "
                        f"{request['votes']}", found[1])


def is_counted(history, index, request, created, vote, number):
    """Whether a vote counts for a published version."""
    act, versions = index.acts.get(vote["comment"]), history.versions[TARGET]
    if act is None or act.kind not in ("approve", "publish") or act.request != request["id"]:
        return False
    seen, before = versions.get(int(vote["liveVersionNumber"])), versions[number - 1]
    return (vote["verdict"] == "approve" and act.person == vote["person"] != created.person
            and seen is not None and seen.number == act.seen < number
            and all(seen.cells.get(cell) == before.cells.get(cell) for cell in created.values))


def check_promotions(history, index):
    source, target = history.versions[SOURCE], history.versions[TARGET]
    for act in history.acts:
        if act.kind != "promote" or act.outcome == "unknown":
            continue
        later = [index.writers.get((SOURCE, act.source + 1)), index.writers.get((TARGET, act.seen + 1))]
        names = (act.name, *(one.name for one in later if one))
        if act.outcome == "refused":
            if "412" in act.answers[-1] and not any(one and one.invoked < act.returned for one in later):
                yield Violation("preview", f"refused, though no project had changed: {act}", "", names)
            continue
        if any(one and one.returned is not None and one.returned < act.invoked for one in later):
            yield Violation("preview", f"answered, though a project had changed before: {act}", "", names)
        if not act.cells:
            continue
        if act.source not in source or act.seen not in target:
            yield Violation("lost", f"a version that was merged is gone: {act}", "", names)
            continue
        keys = act.keys if act.keys is not None else SHARED
        chosen = {cell: value for cell, value in source[act.source].cells.items()
                  if cell[0] in keys and cell[1] != SINGLE}
        expected = target[act.seen].cells | chosen
        if act.cells != expected or act.conditions != ["beta"]:
            yield Violation("preview", f"the answer differs by {changes_between(expected, act.cells)}, with the "
                            f"conditions {act.conditions}: {act}", "", names)


def check_requests(history):
    published = defaultdict(list)
    for number, version in history.versions[TARGET].items():
        if found := re.match(r"Change request (\w+): ", version.description):
            published[found[1]].append(number)
    for request, numbers in published.items():
        if len(numbers) > 1:
            yield Violation("version", f"the request {request} was published as versions {numbers}", request)
    for identifier, request in history.requests.items():
        if request["state"] == "published" and identifier not in published:
            yield Violation("version", f"the request {identifier} is published, as no version", identifier)


def check_acts(history):
    """Checks that each answered act is there once, and no refused one."""
    names = Counter(last_name(version.description) for versions in history.versions.values()
                    for version in versions.values())
    titles = Counter(request["title"] for request in history.requests.values())
    shown = Counter(name for request in history.requests.values() for name in names_in(request))
    closed = {identifier for identifier, request in history.requests.items() if request["state"] == "closed"}
    drafts = {}
    for act in history.acts:
        if act.kind == "create":
            yield from counted(act, titles[act.name], "among the requests")
        elif act.kind == "approve":
            yield from counted(act, shown[act.name], "among the votes")
        elif act.kind == "close" and act.outcome == "done" and act.request not in closed:
            yield Violation("lost", f"the request is not closed: {act}", act.request)
        elif act.kind == "draft":
            drafts[act.actor] = act
        elif act.kind in PUTS | {"undo", "undoOverAny", "publish"}:
            yield from counted(act, names[act.name], "among the versions")
            project = SOURCE if act.actor.startswith("source") else TARGET
            version = history.versions[project].get(act.version)
            if act.version and (version is None or last_name(version.description) != act.name):
                yield Violation("version", f"version {act.version} is not the one of {act}", act.request, (act.name,))
        if act.kind == "direct" and act.outcome == "done":
            yield Violation("gate", f"a publish past the protection succeeded: {act}", "", (act.name,))
    for actor, act in drafts.items():
        if act.outcome == "done" and history.drafts.get(actor) != act.cells:
            yield Violation("lost", f"the draft is not the last one: {act}", "", (act.name,))
    if history.pins:
        yield Violation("pins", f"the target has the pinned values {history.pins}")


def check_audit(history):
    for project, versions in history.versions.items():
        entries = Counter((entry["action"], entry["subject"]) for entry in history.audit[project])
        for number, version in versions.items():
            kinds = {action: entries[action, str(number)] for action in ("PUBLISH", "UNDO", "ROLLBACK")}
            if kinds != dict.fromkeys(kinds, 0) | {"UNDO" if version.undone else "PUBLISH": 1}:
                yield Violation("audit", f"version {number} of {project} has the entries {kinds}")
    for request in history.requests:
        if entries["CREATE_CHANGE_REQUEST", request] != 1:
            yield Violation("audit", f"the request {request} has {entries['CREATE_CHANGE_REQUEST', request]} entries",
                            request)


class Faults:
    """Faults of one history, each planted in a copy of it."""

    def __init__(self, history, seed):
        self.history, self.random = history, random.Random(seed)

    def found(self):
        """The names of the faults, and whether the checks report each by the right kind of violation."""
        for kind, faults in {
                "preview": [self.copy_single_user, self.delete_in_preview, self.answer_stale, self.refuse_current],
                "gate": [self.drop_votes, self.vote_by_author, self.vote_over_older_values, self.publish_past_gate],
                "version": [self.arrive_twice], "content": [self.take_back, self.delete, self.lose_change,
                                                            self.undo_other, self.undo_half],
                "lost": [self.lose_draft, self.reopen, self.lose_vote, self.lose_newest],
                "twice": [self.undo_twice, self.request_twice], "refused": [self.store_refused],
                "audit": [self.lose_entry, self.repeat_entry], "pins": [self.pin]}.items():
            for fault in faults:
                history = copy.deepcopy(self.history)
                try:
                    fault(history)
                except IndexError:
                    continue  # The history has no such act.
                yield fault.__name__, kind in {violation.kind for violation in check(history)}

    def done(self, history, *kinds, where=lambda act: True):
        return self.random.choice([act for act in history.acts
                                   if act.kind in kinds and act.outcome == "done" and where(act)])

    def published(self, history):
        """A version of the target that came by a request, its request, and the act that made that."""
        by_request = {act.request: act for act in history.acts if act.kind == "create" and act.request}
        request = self.random.choice([one for one in history.requests.values() if one["state"] == "published"])
        return history.versions[TARGET][int(request["ending"]["versionNumber"])], request, by_request[request["id"]]

    def undo(self, history):
        """A version of the target that undid another one, with the changes it made."""
        versions = history.versions[TARGET]
        version = self.random.choice([one for one in versions.values() if one.undone])
        return version, changes_between(versions[version.number - 1].cells, version.cells)

    def repeat(self, history, version):
        last = max(history.versions[TARGET])
        history.versions[TARGET][last + 1] = Version(
            last + 1, history.versions[TARGET][last].cells, version.conditions, version.description, version.undone)

    def copy_single_user(self, history):
        act = self.done(history, "promote", where=lambda act: act.cells)
        act.cells[SHARED[0], SINGLE] = "single"

    def delete_in_preview(self, history):
        del self.done(history, "promote", where=lambda act: act.cells).cells["t0", "default"]

    def answer_stale(self, history):
        act = self.done(history, "promote", where=lambda act: act.seen < max(history.versions[TARGET]) - 3)
        act.invoked = act.returned = max(one.returned or 0 for one in history.acts) + 1

    def refuse_current(self, history):
        act = self.random.choice([one for one in history.acts if one.kind == "promote" and one.outcome == "refused"
                                  and "412" in one.answers[-1]])
        act.seen, act.source = max(history.versions[TARGET]), max(history.versions[SOURCE])

    def drop_votes(self, history):
        self.published(history)[1]["votes"].clear()

    def vote_by_author(self, history):
        _, request, created = self.published(history)
        created.person = request["votes"][0]["person"]
        request["votes"] = request["votes"][:1]

    def vote_over_older_values(self, history):
        version, request, created = self.published(history)
        vote = request["votes"][0]
        request["votes"] = [vote]
        number = int(vote["liveVersionNumber"])
        history.versions[TARGET][number].cells |= dict.fromkeys(created.values, "older")
        if number == version.number - 1:
            history.versions[TARGET][number] = copy.copy(history.versions[TARGET][number])
            next(act for act in history.acts if act.name == vote["comment"]).seen -= 1

    def publish_past_gate(self, history):
        version = self.published(history)[0]
        version.description = self.done(history, "publish").name

    def arrive_twice(self, history):
        self.repeat(history, self.published(history)[0])

    def take_back(self, history):
        version, _, created = self.published(history)
        cell = self.random.choice([cell for cell in version.cells if cell not in created.values])
        version.cells[cell] = "earlier"

    def delete(self, history):
        version, _, created = self.published(history)
        cell = self.random.choice([cell for cell in version.cells if cell not in created.values])
        del version.cells[cell]

    def lose_change(self, history):
        version, _, created = self.published(history)
        version.cells[next(iter(created.values))] = "earlier"

    def undo_other(self, history):
        version, changes = self.undo(history)
        version.cells[next(cell for cell in version.cells if cell not in changes)] = "earlier"

    def undo_half(self, history):
        version, changes = self.undo(history)
        cell = next(iter(changes))
        version.cells[cell] = history.versions[TARGET][version.number - 1].cells.get(cell)

    def undo_twice(self, history):
        self.repeat(history, self.undo(history)[0])

    def lose_draft(self, history):
        last = {act.actor: act for act in history.acts if act.kind == "draft"}
        act = self.random.choice([act for act in last.values() if act.outcome == "done"])
        history.drafts[act.actor] = {}

    def reopen(self, history):
        history.requests[self.done(history, "close").request]["state"] = "open"

    def lose_vote(self, history):
        act = self.done(history, "approve")
        request = history.requests[act.request]
        request["votes"] = [vote for vote in request["votes"] if vote["comment"] != act.name]
        request["comments"] = [comment for comment in request["comments"] if comment["text"] != act.name]

    def lose_newest(self, history):
        versions = history.versions[TARGET]
        newest = max(act.version or 0 for act in history.acts if act.kind == "publish" and act.outcome == "done")
        for number in [number for number in versions if number >= newest]:
            del versions[number]

    def request_twice(self, history):
        _, request, _ = self.published(history)
        history.requests["other"] = copy.deepcopy(request) | {"id": "other", "state": "open"}

    def store_refused(self, history):
        self.done(history, "publish", "undo", "ops").outcome = "refused"

    def lose_entry(self, history):
        entries = history.audit[TARGET]
        entries.remove(self.random.choice([entry for entry in entries if entry["action"] == "UNDO"]))

    def repeat_entry(self, history):
        entries = history.audit[TARGET]
        entries.append(self.random.choice([entry for entry in entries if entry["action"] == "PUBLISH"]))

    def pin(self, history):
        history.pins = {"Default": {SHARED[0]: "pin"}}
