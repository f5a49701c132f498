"""People who copy settings of one project into another one, beside others who publish and undo versions in both.

What they do has names and outcomes as in reviewers.py. A template is described by its cells: the value by a setting's
key and "default", or the name of a condition. Each value is named after the act that first set it, so that no two
acts set the same one, except copies and undos.
"""

import json
import time
import urllib.parse
from dataclasses import dataclass, field

from registers import Unanswered
from reviewers import ABSENT, TAGGED, Act, Reviewer

SOURCE, TARGET = "/v1/projects/staging", "/v1/projects/shop"
SHARED = [f"s{number:02}" for number in range(16)]  # Settings of both projects.
OWN = [f"t{number}" for number in range(6)]  # Settings of the target only.
SINGLE = "single"  # The condition of a single user, which only the source has.
CONDITIONS = {SINGLE: "user.id == '7'", "beta": "percent <= 50"}
PINNED = "4"  # The user for whom values are pinned in the source.
OPEN = 8  # Requests that are open at a time, about.
NEWEST = 6  # Versions of which one is undone.
PUTS = {"stage", "ops", "express", "direct"}  # Acts that store a whole template over a version.


@dataclass
class PromoterAct(Act):
    """An act in one of the projects; `values` are the cells that it changes, None for a removed one."""

    source: int = 0  # The version of the source that a promotion was asked for; `seen` is that of the target.
    keys: list | None = None  # Chosen settings; None for all.
    cells: dict = field(default_factory=dict)  # Those of the answer to a promotion, or of a draft.
    live: dict = field(default_factory=dict)  # Those of the version `seen`.
    conditions: list = field(default_factory=list)  # Their names, likewise.
    undone: int = 0  # The version that an undo takes back.

    def __str__(self):
        more = f", version {self.source} of the source" if self.source else ""
        more += f", undoes version {self.undone}" if self.undone else ""
        return f"{super().__str__()}; over version {self.seen}{more}"


def cells_of(template):
    """The values by key and "default" or condition."""
    cells = {}
    for key, parameter in template["parameters"].items():
        cells[key, "default"] = parameter["defaultValue"]["value"]
        cells |= {(key, name): value["value"] for name, value in parameter.get("conditionalValues", {}).items()}
    return cells


def conditions_of(template):
    return [condition["name"] for condition in template.get("conditions", [])]


def with_changes(cells, changes):
    return {cell: value for cell, value in (cells | changes).items() if value is not None}


def changes_between(old, new):
    """The cells that differ, with None for one that is missing in `new`."""
    return {cell: new.get(cell) for cell in old | new if old.get(cell) != new.get(cell)}


def template_of(cells, conditions, description=None):
    """The template with these cells and conditions."""
    parameters = {}
    for (key, part), value in sorted(cells.items()):
        parameter = parameters.setdefault(key, {})
        if part == "default":
            parameter["defaultValue"] = {"value": value}
        else:
            parameter.setdefault("conditionalValues", {})[part] = {"value": value}
    template = {"conditions": [{"name": name, "expression": CONDITIONS[name]} for name in conditions],
                "parameters": parameters}
    return template | ({"version": {"description": description}} if description else {})


