"""Relays TCP connections on loopback and breaks them: relay.py, with one JSON command per line of standard input.

  {"open": "r1-m1", "target": 2379}   listens; responds with {"port": N}. "*-m1": for several sources, distinguished by
                                      the processes of the connections
  {"pids": {"m1": 4711}}              sets the processes of such sources
  {"down": 2379}, {"up": 2379}        stops listening for a target, so that connections are refused; listens again
  {"break": "name", "links": ["m1-*", "*-m1"], "mode": "hold", …}   breaks all links that match
  {"heal": "name"}                    ends the break; held data is sent now

Modes: "hold" forwards nothing, keeps connections open, and accepts new ones, as if packets were lost. With
"direction" "up" (to the target) or "down", only that way. "refuse" resets the connections, and new ones.
"cut" forwards "bytes" per direction and connection, then resets it. "delay" forwards data "seconds" later.
"forget" freezes existing connections permanently, even after the break; new ones are not affected.

Every command has a response line. The bytes of a client that gives up on a held connection are still sent when
the break ends, as over a network that delivers late.
"""

import asyncio
import json
import os
import socket
import struct
import sys
from contextlib import suppress
from fnmatch import fnmatch


def source_of(port, pids):
    """The name of the process that has a connection from this port of 127.0.0.1, or "?"."""
    with open("/proc/net/tcp", encoding="ascii") as file:
        ending = f":{port:04X}"
        inode = next((line.split()[9] for line in file if line.split()[1].endswith(ending)), None)
    for name, pid in pids.items():
        with suppress(OSError):
            for descriptor in os.listdir(f"/proc/{pid}/fd"):
                with suppress(OSError):
                    if os.readlink(f"/proc/{pid}/fd/{descriptor}") == f"socket:[{inode}]":
                        return name
    return "?"


class Connection:
    def __init__(self, link, writers):
        self.link, self.writers = link, writers
        self.is_forgotten = False
        self.passed = {"up": 0, "down": 0}

    def reset(self):
        for writer in self.writers:
            with suppress(OSError):
                writer.get_extra_info("socket").setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()


class Relay:
    def __init__(self):
        self.breaks, self.pids = {}, {}
        self.servers = {}  # By link and target.
        self.connections = set()
        self.changed = asyncio.Event()

    def broken(self, link, mode):
        """The active break with a mode for a link, or None."""
        return next((found for found in self.breaks.values() if found["mode"] == mode
                     and any(fnmatch(link, pattern) for pattern in found["links"])), None)

    async def command(self, command):
        if "open" in command:
            return {"port": await self.open(command["open"], command["target"])}
        for (link, target), (server, port) in list(self.servers.items()):
            if command.get("down") == target and server is not None:
                server.close()
                self.servers[link, target] = None, port
            if command.get("up") == target and server is None:
                await self.open(link, target, port)
        self.pids.update(command.get("pids", {}))
        if "break" in command:
            self.breaks[command["break"]] = command
            for connection in list(self.connections):
                if self.broken(connection.link, "refuse"):
                    connection.reset()
                if self.broken(connection.link, "forget"):
                    connection.is_forgotten = True
        self.breaks.pop(command.get("heal"), None)
        self.changed.set()
        self.changed = asyncio.Event()
        return {}

    async def open(self, link, target, port=0):
        server = await asyncio.start_server(
            lambda reader, writer: self.serve(link, target, reader, writer), "127.0.0.1", port)
        port = server.sockets[0].getsockname()[1]
        self.servers[link, target] = server, port
        return port

    async def serve(self, link, port, reader, writer):
        if link.startswith("*-"):
            source = source_of(writer.get_extra_info("peername")[1], self.pids)
            link = source + link.removeprefix("*")
        connection = Connection(link, [writer])
        if self.broken(link, "refuse"):
            return connection.reset()
        try:
            target_reader, target_writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return connection.reset()
        connection.writers.append(target_writer)
        self.connections.add(connection)
        try:
            await asyncio.gather(self.pump(connection, "up", reader, target_writer),
                                 self.pump(connection, "down", target_reader, writer))
        except OSError:
            connection.reset()
        finally:
            self.connections.discard(connection)
            for end in connection.writers:
                end.close()

    async def pump(self, connection, direction, reader, writer):
        while data := await reader.read(65536):
            data = await self.admit(connection, direction, data)
            writer.write(data)
            await writer.drain()
        await self.admit(connection, direction, b"")
        with suppress(OSError):
            writer.write_eof()

    async def admit(self, connection, direction, data):
        """Waits until data may pass; returns it, or raises an error when the connection is cut."""
        while connection.is_forgotten or (
                (held := self.broken(connection.link, "hold")) and held.get("direction", direction) == direction):
            await self.changed.wait()
        if delayed := self.broken(connection.link, "delay"):
            await asyncio.sleep(delayed["seconds"])
        if cut := self.broken(connection.link, "cut"):
            left = cut["bytes"] - connection.passed[direction]
            connection.passed[direction] += len(data)
            if left < len(data):
                writer = connection.writers[1 if direction == "up" else 0]
                writer.write(data[:max(0, left)])
                await asyncio.sleep(0.01)  # Lets the bytes be sent before the reset.
                raise ConnectionResetError
        return data


async def main():
    relay, loop = Relay(), asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        print(json.dumps(await relay.command(json.loads(line))), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
