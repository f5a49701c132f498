#!/usr/bin/env python3
"""Fails if the folders of a module, or the modules of a package, use each other in a cycle, if the class
ActiveConfig has grown, or if a function is too long.

USAGE: Tests/Structure/check.py [SOURCES ...]     default: Sources SampleBackend/Sources
       Tests/Structure/check.py --self-test

A folder is a first-level folder of Sources/MODULE. Files next to the folders form the top level,
which counts as a folder. A folder uses another one if its code names a type that is declared there;
comments and string literals do not count, but code interpolated into strings does. A nested type
counts as its outermost type, and extensions declare nothing. A module uses the modules that it imports.

The table of folders in ARCHITECTURE.md lists a folder below those that it uses.
ActiveConfig has at most 12 stored properties, and at most six files of its module extend it, besides
Fixits.swift, of which nothing can be called: it hands its calls to owners with private state.

A function has at most 60 lines, without blank lines and comments, from its name to its last brace, except
in modules for tests, whose names end in "Testing".

Prints the folders of each module from the bottom to the top, or for each cycle its edges, each with
one place and the type that causes it. Exit codes: 0 nothing found, 1 a cycle, a grown class or a long
function, 64 wrong arguments.
"""

import re
import sys
import tempfile
from pathlib import Path

KEYWORDS = {"struct", "class", "enum", "protocol", "actor", "typealias", "associatedtype"}
PRIVATE = {"private", "fileprivate"}
BETWEEN = {"final", "indirect", "nonisolated"}  # can precede a keyword after these
TOP = "(top level)"

TOKEN = re.compile(
    r"""(?P<line>//[^\n]*)
    |(?P<block>/\*)
    |(?P<string>\#*\"(?:\"\")?)
    |(?P<regex>(?<=[(,=:\[])\s*/(?![\s/*])(?:\\.|[^/\n\\])+/)
    |(?P<name>`?[A-Za-z_][A-Za-z0-9_]*`?)
    |(?P<punct>[{}().])""",
    re.VERBOSE,
)
BLOCK_EDGE = re.compile(r"/\*|\*/")


def tokens(text):
    """The names, braces and dots of Swift code, each with its offset."""
    found = []
    scan(text, 0, found, inside_string=False)
    return found


def scan(text, position, found, inside_string):
    """Scans code to the end, or to the parenthesis that closes an interpolation."""
    depth = 0
    while match := TOKEN.search(text, position):
        position = match.end()
        kind, value = match.lastgroup, match.group()
        if kind == "block":
            position = end_of_block_comment(text, position)
        elif kind == "string":
            position = end_of_string(text, match, found)
        elif kind == "name":
            found.append((value.strip("`"), match.start()))
        elif kind == "punct":
            if value == "(":
                depth += 1
            elif value == ")":
                if inside_string and depth == 0:
                    return position
                depth -= 1
            else:
                found.append((value, match.start()))
    return len(text)


def end_of_block_comment(text, position):
    depth = 1
    while depth and (edge := BLOCK_EDGE.search(text, position)):
        depth += 1 if edge.group() == "/*" else -1
        position = edge.end()
    return position if depth == 0 else len(text)


def end_of_string(text, opening, found):
    """The offset after a string literal; adds the names in its interpolations to found."""
    quotes = opening.group().lstrip("#")
    hashes = "#" * (len(opening.group()) - len(quotes))
    position = opening.end()
    # A single-line literal ends at the end of its line, even if it is not closed.
    line_end = r"|\n" if quotes == '"' else ""
    edge = re.compile(
        rf"\\{hashes}\(|{quotes}{hashes}|\\{hashes}.{line_end}", re.DOTALL
    )
    while match := edge.search(text, position):
        position = match.end()
        if match.group() == f"\\{hashes}(":
            position = scan(text, position, found, inside_string=True)
        elif match.group().startswith(("\"", "\n")):
            return position
    return len(text)


