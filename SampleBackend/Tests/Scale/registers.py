"""The register that publishers use: a template, through the administration of a replica, or keys in etcd.

A register has `read(timeout)`, the current version and its content's name, and `publish(expected, content, values,
timeout)`, the outcome (history.py) and the version that is stored, or that was current instead. `read` raises
Unanswered. A register is used by one thread at a time.
"""

import base64
import http.client
import json
import re
import time

PROJECT = "/v1/projects/default/remoteConfig"
GROUPS = 10  # Of users.
SECTIONS = "ABC"  # Each has a value for each group; the section Common has one for all users.


class Unanswered(Exception):
    """There was no response, or an inconclusive one."""


class Link:
    """A kept-alive connection to a server."""

    def __init__(self, port):
        self.port, self.connection = port, None

    def ask(self, method, path, body=None, fields=None, timeout=5.0):
        """The status, the fields and the body of a response; None if the request was not sent."""
        try:
            if self.connection is None:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
                connection.connect()
                self.connection = connection
        except OSError:
            return None
        try:
            self.connection.sock.settimeout(timeout)
            self.connection.request(method, path, body, fields or {})
            answer = self.connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Unanswered(str(error) or type(error).__name__) from error
        if answer.will_close:
            self.close()
        return answer.status, answer.headers, content

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


def template(content, values):
    """A template with the values by their names: "all", and "A.0" of section A for group 0, and so on."""
    def section(name):
        own = {f"group {group}": {"value": values[f"{name}.{group}"]} for group in range(GROUPS)}
        return {"parameters": {"own": {"defaultValue": {"value": "none"}, "conditionalValues": own}}}
    return {
        "conditions": [
            {"name": f"group {group}", "expression": f"app.customSignal['group'].exactlyMatches(['{group}'])"}
            for group in range(GROUPS)],
        "parameterGroups": {"Common": {"parameters": {"all": {"defaultValue": {"value": values["all"]}}}}}
        | {name: section(name) for name in SECTIONS},
        "version": {"description": content}}


def settings(values, group):
    """The settings that a template with these values gives to a user of a group, by section."""
    return {"Common": {"all": values["all"]}} | {name: {"own": values[f"{name}.{group}"]} for name in SECTIONS}


class TemplateRegister:
    """The template of a project, through a replica; the content's name is the version's description."""

    def __init__(self, name, port, token):
        self.name, self.link = name, Link(port)
        self.fields = {"Authorization": "Bearer " + token}
        self.outcomes = {}

    def read(self, timeout):
        answer = self.link.ask("GET", PROJECT, fields=self.fields, timeout=timeout)
        if answer is None or answer[0] != 200:
            raise Unanswered(f"a read was answered with {answer and answer[0]}")
        version = json.loads(answer[2])["version"]
        return int(version["versionNumber"]), version["description"]

    def publish(self, expected, content, values, timeout):
        fields = self.fields | {"If-Match": f'"etag-default-{expected}"'}
        try:
            answer = self.link.ask("PUT", PROJECT, json.dumps(template(content, values)), fields, timeout)
        except Unanswered as error:
            return self.count(type(error.__cause__).__name__, "unknown")
        if answer is None:
            return self.count("not sent", "refused")
        status, _, body = answer
        if status == 200:
            return self.count(status, "stored", int(json.loads(body)["version"]["versionNumber"]))
        if status == 412:
            current = re.search(rb"is (\d+)", body)
            return self.count(status, "mismatch", int(current[1]) if current else None)
        return self.count(status, "refused" if 400 <= status < 500 and status not in (408, 429) else "unknown")

    def count(self, what, outcome, version=None):
        self.outcomes[str(what)] = self.outcomes.get(str(what), 0) + 1
        return outcome, version

    def list(self, what, member, pages):
        """All entries of a list, in pages, oldest first."""
        entries, token = [], ""
        while token is not None:
            path = f"{what}?pageSize={pages}{token and '&pageToken=' + token}"
            answer = self.link.ask("GET", path, fields=self.fields)
            if answer is None or answer[0] != 200:
                raise Unanswered(f"{what} was answered with {answer and answer[0]}")
            page = json.loads(answer[2])
            entries += page.get(member, [])
            token = page.get("nextPageToken")
        return entries[::-1]

    def stored(self):
        return [(int(version["versionNumber"]), version["description"])
                for version in self.list(PROJECT + ":listVersions", "versions", 300)]

    def audit(self):
        return [(int(entry["subject"]), entry["detail"]) for entry in self.list(
            PROJECT.replace("remoteConfig", "audit"), "entries", 1000) if entry["action"] == "PUBLISH"]


