"""Plants misuses in copies of the sources, and verifies that the check reports each one at its place.

The files of Misuses/Framework are added to a copy of the framework, in which LINES are changed, too.
Each file of Misuses/Alone is compiled separately, because its error would hide others. A line with a
misuse ends with `// misuse`, or with `// misuse on PLATFORM …` if other platforms do not compile it.
"""

import re
import shutil
from pathlib import Path

from retarget import SetupError

MISUSES = Path("Tests/AppleStubs/Misuses")
FRAMEWORK = Path("Sources/ActiveConfig")
# A file, a text that occurs in it once, its replacement, and the platforms that compile it.
LINES = [
    ("Stores/FileSystem.swift", "F_FULLFSYNC)", "F_FULLFSYNK)", None),
    ("Stores/FileSystem.swift", "[.protectionKey:", "[.protectedKey:", "iOS tvOS watchOS visionOS"),
    ("Stores/FileDefaultsStore.swift", ".cachesDirectory", ".cacheDirectory", "tvOS"),
    (
        "Downloaders/URLSessionPool.swift",
        "configuration: configuration, delegate: delegate,",
        "configuration: configuration, delegate: delegates,",
        None,
    ),
]


def check(platform, package):
    """Returns missing and unexpected reports as text."""
    platform.prepare()
    copies = platform.output / "misuses"
    shutil.copytree(FRAMEWORK, copies / "ActiveConfig")
    for path in sorted((MISUSES / "Framework").iterdir()):
        shutil.copy(path, copies / "ActiveConfig")
    for name, old, new, platforms in LINES:
        plant(copies / "ActiveConfig" / name, old, new, platforms)
    target = next(t for t in package.targets if t["name"] == "ActiveConfig")
    # Its dependencies precede it.
    for other in package.targets[: package.targets.index(target)]:
        code, text = platform.compile(package, other, package.sources(other), platform.output)
        if code != 0:
            return text
    wrong = compare(platform, package, target, sorted((copies / "ActiveConfig").rglob("*.swift")))
    for path in sorted((MISUSES / "Alone").iterdir()):
        copy = Path(shutil.copy(path, copies))
        wrong += compare(platform, package, {**target, "name": path.stem}, [copy])
    return "".join(f"{line}\n" for line in wrong)


def plant(path, old, new, platforms):
    text = path.read_text("utf-8")
    if text.count(old) != 1:
        raise SetupError(f"{path.name} does not contain \"{old}\" exactly once; update LINES of self_test.py")
    before, after = text.split(old)
    line, rest = after.split("\n", 1)
    mark = f" // misuse on {platforms}" if platforms else " // misuse"
    path.write_text(f"{before}{new}{line}{mark}\n{rest}", "utf-8")


def compare(platform, package, target, sources):
    """A sentence for each missing error and for each unexpected one."""
    expected = set()
    for path in sources:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if match := re.search(r"// misuse(?: on ([A-Za-z ]+))?$", line):
                if not match[1] or platform.name in match[1].split():
                    expected.add((str(path), number))
    _, text = platform.compile(package, target, sources, platform.output / "misuses")
    text = "".join(platform.unknown_modules(sources)) + text
    found = {
        (match[1], int(match[2])) for match in re.finditer(r"(?m)^(.+?):(\d+):\d+: error:", text)
    }
    return [f"{path}:{line}: not reported" for path, line in sorted(expected - found)] + [
        f"{path}:{line}: reported, but not planted\n{text}" for path, line in sorted(found - expected)
    ]
