"""People who make, review and publish change requests, through any replica, until their part is over.

Each act has a unique name, which it stores: as the title of a request, as the values of its settings, as the comment
of a vote, a closure or a publish, or as the reason of a bypass. So it can be recognized wherever it turns up.

An act with an entity tag takes effect at most once, so it is sent again, with the same tag, after an unknown outcome;
a later refusal is read back. A comment and a new request have no tag: they are read back, and made again as another
act if they are not there.
"""

import json
import random
import threading
import time
import urllib.parse
from dataclasses import dataclass, field

from registers import Link, Unanswered

PATH = "/v1/projects/default"
REQUESTS = PATH + "/changeRequests"
TEMPLATE = PATH + "/remoteConfig"
SETTINGS = [f"s{number:02}" for number in range(24)]
ATTEMPTS = 40
OPEN = 14  # Requests that are open at a time, about.
ABSENT = "absent"  # Instead of a tag: for something that must not be there yet.
TAGGED = {"approve", "requestChanges", "edit", "retitle", "close", "publish", "bypass"}


@dataclass
class Act:
    """What one person did; `outcome` is "done", "refused" (it never takes effect) or "unknown"."""

    name: str
    kind: str
    actor: str
    person: str
    invoked: int
    request: str = ""
    returned: int | None = None
    outcome: str = "unknown"
    answers: list = field(default_factory=list)
    values: dict = field(default_factory=dict)  # Settings of a new or an edited request.
    content: str = ""  # Name of the act whose values the actor has seen in the request.
    seen: int = 0  # The version that was current in what the actor has seen.
    version: int | None = None  # The published one.
    isReadBack: bool = False

    def __str__(self):
        end = "…" if self.returned is None else f"{self.returned / 1e9:.3f}"
        more = f", content {self.content} over version {self.seen}" if self.content else ""
        more += f", sets {', '.join(map(str, self.values))}" if self.values else ""
        more += f", version {self.version}" if self.version else ""
        return (f"[{self.invoked / 1e9:.3f}–{end} s] {self.actor} ({self.person}) {self.kind} {self.name}{more}: "
                f"{self.outcome} {self.answers}{', read back' if self.isReadBack else ''}")


@dataclass
class Read:
    """What a response showed of a request: the names of votes, comments and the closure."""

    request: str
    invoked: int
    returned: int
    via: str
    names: list


def names_in(request):
    """The names of the votes, comments and closures that a response shows."""
    return [vote["comment"] for vote in request["votes"]] + [comment["text"] for comment in request["comments"]]


def changes_of(request):
    """The values that a request sets, by setting."""
    return {parameter["key"]: part["new"]["value"] for parameter in request["changes"]["parameters"]
            for part in parameter["parts"] if part["name"] == "defaultValue"}


def values_of(template):
    return {key: parameter["defaultValue"]["value"] for key, parameter in template["parameters"].items()}


def template_of(values):
    return {"parameters": {key: {"defaultValue": {"value": value}} for key, value in sorted(values.items())}}


class Desk:
    """What the people share: the open requests, and the records."""

    def __init__(self):
        self.lock = threading.Lock()
        self.acts, self.reads, self.open, self.problems = [], [], set(), []
        self.in_flight = {}  # Kind of the act that each actor is sending.

    def close(self, request):
        with self.lock:
            self.open.discard(request)

    def some_open(self, generator):
        with self.lock:
            requests = sorted(self.open)
        return generator.choice(requests) if requests else None


