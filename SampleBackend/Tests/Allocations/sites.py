"""The allocation sites of a program, from the table of Tests/Benchmarks/Sources/AllocationCount/AllocationCount.c."""

import contextlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys

SITES, DEPTH, FLAG = 1 << 14, 30, 16  # Must match AllocationCount.c.
SITE = struct.Struct(f"<3Q{DEPTH}Q")
SHOWN = 40  # Sites that are printed.
# Functions that allocate on behalf of their callers.
ALLOCATORS = re.compile(r"^(_?_?swift_|_dispatch|operator new|malloc|realloc|calloc|posix_memalign)|ManagedBuffer"
                        r"|allocateUninit|_allocate|\.allocate\(")


@contextlib.contextmanager
def unrecorded(_):
    yield


@contextlib.contextmanager
def recorded(backend):
    """Prints the sites that allocate meanwhile."""
    set_flag(backend, 1)
    yield
    set_flag(backend, 0)
    with open(backend.counts, "rb") as file:
        file.seek(FLAG + 8)
        found = [SITE.unpack(file.read(SITE.size)) for _ in range(SITES)]
    found = sorted((entry for entry in found if entry[0]), key=lambda entry: -entry[1])[:SHOWN]
    names = symbols(backend.process.pid, {caller for entry in found for caller in entry[3:] if caller})
    for _, allocations, size, *callers in found:
        frames = [names.get(caller, "?") for caller in callers if caller]
        while len(frames) > 1 and ALLOCATORS.search(frames[0]):
            frames.pop(0)
        print(f"{allocations} allocations, {size} bytes", *frames[:8], sep="\n    ")


def set_flag(backend, value):
    with open(backend.counts, "r+b") as file:
        file.seek(FLAG)
        file.write(value.to_bytes(8, "little"))


def symbols(process, addresses):
    """Names and lines of addresses in a running process."""
    starts, places = {}, {}
    with open(f"/proc/{process}/maps", encoding="utf-8") as file:
        for line in file:
            part, *_, path = line.split()
            if path.startswith("/"):
                low, high = (int(number, 16) for number in part.split("-"))
                starts.setdefault(path, low)
                places.update({
                    # The return address follows the call instruction.
                    address: (path, address - 1 - starts[path]) for address in addresses if low < address <= high})
    tools = os.path.dirname(os.path.realpath(shutil.which("swift")))
    answers = run(os.path.join(tools, "llvm-symbolizer"), "--output-style=JSON", "--functions=linkage", "--no-inlines",
                  lines=[f'"{path}" {place:#x}' for path, place in places.values()])
    found = [next(iter(json.loads(line)["Symbol"]), {}) for line in answers]
    names = run("swift", "demangle", "--simplified", lines=[symbol.get("FunctionName") or "?" for symbol in found])
    return {address: f"{name} ({os.path.basename(symbol.get('FileName') or '')}:{symbol.get('Line', 0)})"
            for address, symbol, name in zip(places, found, names)}


def run(*command, lines):
    return subprocess.run(command, input="\n".join(lines), text=True, check=True,
                          stdout=subprocess.PIPE).stdout.splitlines()
