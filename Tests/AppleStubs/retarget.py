"""Makes the modules of a Linux toolchain loadable when the compiler targets an Apple platform.

The compiler loads a module only if the module's target has the architecture and the system that it
compiles for. The target is a text inside the module, so for type checking a copy suffices in which
this text is replaced by one of the same length; no code is generated from it. With few exceptions,
the modules have the same declarations on Linux as on Apple's platforms, with the same availability.

Three modules get another name of the same length, because their own name has another meaning on
Apple's platforms: Glibc and FoundationNetworking do not exist there, and Foundation includes the
declarations of FoundationNetworking. Modules/Foundation.swiftinterface and
Modules/Darwin.swiftinterface re-export the renamed modules. The compiler expects NSObject in
ObjectiveC, as on Apple's platforms.
"""

import re
from pathlib import Path

RENAMED = {
    b"Foundation": b"ObjectiveC",
    b"FoundationNetworking": b"FoundationURLSession",
    b"Glibc": b"LibcC",
}
# Modules that Apple does not have, or that the framework does not use.
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
    """The module's bytes for the target, and its entry of RENAMED, if any."""
    if data.count(triple.encode()) != 1:
        raise SetupError(f"the module {name} does not name its target {triple} once")
    # An old version, because the compiler rejects modules for a newer system than the code's target.
    padded = f"{target}1.0".ljust(len(triple), "0")
    if len(padded) != len(triple):
        raise SetupError(f"{padded} does not have the length of {triple}")
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
        raise SetupError(f"the module {name} does not contain its name")
    return data, renamed


def is_identifier(data, start, end):
    """True for an entry of the identifier table, whose entries end with a zero byte."""
    return data[start - 1] == 0 == data[end]


def is_blob(data, start, end):
    """True for the name of the module itself, or of an imported module.

    LLVM's bitstreams align such a blob to 32 bits, pad it with zeros, and put its length before it,
    followed only by the zeros of the alignment.
    """
    length = end - start
    if start % 4 or start < 8 or any(data[end : end + -length % 4]):
        return False
    before = int.from_bytes(data[start - 8 : start], "little")
    shift = before.bit_length() - length.bit_length()
    return shift >= 0 and before >> shift == length