class Reviewer(threading.Thread):
    """One token of one person, in one project."""

    act_type, tagged = Act, TAGGED

    def __init__(self, name, person, token, role, ports, desk, seed, bypasses=False, project=PATH):
        super().__init__(daemon=True, name=name)
        self.requests, self.template = project + "/changeRequests", project + "/remoteConfig"
        self.person, self.role, self.bypasses, self.desk = person, role, bypasses, desk
        self.links = {f"r{number + 1}": Link(port) for number, port in enumerate(ports)}
        self.fields = {"Authorization": "Bearer " + token}
        self.random = random.Random(f"{seed} {name}")
        self.count, self.error, self.is_over = 0, None, threading.Event()

    def run(self):
        try:
            while not self.is_over.wait(self.random.uniform(0, 0.2)):
                self.work()
        except Exception as error:  # The run reports the error.
            self.error = error

    def work(self):
        chosen = self.desk.some_open(self.random)
        if self.bypasses:
            return self.bypass(chosen)
        if chosen is None or (len(self.desk.open) < OPEN and self.random.random() < 0.4):
            return self.create()
        if self.random.random() < 0.01:
            return self.publish_directly()
        request = self.read(chosen)
        if request is None:
            return None
        if self.random.random() < 0.3:
            self.is_over.wait(self.random.uniform(0, 0.3))
        return self.review(request)

    # Requests over HTTP.

    def ask(self, method, path, body=None, tag=None, timeout=None):
        """The name of a replica, and its response; None if it was not sent. Raises Unanswered."""
        via = self.random.choice(sorted(self.links))
        fields = self.fields | ({"If-None-Match": "*"} if tag == ABSENT else {"If-Match": tag} if tag else {})
        timeout = timeout or self.random.choice([1.0, 5.0, 10.0, 10.0])
        return via, self.links[via].ask(method, path, json.dumps(body) if body is not None else None, fields, timeout)

    def get(self, path):
        """The name of a replica, the fields and the body; None without a response."""
        for _ in range(ATTEMPTS):
            try:
                via, answer = self.ask("GET", path)
            except Unanswered:
                answer = None
            if answer is not None and answer[0] == 200:
                return via, answer[1], json.loads(answer[2])
            if answer is not None and answer[0] != 503:
                self.desk.problems.append(f"GET {path} was answered with {answer[0]}: {answer[2][:300]!r}")
                return None
            time.sleep(self.random.uniform(0.05, 0.3))
        return None

    def read(self, request):
        """Reads a request, and records what it shows."""
        invoked = time.monotonic_ns()
        found = self.get(f"{self.requests}/{request}")
        if found is None:
            return None
        via, _, body = found
        self.desk.reads.append(Read(request, invoked, time.monotonic_ns(), via, names_in(body)))
        if body["state"] in ("published", "closed", "expired"):
            self.desk.close(request)
        return body

    def begin(self, kind, request="", **details):
        self.count += 1
        name = f"{self.name}-{self.count}"
        act = self.act_type(name, kind, self.name, self.person, time.monotonic_ns(), request, **details)
        with self.desk.lock:
            self.desk.acts.append(act)
        return act

    def send(self, act, method, path, body, tag=None, success=(200, 201)):
        """Sends an act until its outcome is known, if it has a tag, else once; returns the last response."""
        self.desk.in_flight[self.name] = act.kind
        try:
            return self.send_repeatedly(act, method, path, body, tag, success)
        finally:
            self.desk.in_flight.pop(self.name, None)

    def send_repeatedly(self, act, method, path, body, tag, success):
        maybe_stored = False
        for _ in range(ATTEMPTS):
            try:
                via, answer = self.ask(method, path, body, tag)
            except Unanswered as error:
                maybe_stored = True
                act.answers.append(str(error)[:40])
                if act.kind not in self.tagged:
                    return None
                time.sleep(self.random.uniform(0, 0.3))
                continue
            if answer is None:
                time.sleep(self.random.uniform(0.05, 0.3))
                continue
            status = answer[0]
            act.answers.append(f"{via} {status}")
            if status in success:
                act.outcome, act.returned = "done", time.monotonic_ns()
                return answer
            if status >= 500 or status in (408, 429):
                maybe_stored = True
                if status != 503:
                    self.desk.problems.append(f"{act}: {answer[2][:300]!r}")
                if act.kind not in self.tagged:
                    return None
                time.sleep(self.random.uniform(0.05, 0.3))
                continue
            act.answers[-1] += " " + json.loads(answer[2])["error"]["status"]
            if maybe_stored:
                self.read_back(act, tag)
            else:
                act.outcome, act.returned = "refused", time.monotonic_ns()
            return answer
        return None

    def read_back(self, act, tag=None):
        """The outcome of an act of which an attempt had no answer, and a later one, if any, was refused."""
        request = self.read(act.request) if act.request else None
        act.isReadBack = True
        if act.kind in ("edit", "retitle"):
            is_there = request is not None and request["title"] == act.name
        elif act.kind in ("publish", "bypass"):
            is_there = self.has_published(act, request)
        else:
            is_there = request is not None and act.name in names_in(request)
        if is_there:
            act.outcome, act.returned = "done", time.monotonic_ns()
        elif tag and request is not None and not tag.startswith(f'"{request["etag"].split(".")[0]}'):
            # The tag has changed, so no earlier attempt can take effect. A later edit hides an earlier one.
            if act.kind not in ("edit", "retitle"):
                act.outcome, act.returned = "refused", time.monotonic_ns()

    def has_published(self, act, request):
        """Whether the version of the request, or the newest one without a request, is the one of this act."""
        version = request.get("ending", {}).get("versionNumber") if request else None
        found = (version or not request) and self.get(self.template + (f"?versionNumber={version}" if version else ""))
        if not found or not found[2]["version"].get("description", "").endswith(": " + act.name):
            return False
        act.version = int(found[2]["version"]["versionNumber"])
        return True

    # Acts.

    def current(self):
        """The current version with its tag and values."""
        found = self.get(self.template)
        return found and (int(found[2]["version"]["versionNumber"]), found[1]["ETag"], values_of(found[2]))

    def edit_of(self, act):
        """The body that changes one or two settings of the current version; None without a response."""
        current = self.current()
        if current is None:
            return None
        act.values = {key: act.name for key in self.random.sample(SETTINGS, self.random.choice([1, 1, 2]))}
        return {"title": act.name, "template": template_of(current[2] | act.values), "base": current[1]}

    def create(self):
        act = self.begin("create")
        body = self.edit_of(act)
        if body is None:
            return
        self.is_over.wait(self.random.uniform(0, 0.2))
        answer = self.send(act, "POST", self.requests, body)
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

    def review(self, request):
        """Decides what to do with a request that was read."""
        state, chance = request["state"], self.random.random()
        if state in ("published", "closed", "expired"):
            return None
        if chance < 0.15:
            return self.comment(request)
        if chance < 0.17:
            return self.post("publish", request) if self.role == "publisher" else self.post("approve", request)
        made = [one.get("person") for one in [request["author"], *request["editors"]]]
        mine = [vote for vote in request["votes"] if vote["person"] == self.person]
        if state == "approved" and self.role == "publisher":
            return self.post("publish", request)
        if state == "needsAttention":
            return self.edit(request) if self.person in made or chance < 0.3 else None
        if self.person in made:
            if state == "changesRequested" or chance < 0.3:
                return self.edit(request)
            return self.retitle(request) if chance < 0.36 else self.post("close", request) if chance < 0.46 else None
        if not mine or mine[0].get("outdated") or mine[0]["verdict"] == "requestChanges":
            return self.post("requestChanges" if chance > 0.93 else "approve", request)
        return self.edit(request) if chance > 0.97 else self.retitle(request) if chance > 0.9 else None

    def seen(self, request):
        """What an act on a request records of the state that its actor has seen."""
        return {"content": next(iter(changes_of(request).values()), ""), "seen": int(request["liveVersionNumber"])}

    def post(self, kind, request, **more):
        act = self.begin(kind, request["id"], **self.seen(request))
        answer = self.send(act, "POST", f"{self.requests}/{act.request}:{kind}", {"comment": act.name} | more,
                           f'"{request["etag"]}"')
        if act.outcome != "done":
            return
        if kind == "publish" and answer[0] == 200:
            act.version = int(json.loads(answer[2])["version"]["versionNumber"])
        if kind in ("publish", "close"):
            self.desk.close(act.request)

    def comment(self, request):
        for _ in range(3):
            act = self.begin("comment", request["id"], **self.seen(request))
            self.send(act, "POST", f"{self.requests}/{act.request}/comments", {"text": act.name})
            if act.outcome == "unknown":
                self.read_back(act)
            if act.outcome != "unknown":
                return

    def edit(self, request):
        act = self.begin("edit", request["id"], **self.seen(request))
        body = self.edit_of(act)
        if body is not None:
            self.send(act, "PATCH", f"{self.requests}/{act.request}", body, f'"{request["etag"]}"')

    def retitle(self, request):
        act = self.begin("retitle", request["id"], **self.seen(request))
        self.send(act, "PATCH", f"{self.requests}/{act.request}", {"title": act.name}, f'"{request["etag"]}"')

    def publish_directly(self):
        """A publish past the protection, which must be refused."""
        act = self.begin("direct")
        body = self.edit_of(act)
        if body is not None:
            tag = self.random.choice(["*", body["base"]])
            self.send(act, "PUT", self.template, body["template"], tag)

    def bypass(self, chosen):
        """A program that now and then publishes without approvals, a template or a request."""
        if self.is_over.wait(self.random.uniform(2, 8)):
            return
        request = self.read(chosen) if chosen and self.random.random() < 0.3 else None
        if request is not None and request["state"] not in ("published", "closed", "expired", "needsAttention"):
            act = self.begin("bypass", request["id"], **self.seen(request))
            path, body, method = f"{self.requests}/{act.request}:publish", {"comment": act.name}, "POST"
            tag = f'"{request["etag"]}"'
        else:
            act = self.begin("bypass")
            edit = self.edit_of(act)
            if edit is None:
                return
            path, body, method, tag = self.template, edit["template"], "PUT", edit["base"]
        answer = self.send(act, method, f"{path}?bypass={urllib.parse.quote(act.name)}", body, tag)
        if act.outcome == "done" and answer[0] == 200:
            act.version = int(json.loads(answer[2])["version"]["versionNumber"])
