"""Histories of a template: the requests and responses of clients, one JSON object per line.

  {"op": "start", "version": 0, "content": null}
  {"op": "publish", "client", "via", "invoked", "returned", "expected": 7, "content": "c1-4",
   "outcome": "stored", "version": 8}
  {"op": "read", "client", "via", "invoked", "returned", "version": 8, "content": "c1-4"}
  {"op": "document", "via", "invoked", "returned", "version": 8}
  {"op": "stored", "version": 8, "content": "c1-4"}, {"op": "audit", "version": 8, "content": "c1-4"}

Times are nanoseconds of one monotonic clock. The content of each publish is unique. Its outcome is

  stored    it is version `version`
  mismatch  another version than `expected` was current; `version` is that version, if present
  refused   it was refused for another reason, or not sent: it is never stored
  unknown   no response, or an inconclusive one: it may be stored once at any later time, or never

"read" is a read of the store, "document" a read of a replica's memory. "stored" and "audit" are the
versions and the entries of the audit at the end, oldest first; older versions may have been pruned.
"""

import json
import threading
from dataclasses import asdict, dataclass, field


@dataclass
class Operation:
    op: str
    invoked: int
    returned: int | None = None
    client: str = ""
    via: str = ""
    expected: int | None = None
    content: str | None = None
    outcome: str = ""
    version: int | None = None

    def __str__(self):
        what = f"{self.op} {self.content}" if self.op == "publish" else self.op
        base = f" over version {self.expected}" if self.op == "publish" else ""
        result = self.outcome or "ok"
        if self.version is not None:
            result += f" (version {self.version})"
        end = "…" if self.returned is None else f"{self.returned / 1e9:.3f}"
        return f"[{self.invoked / 1e9:.3f}–{end} s, {self.client} via {self.via}] {what}{base}: {result}"


@dataclass
class History:
    start: tuple[int, str | None] = (0, None)
    operations: list[Operation] = field(default_factory=list)
    stored: list[tuple[int, str]] = field(default_factory=list)
    audit: list[tuple[int, str]] = field(default_factory=list)

    @staticmethod
    def read(lines):
        """A history of JSON lines."""
        history = History()
        for line in filter(str.strip, lines):
            record = json.loads(line)
            match record["op"]:
                case "start":
                    history.start = record["version"], record["content"]
                case "stored" | "audit" as name:
                    getattr(history, name).append((record["version"], record["content"]))
                case _:
                    history.operations.append(Operation(**record))
        return history

    def lines(self):
        yield json.dumps({"op": "start", "version": self.start[0], "content": self.start[1]})
        for operation in self.operations:
            yield json.dumps({key: value for key, value in asdict(operation).items() if value not in (None, "")})
        for name in "stored", "audit":
            for version, content in getattr(self, name):
                yield json.dumps({"op": name, "version": version, "content": content})


class Recorder:
    """A history that several threads record."""

    def __init__(self):
        self.history = History()
        self.lock = threading.Lock()

    def add(self, operation):
        with self.lock:
            self.history.operations.append(operation)

    def newest_stored(self):
        """The newest acknowledged version, or version read from the store."""
        with self.lock:
            return max((operation.version for operation in self.history.operations
                        if operation.op == "read" or operation.outcome == "stored"), default=0)