class Worker(Reviewer):
    """One token of one person, which works in the target, unless it has another project."""

    act_type = PromoterAct
    tagged = TAGGED | PUTS | {"promote", "draft", "undo"}
    pause = (0, 0.2)

    def __init__(self, *arguments, project=TARGET, **options):
        super().__init__(*arguments, project=project, **options)
        self.project = project
        self.writes_to_source = project == SOURCE

    def work(self):
        if not self.is_over.wait(self.random.uniform(*self.pause)):
            self.act()

    def live(self):
        """The current version, its tag and its cells; None without a response."""
        found = self.get(self.template)
        return found and (int(found[2]["version"]["versionNumber"]), found[1]["ETag"], cells_of(found[2]))

    def read_back(self, act, tag=None):
        """Acts over a version are that version's successor, or were never stored."""
        if act.kind == "promote":
            act.outcome = "refused"
        elif act.kind == "draft":
            act.isReadBack = True
            found = self.get(self.project + "/draft")
            if found and cells_of(found[2]["template"]) == act.cells:
                act.outcome = "done"
        elif act.kind in PUTS | {"undo"}:
            act.isReadBack = True
            live = self.live()
            if live is None or live[0] <= act.seen:
                return None
            found = self.get(f"{self.template}?versionNumber={act.seen + 1}")
            if found and found[2]["version"].get("description", "").rsplit(": ", 1)[-1] == act.name:
                act.outcome, act.version = "done", act.seen + 1
            elif found:
                act.outcome = "refused"
        else:
            return super().read_back(act, tag)
        act.returned = time.monotonic_ns() if act.outcome != "unknown" else None
        return None

    def put(self, kind, version, tag, cells, changes):
        """Publishes cells with changes over a version."""
        act = self.begin(kind, seen=version, values=changes)
        changes = act.values = {cell: value and value.replace("*", act.name) for cell, value in changes.items()}
        conditions = list(CONDITIONS) if self.writes_to_source else ["beta"]
        description = act.name if self.writes_to_source else None
        query = "" if self.writes_to_source else "?bypass=" + urllib.parse.quote(act.name)
        template = template_of(with_changes(cells, changes), conditions, description)
        self.note_version(act, self.send(act, "PUT", self.template + query, template, tag))

    def undo(self):
        """Undoes one of the newest versions, over the current one or over any."""
        live = self.live()
        if live is None or live[0] < 3:
            return
        has_tag = self.random.random() < 0.7
        undone = self.random.randint(max(2, live[0] - NEWEST), live[0])
        act = self.begin("undo" if has_tag else "undoOverAny", seen=live[0], undone=undone)
        body, query = {"versionNumber": str(undone)}, ""
        if self.writes_to_source:
            body["description"] = act.name
        else:
            query = "?bypass=" + urllib.parse.quote(act.name)
        tag = live[1] if has_tag else None
        self.note_version(act, self.send(act, "POST", f"{self.template}:undo{query}", body, tag))

    def note_version(self, act, answer):
        if act.outcome == "done" and answer and answer[0] == 200:
            act.version = int(json.loads(answer[2])["version"]["versionNumber"])


class Publisher(Worker):
    """Somebody who publishes in the source, deletes settings there, pins values, and undoes."""

    pause = (0.5, 1.5)

    def act(self):
        chance = self.random.random()
        if chance < 0.15:
            return self.undo()
        if chance < 0.25:
            return self.pin()
        live = self.live()
        if live is None:
            return None
        changes = {}
        for key in self.random.sample(SHARED, self.random.choice([1, 1, 2])):
            parts = ["default", *CONDITIONS]
            if (key, "default") not in live[2] or self.random.random() > 0.15:
                changes |= {(key, part): f"* {part}" for part in parts
                            if part == "default" or self.random.random() < 0.6}
            elif sum(part == "default" for _, part in live[2]) > len(SHARED) // 2:
                changes |= {(key, part): None for part in parts}
        return self.put("stage", *live, changes) if changes else None

    def pin(self):
        try:
            self.ask("PUT", f"{self.project}/users/{PINNED}/overrides",
                     {"Default": {self.random.choice(SHARED): f"pin of {self.name}"}})
        except Unanswered:
            pass


class Operator(Worker):
    """A program that publishes in the target without approvals, settings of both projects or its own, and undoes."""

    pause = (0.8, 2)

    def act(self):
        if self.random.random() < 0.35:
            return self.undo()
        live = self.live()
        if live is None:
            return None
        key = self.random.choice(OWN if self.random.random() < 0.7 else SHARED)
        return self.put("ops", *live, {(key, self.random.choice(["default", "beta"])): "*"})