def encoded(value):
    return base64.b64encode(json.dumps(value).encode()).decode()


def key(*parts):
    return base64.b64encode("/".join(["register", *parts]).encode()).decode()


POINTER, VERSIONS, VERSIONS_END = key("pointer"), key("version", ""), key("version0")


class EtcdRegister:
    """A register in etcd, with guarded transactions, as a store on etcd must write it; to check the harness.

    With `planted` it violates this: "retry" publishes again, over the version that it then reads, after
    an unknown outcome; "acknowledge" hardly waits for the outcome, and assumes success; "stale" reads the state of one
    member.
    """

    def __init__(self, name, ports, planted=None):
        self.name, self.planted = name, planted
        self.links = [Link(port) for port in ports]
        self.revisions = {}  # Modification revisions of the pointer, by version.
        self.outcomes = {}

    def ask(self, path, body, end, timeout=1.5):
        """The first response of any member until `end`; raises Unanswered. Only for reads and repeatable requests."""
        while True:
            link = self.links[0]
            try:
                answer = link.ask("POST", "/v3/kv/" + path, json.dumps(body), timeout=timeout)
                if answer is not None and answer[0] == 200:
                    return json.loads(answer[2])
            except Unanswered:
                pass
            self.links.append(self.links.pop(0))
            if time.monotonic() > end:
                raise Unanswered("no member answered")
            time.sleep(0.05)

    def read(self, timeout):
        body = {"key": POINTER, "serializable": self.planted == "stale"}
        return self.pointer(self.ask("range", body, time.monotonic() + timeout)["kvs"][0])

    def pointer(self, pair):
        pointer = json.loads(base64.b64decode(pair["value"]))
        self.revisions[pointer["version"]] = pair["mod_revision"]
        return pointer["version"], pointer["content"]

    def publish(self, expected, content, values, timeout):
        end = time.monotonic() + timeout
        outcome, version = self.transaction(expected, content, end)
        if outcome == "unknown" and self.planted == "acknowledge":
            return "stored", expected + 1
        if outcome == "unknown" and self.planted == "retry":
            try:
                outcome, version = self.transaction(self.read(timeout)[0], content, end + timeout)
            except Unanswered:
                pass
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
        return outcome, version

    def transaction(self, expected, content, end):
        version = key("version", f"{expected + 1:010}")
        pointer = encoded({"version": expected + 1, "content": content})
        body = {
            "compare": [{"key": POINTER, "target": "MOD", "mod_revision": self.revisions[expected]}],
            "success": [{"request_put": {"key": POINTER, "value": pointer}},
                        {"request_put": {"key": version, "value": encoded(content)}}],
            "failure": [{"request_range": {"key": POINTER}}, {"request_range": {"key": version}}]}
        # With a planted fault, the client gives up at the first missing response, or hardly waits.
        end = time.monotonic() if self.planted else end
        try:
            answer = self.ask("txn", body, end, timeout=0.002 if self.planted == "acknowledge" else 1.5)
        except Unanswered:
            return "unknown", None
        if answer.get("succeeded"):
            return "stored", expected + 1
        pointer, entry = (response["response_range"].get("kvs", [None])[0] for response in answer["responses"])
        if entry and json.loads(base64.b64decode(entry["value"])) == content:
            return "stored", expected + 1
        return "mismatch", self.pointer(pointer)[0]

    def start(self, content):
        """Writes the first version."""
        self.revisions[0] = "0"
        self.transaction(0, content, time.monotonic() + 60)

    def stored(self):
        answer = self.ask("range", {"key": VERSIONS, "range_end": VERSIONS_END}, time.monotonic() + 60)
        pairs = [(base64.b64decode(pair["key"]).decode(), base64.b64decode(pair["value"])) for pair in answer["kvs"]]
        return [(int(name.rsplit("/", 1)[1]), json.loads(content)) for name, content in pairs]

    audit = stored

