"""Users who listen to their documents' changes at the replicas, as apps do, and the received changes.

Each downloads its document, opens a stream with the document's version as Last-Event-ID, applies the changed
sections, and reconnects at another replica when the stream ends or is silent for too long.
"""

import asyncio
import json
import random
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

from registers import GROUPS, settings as settings_for

SILENCE = 35  # Seconds of silence: two heartbeats (15 s) and some more.
ANSWER = 20  # Time limit of a download, in seconds.


@dataclass(frozen=True)
class Seen:
    """A document of a user, from an event or a download."""

    moment: int  # ns
    version: int
    settings: dict
    name: str


@dataclass
class User:
    number: int
    replica: int
    group: str
    version: int = 0
    settings: dict = field(default_factory=dict)
    seen: list = field(default_factory=list)

    @property
    def target(self):
        return f"/activeconfig/user/u{self.number}{{}}?signal.group={self.group}"

    def take(self, version, settings, name):
        self.version, self.settings = version, settings
        self.seen.append(Seen(time.monotonic_ns(), version, settings, name))


def settings_of(sections):
    """The settings of a document, or of an event's changed sections, by section; None for removed ones."""
    return {name: section and {key: setting["value"] for key, setting in section["settings"].items()}
            for name, section in sections.items()}


class Streams:
    """The users' streams, on a separate thread."""

    def __init__(self, ports, count, seed, are_deaf=False):
        self.ports, self.random, self.are_deaf = ports, random.Random(seed), are_deaf
        self.users = [User(number, number % len(ports), str(number % GROUPS)) for number in range(count)]
        self.counts = Counter()
        self.open = 0
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def start(self):
        self.thread.start()

    def run(self):
        asyncio.set_event_loop(self.loop)
        self.tasks = [self.loop.create_task(self.live(user)) for user in self.users]
        with suppress(asyncio.CancelledError):
            self.loop.run_until_complete(asyncio.gather(*self.tasks))

    def end(self):
        self.loop.call_soon_threadsafe(lambda: [task.cancel() for task in self.tasks])
        self.thread.join()

    async def live(self, user):
        while True:
            if not user.seen:
                await self.fetch(user, "document")
            else:
                with suppress(OSError, EOFError, ValueError, TimeoutError):
                    await self.listen(user)
                self.counts["ended"] += 1
                user.replica = (user.replica + 1) % len(self.ports)
            await asyncio.sleep(self.random.uniform(0.1, 0.5))

    async def fetch(self, user, name):
        """Downloads the document; does nothing if that fails."""
        try:
            async with asyncio.timeout(ANSWER):
                reader, writer = await self.connect(user, "", "Connection: close\r\n")
                length = next(int(line.split(b":")[1]) for line in await self.head(reader)
                              if line.lower().startswith(b"content-length:"))
                document = json.loads(await reader.readexactly(length))
                writer.close()
        except (OSError, EOFError, ValueError, TimeoutError, StopIteration):
            self.counts["failed documents"] += 1
            user.replica = (user.replica + 1) % len(self.ports)
            return
        user.take(document["meta"]["template_version"], settings_of(document["config_sections"]), name)

    async def connect(self, user, path, fields):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.ports[user.replica])
        writer.write(f"GET {user.target.format(path)} HTTP/1.1\r\nHost: 127.0.0.1\r\n{fields}\r\n".encode())
        return reader, writer

    @staticmethod
    async def head(reader):
        lines = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
        if b" 200 " not in lines[0]:
            raise ValueError(lines[0])
        return lines

    async def listen(self, user):
        """Handles events until the stream ends or is silent."""
        reader, writer = await self.connect(user, "/events", f"Last-Event-ID: {user.version}\r\n")
        try:
            async with asyncio.timeout(ANSWER):
                await self.head(reader)
            self.open += 1
            try:
                text = b""
                while True:
                    async with asyncio.timeout(SILENCE):
                        size = int(await reader.readline(), 16)
                        text += (await reader.readexactly(size + 2))[:-2]
                    if size == 0:
                        return
                    *events, text = text.split(b"\n\n")
                    for event in events:
                        await self.take(user, event.decode())
            finally:
                self.open -= 1
        finally:
            writer.close()

    async def take(self, user, event):
        fields = dict(line.split(": ", 1) for line in event.split("\n") if ": " in line and not line.startswith(":"))
        name = fields.get("event")
        if name is None:
            return
        self.counts[name] += 1
        if name == "reset":
            await self.fetch(user, "reset")
        elif name == "update" and not (self.are_deaf and self.random.random() < 0.003):
            sections = json.loads(fields["data"])["sections"]
            user.take(int(fields["id"]), user.settings | settings_of(sections), "update")


class StreamCheck:
    """Checks that each user has the document of its version after each event, and receives all changes in time.

    `truth` has the values of each version; `acknowledged` the time in ns when a publish was acknowledged, by version;
    `allowed` returns, for such a time, the deadline for all users. A version may be part of the update of a later
    one; a lost update is detected, since later ones only contain the sections that changed since.
    """

    def __init__(self, users, truth, acknowledged, allowed):
        self.truth, self.acknowledged, self.allowed = truth, acknowledged, allowed
        self.versions = sorted(truth)
        self.problems, self.delays, self.counts = [], [], Counter()
        for user in users:
            changes = [version for before, version in zip(self.versions, self.versions[1:])
                       if self.document(user, version) != self.document(user, before)]
            self.check_documents(user)
            self.check_updates(user, changes)
            self.check_times(user, changes)

    def document(self, user, version):
        return settings_for(self.truth[version], user.group)

    def check_documents(self, user):
        for seen in user.seen:
            if seen.version not in self.truth:
                self.problems.append(f"user {user.number} has the unknown version {seen.version}")
            elif seen.settings != self.document(user, seen.version):
                self.problems.append(f"user {user.number}, version {seen.version} by {seen.name}: {seen.settings}")
        if not user.seen:
            self.problems.append(f"user {user.number} never had a document")
        elif user.settings != self.document(user, self.versions[-1]):
            self.problems.append(f"user {user.number} has version {user.version} at the end, of {self.versions[-1]}")

    def check_updates(self, user, changes):
        for before, seen in zip(user.seen, user.seen[1:]):
            self.counts["gone back"] += seen.version < before.version
            if seen.name != "update":
                continue
            changed = sum(before.version < change <= seen.version for change in changes)
            self.counts["updates"] += 1
            self.counts["updates without a change"] += changed == 0
            self.counts["versions within a later one's update"] += max(0, changed - 1)

    def check_times(self, user, changes):
        arrivals = iter(user.seen)
        arrival = next(arrivals, None)
        first = arrival.version if arrival else self.versions[-1]
        for change in changes:
            if change <= first or change not in self.acknowledged:
                continue
            while arrival is not None and arrival.version < change:
                arrival = next(arrivals, None)
            if arrival is None:
                return
            published = self.acknowledged[change]
            self.delays.append((arrival.moment - published) / 1e6)
            if arrival.moment > self.allowed(published):
                self.problems.append(
                    f"user {user.number} had version {change} {self.delays[-1] / 1000:.1f} s after its publish")

    @property
    def figures(self):
        delays = sorted(self.delays)
        times = {f"{name}, ms": round(delays[int((len(delays) - 1) * part)])
                 for name, part in (("p50", 0.5), ("p99", 0.99), ("last", 1))} if delays else {}
        return dict(self.counts) | times