class Promoter(Worker):
    """Somebody who copies settings of the source: by draft or at once into a request, or past approvals."""

    def act(self):
        chosen = self.desk.some_open(self.random)
        if not self.bypasses and chosen and (len(self.desk.open) >= OPEN or self.random.random() < 0.2):
            return self.close_in_conflict(chosen)
        preview = self.preview()
        if preview is None:
            return None
        act, template = preview
        changes = changes_between(act.live, act.cells)
        if not changes:
            return None
        if self.bypasses:
            return self.put("express", act.seen, f'"etag-shop-{act.seen}"', act.live, changes)
        return self.request(act, template, changes)

    def preview(self):
        """Compares, chooses and asks for the merge; the act and the template, if neither project has changed."""
        found = self.get(self.template + ":compare?with=staging")
        if found is None:
            return None
        seen = found[2]
        keys = [parameter["key"] for parameter in seen["parameters"] if parameter["change"] != "REMOVED"]
        keys = self.random.sample(keys, min(len(keys), self.random.randint(1, 3)))
        if not keys:
            return None
        if self.random.random() < 0.15:
            keys = None
        act = self.begin("promote", seen=int(seen["versionNumber"]), source=int(seen["withVersionNumber"]), keys=keys)
        self.is_over.wait(self.random.choice([0, 0, self.random.uniform(0, 0.8)]))
        body = {"from": "staging", "fromETag": seen["withETag"]}
        if keys:
            body["settings"] = [{"section": "Default", "key": key} for key in keys]
        act.invoked = time.monotonic_ns()
        answer = self.send(act, "POST", self.template + ":promote", body, f'"{seen["etag"]}"')
        if act.outcome != "done":
            return None
        template = json.loads(answer[2])["template"]
        act.cells, act.conditions = cells_of(template), conditions_of(template)
        live = self.get(f"{self.template}?versionNumber={act.seen}")
        if live is None:
            return None
        act.live = cells_of(live[2])
        return act, template

    def request(self, promotion, template, changes):
        """Makes a request of the merge, which it stores as its draft before, or not."""
        body = {"template": template, "base": f"etag-shop-{promotion.seen}"}
        if self.random.random() < 0.6:
            if not self.store_draft(promotion, template):
                return
            body = {"draft": True}
        act = self.begin("create", seen=promotion.seen, source=promotion.source, values=changes)
        answer = self.send(act, "POST", self.requests, {"title": act.name} | body)
        if act.outcome == "done":
            act.request = json.loads(answer[2])["id"]
        elif act.outcome == "unknown":
            found = self.get(self.requests + "?pageSize=50")
            known = found and [one["id"] for one in found[2]["changeRequests"] if one["title"] == act.name]
            act.isReadBack = True
            if not known:
                return
            act.request, act.outcome, act.returned = known[0], "done", time.monotonic_ns()
        if act.request:
            with self.desk.lock:
                self.desk.open.add(act.request)

    def store_draft(self, promotion, template):
        """Replaces the own draft, and reads it back; whether it is there."""
        path, found = self.project + "/draft", None
        for _ in range(5):
            try:
                found = self.ask("GET", path)[1]
            except Unanswered:
                continue
            if found and found[0] in (200, 204):
                break
        if not found or found[0] not in (200, 204):
            return False
        tag = ABSENT if found[0] == 204 else found[1]["ETag"]
        act = self.begin("draft", seen=promotion.seen, cells=promotion.cells)
        self.send(act, "PUT", path, {"baseVersion": str(promotion.seen), "template": template}, tag)
        if act.outcome != "done":
            return False
        stored = self.get(path)
        if stored and cells_of(stored[2]["template"]) != act.cells:
            self.desk.problems.append(f"the draft is not the one of {act}")
        return stored is not None

    def close_in_conflict(self, chosen):
        request = self.read(chosen)
        if request and request["state"] == "needsAttention" and request["author"].get("person") == self.person:
            self.post("close", request)


class Approver(Worker):
    """Somebody who approves requests; publishers also publish and close them, or do both in one call."""

    def act(self):
        chosen = self.desk.some_open(self.random)
        request = chosen and self.read(chosen)
        if not request or request["state"] in ("published", "closed", "expired"):
            return None
        if request["state"] == "needsAttention":
            return self.post("close", request) if self.role == "publisher" and self.random.random() < 0.3 else None
        if self.role == "publisher":
            if self.random.random() < 0.03:
                return self.publish_directly(request)
            if request["state"] == "approved" or self.random.random() < 0.05:
                return self.post("publish", request)
            return self.post("publish", request, approve=True) if self.random.random() < 0.1 else None
        mine = [vote for vote in request["votes"] if vote["person"] == self.person and not vote.get("outdated")]
        return None if mine else self.post("approve", request)

    def publish_directly(self, request):
        """Publishes the template of a request past the protection, which must be refused."""
        found = self.get(f"{self.requests}/{request['id']}/template")
        if found is None:
            return
        act = self.begin("direct", seen=int(request["liveVersionNumber"]))
        template = found[2] | {"version": {"description": act.name}}
        self.send(act, "PUT", self.template, template, self.random.choice(["*", f'"etag-shop-{act.seen}"']))