class SourceFile:
    """The declarations, extensions, imports and names of a file."""

    def __init__(self, path, room):
        self.path, self.room = path, room
        self.text = path.read_text(encoding="utf-8")
        self.declared = set()  # outermost types that are visible to other files
        self.local = set()  # names with another meaning in this file
        self.owners = set()  # outermost types declared or extended
        self.nested = []  # (outermost type, nested name)
        self.imports = {}  # module: offset
        self.names = {}  # name: offset of its first mention
        self.read()

    def read(self):
        stream = tokens(self.text)
        depth, owner, is_private = 0, None, False
        index = 0
        while index < len(stream):
            value, offset = stream[index]
            before = stream[index - 1][0] if index else ""
            after = stream[index + 1][0] if index + 1 < len(stream) else ""
            index += 1
            if value == "{":
                depth += 1
            elif value == "}":
                depth -= 1
            elif value == ".":
                continue
            elif value == "import" and depth == 0:
                line_end = self.text.find("\n", offset)
                if after in KEYWORDS | {"func", "let", "var"}:
                    after = stream[index + 1][0]
                self.imports.setdefault(after, offset)
                while index < len(stream) and stream[index][1] < line_end:
                    index += 1
            elif value == "canImport":
                index += 1
            elif value in PRIVATE:
                is_private = depth == 0
                continue
            elif value in KEYWORDS and before != "." and is_type_name(after):
                if depth > 0:
                    self.nested.append((owner, after))
                elif is_private:
                    self.local.add(after)
                    owner = None
                else:
                    owner = after
                    self.declared.add(owner)
                    self.owners.add(owner)
                index += 1
            elif value == "extension" and depth == 0:
                owner = after
                self.owners.add(owner)
            elif is_type_name(value) and before != ".":
                self.names.setdefault(value, offset)
            if value not in BETWEEN:
                is_private = False

    def place(self, offset):
        return f"{self.path}:{self.text.count(chr(10), 0, offset) + 1}"


def is_type_name(name):
    return name[:1].isupper()


class Graph:
    """A graph of uses, with one example for each edge."""

    def __init__(self):
        self.edges = {}

    def add(self, user, used, file, offset, name):
        if user != used:
            self.edges.setdefault(user, {}).setdefault(used, (file, offset, name))

    def cycles(self):
        """A shortest cycle through each pair of neighbours, each cycle once."""
        found = {}
        for start in sorted(self.edges):
            for first in sorted(self.edges[start]):
                if path := self.path(first, start):
                    found.setdefault(frozenset(path), [start, *path])
        # A cycle that contains a shorter one is redundant.
        return [
            cycle for members, cycle in found.items() if not any(other < members for other in found)
        ]

    def path(self, start, goal):
        reached, queue = {start: None}, [start]
        for node in queue:
            if node == goal:
                path = []
                while node is not None:
                    path.insert(0, node)
                    node = reached[node]
                return path
            for following in sorted(self.edges.get(node, {})):
                if following not in reached:
                    reached[following] = node
                    queue.append(following)
        return None

    def order(self, nodes):
        """The nodes from the bottom to the top, for a graph without cycles."""
        ordered, seen = [], set()

        def visit(node):
            if node in seen:
                return
            seen.add(node)
            for used in sorted(self.edges.get(node, {})):
                visit(used)
            ordered.append(node)

        for node in sorted(nodes):
            visit(node)
        return ordered

    def describe(self, cycle):
        lines = []
        for user, used in zip(cycle, cycle[1:]):
            file, offset, name = self.edges[user][used]
            lines.append(f"  {user} uses {used}: {file.place(offset)} names {name}")
        return "\n".join(lines)


def read_module(folder):
    files = []
    for path in sorted(folder.rglob("*.swift")):
        parts = path.relative_to(folder).parts
        files.append(SourceFile(path, parts[0] if len(parts) > 1 else TOP))
    return files


def room_graph(files):
    rooms_of, nested = {}, {}
    for file in files:
        for name in file.declared:
            rooms_of.setdefault(name, set()).add(file.room)
        for owner, name in file.nested:
            if owner is None:
                file.local.add(name)
            else:
                nested.setdefault(owner, set()).add(name)
    graph = Graph()
    for file in files:
        hidden = set(file.local)
        for owner in file.owners:
            hidden |= nested.get(owner, set())
        for name, offset in file.names.items():
            rooms = rooms_of.get(name, ())
            if name not in hidden and file.room not in rooms:
                for room in rooms:
                    graph.add(file.room, room, file, offset, name)
    return graph


FACE = "ActiveConfig"
FACE_PROPERTIES, FACE_EXTENSIONS = 12, 6
STORED_PROPERTY = re.compile(r"^    (?:@\w+ )*(?:[a-z]+(?:\([a-z]+\))? )*(?:let|var) (\w+)(?!.*\{)", re.MULTILINE)


