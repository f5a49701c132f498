"""Makes the modules of a Linux toolchain loadable when the compiler targets an Apple platform.

The compiler loads a module only if its target's architecture and system are the ones that it
compiles for. That target is a text inside the module, so a copy in which the text is replaced by one
of the same length will do for type checking; no code is generated from it. The modules declare on
Linux, with few exceptions, what they declare on Apple's platforms, with the same availability.

Three modules get another name of the same length, since their own name means something else to code
for Apple's platforms: there is no Glibc and no FoundationNetworking, and Foundation also has what is
in FoundationNetworking. Modules/Foundation.swiftinterface and Modules/Darwin.swiftinterface put
them together again. NSObject is in ObjectiveC there too, and the compiler knows that.
"""

import re
from pathlib import Path

RENAMED = {
    b"Foundation": b"ObjectiveC",
    b"FoundationNetworking": b"FoundationURLSession",
    b"Glibc": b"LibcC",
}
# Apple has no such modules, or the framework does not use them.
ABSENT = {"Cxx", "CxxStdlib", "FoundationXML", "XCTest", "_Differentiation"}


class SetupError(Exception):
    """The check cannot run."""


def retarget_modules(library, triple, target, folder):
    """Copies the modules for `triple` from the folder `library`, such as usr/lib/swift/linux.

    `target` is a triple without version, such as arm64-apple-ios.
    """
    found = set()
    for source in sorted(library.glob(f"*.swiftmodule/{triple}.swiftmodule")):
        name = source.parent.stem
        if name in ABSENT:
            continue
        data, renamed = retarget(source.read_bytes(), name, triple, target)
        found |= renamed
        destination = folder / f"{RENAMED.get(name.encode(), name.encode()).decode()}.swiftmodule"
        destination.mkdir(parents=True, exist_ok=True)
        (destination / f"{target}.swiftmodule").write_bytes(data)
    if found != set(RENAMED):
        raise SetupError(f"{library} has no modules for {triple} that can be retargeted")


def retarget(data, name, triple, target):
    """The module's bytes for the target, and which of RENAMED it is, if any."""
    if data.count(triple.encode()) != 1:
        raise SetupError(f"the module {name} does not name its target {triple} once")
    # An old version, since a module for a newer system than the code's is refused.
    padded = f"{target}1.0".ljust(len(triple), "0")
    if len(padded) != len(triple):
        raise SetupError(f"there is no place for {padded} where {triple} stands")
    data = data.replace(triple.encode(), padded.encode())

    renamed = set()

    def rename(match):
        old = match.group()
        if is_blob(data, *match.span()):
            if old == name.encode():
                renamed.add(old)
        elif not is_identifier(data, *match.span()):
            return old
        return RENAMED[old]

    data = re.sub(rb"(?:Foundation(?:Networking)?|Glibc)(?![A-Za-z])", rename, data)
    if name.encode() in RENAMED and not renamed:
        raise SetupError(f"the module {name} does not say its name")
    return data, renamed


def is_identifier(data, start, end):
    """True for an entry of the table of identifiers, in which each ends with a zero."""
    return data[start - 1] == 0 == data[end]


def is_blob(data, start, end):
    """True for the name of the module itself, or of one that it imports.

    LLVM's bitstreams align such a blob to 32 bits, fill it up with zeros, and put its length before
    it, followed by zeros only up to the alignment.
    """
    length = end - start
    if start % 4 or start < 8 or any(data[end : end + -length % 4]):
        return False
    before = int.from_bytes(data[start - 8 : start], "little")
    shift = before.bit_length() - length.bit_length()
    return shift >= 0 and before >> shift == length