def check_face(files):
    """Prints what is too much in the class ActiveConfig; returns the number of findings."""
    count = 0
    for file in files:
        text = file.path.read_text(encoding="utf-8")
        start = text.find(f"final class {FACE}: ")
        if start < 0:
            continue
        names = STORED_PROPERTY.findall(text[start : text.index("\n}\n", start)])
        if len(names) > FACE_PROPERTIES:
            print(f"{file.path}: {len(names)} stored properties, at most {FACE_PROPERTIES}: {', '.join(names)}")
            count += 1
    extending = [
        file.path.name
        for file in files
        if file.path.name != "Fixits.swift"
        and re.search(rf"^extension {FACE}\b", file.path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    if len(extending) > FACE_EXTENSIONS:
        print(f"{len(extending)} files extend {FACE}, at most {FACE_EXTENSIONS}: {', '.join(extending)}")
        count += 1
    return count


FUNCTION_LINES = 60


def function_lengths(text):
    """The functions of Swift code: name, offset and number of lines of each."""
    stream = tokens(text)
    ends, opened = {}, []
    for index, (value, _) in enumerate(stream):
        if value == "{":
            opened.append(index)
        elif value == "}" and opened:
            ends[opened.pop()] = index
    for index, (value, offset) in enumerate(stream):
        if value not in ("func", "init") or (index and stream[index - 1][0] == "."):
            continue
        # Up to the body, which a requirement of a protocol does not have.
        first = index + 1
        while first < len(stream) and stream[first][0] not in ("}", "func", "init"):
            brace, start = stream[first]
            signature = text[offset:start]
            if brace != "{":
                first += 1
            elif signature.count("(") > signature.count(")"):
                first = ends.get(first, len(stream)) + 1  # The closure is a default argument.
            else:
                end = stream[ends[first]][1] if first in ends else len(text)
                lines = [line.strip() for line in text[offset : end + 1].splitlines()]
                count = sum(bool(line) and not line.startswith("//") for line in lines)
                yield (stream[index + 1][0] if value == "func" else value), offset, count
                break


def check_functions(module, files):
    """Prints the functions of a module that are too long; returns their number."""
    if module.endswith("Testing"):
        return 0
    found = [
        (file, name, offset, count)
        for file in files
        for name, offset, count in function_lengths(file.text)
        if count > FUNCTION_LINES
    ]
    for file, name, offset, count in found:
        print(f"{file.place(offset)}: {name} has {count} lines, at most {FUNCTION_LINES}")
    return len(found)


def check_table(graph, page):
    """Prints uses of a folder that the page lists below its user; returns their number."""
    if not page.exists():
        return 0
    listed = re.findall(r"^\| `(\w+)/` \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    wrong = {
        (user, used)
        for user, edges in graph.edges.items()
        for used in edges
        if user in listed and used in listed and listed.index(used) > listed.index(user)
    }
    for user, used in sorted(wrong):
        print(f"{page} lists {used}/ below {user}/, which uses it")
    return len(wrong)


def check(sources):
    """Prints the findings in a package's Sources folder; returns their number."""
    modules = {folder.name: read_module(folder) for folder in sorted(sources.iterdir()) if folder.is_dir()}
    imports, count = Graph(), 0
    for module, files in modules.items():
        for file in files:
            for name, offset in file.imports.items():
                if name in modules:
                    imports.add(module, name, file, offset, name)
        graph = room_graph(files)
        cycles = graph.cycles()
        for cycle in cycles:
            print(f"{sources}/{module}: folders use each other in a cycle")
            print(graph.describe(cycle))
        rooms = {file.room for file in files}
        if not cycles and len(rooms) > 1:
            print(f"{sources}/{module}: {' < '.join(graph.order(rooms))}")
        count += len(cycles) + check_functions(module, files)
        if module == FACE:
            count += check_face(files) + check_table(graph, sources.parent / "ARCHITECTURE.md")
    cycles = imports.cycles()
    for cycle in cycles:
        print(f"{sources}: modules use each other in a cycle")
        print(imports.describe(cycle))
    return count + len(cycles)


def long_function(lines, signature="func long(a: () -> Void = {})"):
    """A method with this number of lines, and with lines that do not count."""
    body = "".join(f"        let a{number} = {number}\n" for number in range(lines - 2))
    return f"struct Long {{\n    {signature} {{\n        // Why.\n\n{body}    }}\n}}\n"


CLEAN = {
    "Base/Low/Lock.swift": "struct Lock { struct Key {} }\nprivate struct State {}\n",
    # Comments, strings and nested types of the same name do not count as uses.
    "Base/Low/Text.swift": '// High\n/* High /* High */ High */\nlet a = "High"\nlet b = #"High \\(High)"#\n'
    'let c = """\n  High "High"\n  """\nenum Text { struct Nested {} }\nextension Text { typealias Top = Int; var d: Top }\n',
    "Base/High/High.swift": 'struct High { let lock: Lock.Key; let text = "\\(Text("High"))" }\nprivate struct State {}\n',
    "Base/Top.swift": "struct Top { let high: High; let lock: Lock }\n",
    "App/Main.swift": "import Base\nstruct Main {}\n",
    "App/Long.swift": long_function(60) + "protocol P {\n    func f()\n    init()\n}\n",
    "BaseTesting/Long.swift": long_function(61),
    "ActiveConfig/ActiveConfig.swift": "public final class ActiveConfig: Sendable {\n"
    + "".join(f"    private let p{number}: Int\n" for number in range(12))
    + "    var computed: Int { 1 }\n    package var other: Int {\n        2\n    }\n    func f() { let a = 1 }\n}\n",
    "ActiveConfig/Fixits.swift": "extension ActiveConfig {}\n",
    **{f"ActiveConfig/F{number}.swift": "extension ActiveConfig {}\nextension ActiveConfigOptions {}\n" for number in range(6)},
}
PLANTED = {
    "a nested type": {"Base/Low/Text.swift": "enum Text { func f(_: High.Part) {} }\n"},
    "an extension": {"Base/Low/Lock+High.swift": "extension High { var isLow: Bool { true } }\n"},
    "an interpolation": {"Base/Low/Text.swift": 'enum Text { let a = "a \\("b" + f(High.self)) c" }\n'},
    "the top level": {"Base/Low/Text.swift": "enum Text { let top: Top? }\n"},
    "a cycle of three": {
        "Base/Low/Text.swift": "enum Text { let middle: Middle }\n",
        "Base/Middle/Middle.swift": "struct Middle { let high: High }\n",
    },
    "modules": {"Base/Top.swift": "internal import App\nstruct Top {}\n"},
    "a class of 13 stored properties": {
        "ActiveConfig/ActiveConfig.swift": "public final class ActiveConfig: Sendable {\n"
        + "".join(f"    private let p{number}: Int\n" for number in range(13))
        + "    var computed: Int { 1 }\n}\n"
    },
    "a folder listed above one that it uses": {
        "../ARCHITECTURE.md": "| `High/` | what |\n| `Low/` | what |\n",
        "ActiveConfig/Low/Low.swift": "struct Low {}\n",
        "ActiveConfig/High/High.swift": "struct High { let low: Low }\n",
    },
    "a function of 61 lines": {"App/Long.swift": long_function(61)},
    "an initializer of 61 lines": {"App/Long.swift": long_function(61, "init()")},
    "seven extensions": {"ActiveConfig/E.swift": "extension ActiveConfig {\n    var a: Int { 1 }\n}\n"},
}


def self_test():
    """Checks a clean tree and trees with a planted fault; returns the number of wrong results."""
    faults = 0
    for name, planted in {"a clean tree": {}, **PLANTED}.items():
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {**CLEAN, **planted}.items():
                file = Path(folder, "Sources", path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            count = check(Path(folder, "Sources"))
        passes = (count > 0) == bool(planted)
        print(f"{'ok' if passes else 'FAILED'}: {name}, {count} found\n")
        faults += not passes
    return faults


def main(arguments):
    if arguments == ["--self-test"]:
        return 1 if self_test() else 0
    folders = [Path(argument) for argument in arguments or ["Sources", "SampleBackend/Sources"]]
    for folder in folders:
        if not folder.is_dir():
            print(f"check.py: {folder} is not a folder of sources; see the head of this script", file=sys.stderr)
            return 64
    return 1 if sum(check(folder) for folder in folders) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
