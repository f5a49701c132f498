#!/usr/bin/env python3
"""Compiles the Swift code in the documentation exactly as it is shown.

USAGE: Tests/Examples/check.py [FILE ...]     default: all Markdown of the project, and doc comments
       Tests/Examples/check.py --self-test

Checks each block of Swift in Markdown files, in doc comments of Sources, and in the console's page of an
empty project:

- A block whose first line is a comment with a file name, such as `// App.swift`, is a whole file: it is
  compiled as a separate module, and nothing is added. `// main.swift` is a program. A file that imports
  SwiftUI or UIKit is compiled twice, with the settings of a package and with those of a new Xcode project.
- `// Package.swift` is a whole manifest: the package manager loads it, and the products that it uses from
  this package must exist.
- A file that imports a package other than this one must have the same content as the file of its name in
  Tests/SwiftConfiguration/Sources/Shop, or with a module of the backend in
  SampleBackend/Tests/ActiveConfigEvaluationTests/Examples, which is compiled with that package and tested there.
- Every other block of an article sees the imports and the declarations of the blocks before it, and the
  values of Prelude.swift; in a catalog also the catalog's module, and what that depends on. Its statements
  are the body of a function. A later declaration of the same name replaces the earlier one.
- A block in a doc comment stands alone. It sees its own module, what that depends on, Foundation, and the
  values of Prelude.swift and DocComments.swift; `…` stands for code that is left out.

An article is a module, so two articles may declare the same name. Code that imports one of Apple's
frameworks is typechecked against Tests/AppleStubs; on a Mac it is compiled. ACTIVECONFIG_BUILD names the
folder of a finished build; without it the package is built.

Prints the compiler's errors with the file and line of the documentation. Exit codes: 0 all compile,
1 some do not, 64 wrong arguments, 69 a tool cannot be set up.
"""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path("Tests/Examples")
WORK = Path(".build/examples")
ON_MAC = sys.platform == "darwin"
CONSOLE = Path("SampleBackend/Sources/Console/Pages/app-lines.swift.txt")
APPLE = {"AppKit", "CryptoKit", "Network", "SwiftUI", "UIKit", "WatchKit", "os"}
# Modules of other packages, and the targets with the files that import them.
FILES_WITH_PACKAGES = Path("Tests/SwiftConfiguration/Sources/Shop")
FILES_WITH_BACKEND = Path("SampleBackend/Tests/ActiveConfigEvaluationTests/Examples")
PACKAGES = {name: FILES_WITH_PACKAGES for name in ("Configuration", "Logging", "Metrics", "ServiceLifecycle")}
PACKAGES["ActiveConfigEvaluation"] = FILES_WITH_BACKEND
# Available only in the stubs of macOS.
MAC_ONLY = {"AppKit", "Testing"}
IMPORT = re.compile(r"^(?:@\w+ +|(?:public|internal|private) +)*import +(?:\w+ +(?=\w+\.))?(\w+)")
DECLARATION = re.compile(
    r"^(?:@\w+(?:\([^)]*\))? +)*(?:(?:public|internal|private|final|nonisolated|indirect) +)*"
    r"(extension|struct|enum|class|actor|protocol|func) +([\w.]+)")
ATTRIBUTE = re.compile(r"^@\w+(?:\(.*\))?$")
VALUE = re.compile(r"^(?:guard +|async +)?(?:let|var|func) +(\w+|\([\w, ]+\))", re.M)
MEMBER = re.compile(r"\b(?:let|var|func|case) +(\w+)")
DIAGNOSTIC = re.compile(r"^(.+):(\d+):\d+: error: ")
# The settings of a new Xcode 26 project.
NEW_PROJECT = ["-default-isolation", "MainActor"] + [
    word
    for feature in ("InferIsolatedConformances", "MemberImportVisibility", "NonisolatedNonsendingByDefault")
    for word in ("-enable-upcoming-feature", feature)
]


class SetupError(Exception):
    """The check cannot run."""


class Declaration:
    """A type, an extension or a function at the top level."""

    def __init__(self, kind, name, line, text):
        self.name, self.line, self.text = name, line, text
        # Extensions of the same type are distinguished by their members.
        self.names = {f"{name}.{member}" for member in MEMBER.findall(text)} if kind == "extension" else {name}


class Block:
    """A block of code: its imports, its declarations, and the remaining statements."""

    def __init__(self, path, line, code):
        self.path, self.line, self.code = path, line, code
        first = code.split("\n", 1)[0].strip()
        match = re.fullmatch(r"// (\S+\.swift)\b.*", first)
        self.file = match[1] if match else None
        self.imports, self.declarations = [], []
        self.statements = self.take_declarations(self.take_imports(code.split("\n")))
        self.values = {
            name for names in VALUE.findall(self.statements) for name in re.findall(r"\w+", names)}

    def location(self, offset=0):
        return f'#sourceLocation(file: "{self.path}", line: {self.line + offset})\n'

    def take_imports(self, lines):
        """Removes imports, including those in conditions; returns the other lines."""
        index = 0
        while index < len(lines):
            end = index + 1
            if re.match(r"#if canImport", lines[index]):
                while end < len(lines) and re.match(r"\s*(import |#else|#elseif|$)", lines[end]):
                    end += 1
                end = end + 1 if end < len(lines) and lines[end].startswith("#endif") else index
            elif not IMPORT.match(lines[index]):
                end = index
            if end > index:
                self.imports.append(self.location(index) + "\n".join(lines[index:end]) + "\n")
                lines[index:end] = [""] * (end - index)
            index = max(end, index + 1)
        return lines

    def take_declarations(self, lines):
        """Removes type declarations, and functions that use no value of the block."""
        for index in range(len(lines)):
            match = DECLARATION.match(lines[index])
            if not match:
                continue
            start = index
            while start and ATTRIBUTE.match(lines[start - 1]):
                start -= 1
            end = index
            if lines[index].count("{") != lines[index].count("}") or "{" not in lines[index]:
                while end + 1 < len(lines) and not lines[end].startswith("}"):
                    end += 1
            text = "\n".join(lines[start:end + 1])
            values = {n for names in VALUE.findall("\n".join(lines[:start])) for n in re.findall(r"\w+", names)}
            if match[1] == "func" and uses(text, values):
                continue
            # A module can have only one.
            text = re.sub(r"(?m)^@main\s", "", text)
            self.declarations.append(Declaration(match[1], match[2], start, text))
            lines[start:end + 1] = [""] * (end + 1 - start)
        return "\n".join(lines)

    def modules(self):
        """Modules that are imported unconditionally."""
        return {m[1] for text in self.imports for line in text.split("\n") if (m := IMPORT.match(line))
                and "#if" not in text}


def uses(code, names):
    return {name for name in names if re.search(rf"(?<![.\w]){name}\b(?!:)", code)}


class Module:
    """Files that are compiled as one module."""

    def __init__(self, name, prelude=("Prelude",)):
        self.name, self.prelude = name, prelude
        self.files, self.modules, self.whole = {}, set(), None

    def add(self, block, imports, declarations, statements=()):
        """Adds a file with the block's imports and declarations, and a function with the statements of blocks."""
        text = "".join(f"@testable import {module}\n" for module in self.prelude) + "".join(imports)
        # On Apple's platforms these export Foundation; the stubs do not.
        if self.modules & {"AppKit", "SwiftUI", "UIKit"}:
            text += "import Foundation\n"
        # On Linux, members of a module that Foundation exports count as not imported.
        if re.search(r"(?m)^import Foundation$", text):
            text += "#if canImport(FoundationInternationalization)\nimport FoundationInternationalization\n#endif\n"
        for declaration in declarations:
            text += f"{block.location(declaration.line)}{declaration.text}\n"
        if any(part.statements.strip() for part in statements):
            number = len(self.files)
            effects = "async " if any("await " in part.statements for part in statements) else ""
            text += f"func example{number}() {effects}throws {{\n"
            for part in statements:
                text += f"do {{\n{part.location()}{part.statements}\n"
            text += "}\n" * (len(statements) + 1)
        self.files[f"Block{len(self.files)}.swift"] = text + "#sourceLocation()\n"

    @property
    def is_for_apple(self):
        return bool(self.modules & APPLE)


def blocks_of(path, text=None):
    """The blocks of a Markdown file, or of the comments of a Swift file."""
    lines = (text if text is not None else path.read_text("utf-8")).split("\n")
    if path == CONSOLE:
        return [Block(path, 1, "\n".join(lines))]
    is_swift, found, start, indent, framework = path.suffix == ".swift", [], None, 0, None
    for number, line in enumerate(lines, 1):
        if is_swift:
            # The Apple framework whose condition contains the comment, if any.
            if match := re.match(r"#if canImport\((\w+)\)", line):
                framework = match[1] if match[1] in APPLE else None
            elif re.match(r"#(else|endif)", line):
                framework = None
            match = re.match(r"\s*/// ?(.*)$", line)
            line = match[1] if match else ""
        if start is None and (match := re.match(r"( *)```swift\s*$", line)):
            start, indent, code = number + 1, len(match[1]), []
        elif start is not None and line.strip() == "```":
            found.append(Block(path, start, "\n".join(code)))
            found[-1].framework = framework
            start = None
        elif start is not None:
            code.append(line[indent:] if line[:indent].isspace() or not indent else line)
    return found


def modules_of_article(path, blocks, dependencies):
    """The modules of an article: another one where a declaration is replaced, or views begin."""
    catalog = next((part[:-5] for part in path.parts if part.endswith(".docc")), None)
    imports = [f"import {name}\n" for name in ([catalog, *dependencies[catalog]] if catalog else [])]
    seen, modules = [], set()
    active = []  # (block, imports, declaration)
    module, results = None, []
    for block in blocks:
        if block.file == "Package.swift" or block.modules() & PACKAGES.keys():
            continue
        if block.file:
            whole = Module(name_of(path, len(results)))
            whole.whole, whole.modules = block, block.modules()
            results.append(whole)
        imports = imports + [text for text in block.imports if text not in imports]
        was_for_apple = bool(modules & APPLE)
        modules = modules | block.modules()
        known = {declaration.text for _, _, declaration in active}
        new = [declaration for declaration in block.declarations if declaration.text not in known]
        names = set().union(*(declaration.names for declaration in new)) if new else set()
        kept = [entry for entry in active if not entry[2].names & names]
        if module is None or len(kept) < len(active) or bool(modules & APPLE) != was_for_apple:
            module = Module(name_of(path, len(results)))
            results.append(module)
            for other, earlier, declaration in kept:
                module.add(other, earlier, [declaration])
        active = kept + [(block, imports, declaration) for declaration in new]
        # Add the earlier blocks whose values this one uses.
        parts, needed = [block], uses(block.statements, set().union(*(b.values for b in seen)) - block.values) if seen else set()
        for other in reversed(seen):
            if needed & other.values:
                needed = (needed - other.values) | uses(
                    other.statements, set().union(*(b.values for b in seen)) - other.values)
                parts.insert(0, other)
        module.modules = set(modules)
        module.add(block, imports, new, parts)
        seen.append(block)
    return results


def modules_of_comments(sources, dependencies):
    """Modules of the doc comments of targets; blocks that declare the same name are in different ones."""
    results = []
    for path in sources:
        for block in blocks_of(path):
            target = path.parts[1]
            views = re.search(r"\bsome (View|Scene)\b|: View\b", block.code)
            framework = "SwiftUI" if views else block.framework
            block = Block(path, block.line, re.sub(r" ?…", "", block.code))
            names = set().union(*(declaration.names for declaration in block.declarations))
            for module in results:
                if module.target == target and framework == module.framework and not names & module.names:
                    break
            else:
                module = Module(f"Comments{len(results)}", ("Prelude", "DocComments"))
                module.target, module.names, module.framework = target, set(), framework
                module.modules = {framework} if framework else set()
                results.append(module)
            module.names |= names
            imports = [f"import {name}\n" for name in ["Foundation", target, *dependencies[target], *module.modules]]
            imports.append("#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\n")
            if target == "ActiveConfigTesting":
                imports.append("import Testing\n")
            module.add(block, imports + block.imports, block.declarations, [block])
    return results


def name_of(path, number):
    return "Example_" + re.sub(r"\W", "_", path.stem) + f"_{number}"


class Compiler:
    """Compiles modules for this machine, and for Apple's platforms against stubs."""

    def __init__(self, build):
        self.build, self.platforms = build, {}
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir(parents=True)
        for name in ("Prelude", "DocComments"):
            self.run_swift([
                "-emit-module", "-enable-testing", "-parse-as-library", "-module-name", name, "-o", WORK / f"{name}.swiftmodule",
                HERE / f"{name}.swift"], must=f"{HERE}/{name}.swift")

    def run_swift(self, arguments, must=None, shows_warnings=False):
        command = ["swiftc", "-swift-version", "6", "-I", self.build / "Modules", "-I", WORK]
        if not shows_warnings:
            command.append("-suppress-warnings")
        result = subprocess.run(
            [str(word) for word in command + arguments], capture_output=True, text=True, check=False)
        text = result.stdout + result.stderr
        if result.returncode and must:
            raise SetupError(f"{must} does not compile:\n{text}")
        # A call that seems to wait and does not: at the top level, overloads that do not wait come first.
        text = text.replace("warning: no 'async' operations", "error: no 'async' operations")
        return text if result.returncode or "error: no 'async' operations" in text else ""

    def prepare_stubs(self, names):
        """Makes the modules of stubs, of the package and of the preludes."""
        if not names:
            return
        spec = importlib.util.spec_from_file_location("apple_stubs", ROOT / "Tests/AppleStubs/check.py")
        stubs = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(ROOT / "Tests/AppleStubs"))
        spec.loader.exec_module(stubs)
        package, toolchain = stubs.Package(), stubs.Toolchain()
        toolchain.cache.mkdir(parents=True, exist_ok=True)

        def prepare(name):
            platform = stubs.Platform(name, package, toolchain)
            targets = [target for target in package.targets_for(platform) if target["type"] == "regular"]
            sources = [path for target in targets for path in package.sources(target)]
            state = hashlib.sha256()
            for path in [*sources, *HERE.glob("*.swift"), Path("Package.swift")]:
                state.update(path.read_bytes())
            platform.output = platform.folder / "examples"
            marker = platform.output / state.hexdigest()
            self.platforms[name] = platform
            if marker.exists():
                return
            platform.prepare()
            for target in targets:
                code, text = platform.compile(package, target, package.sources(target), platform.output)
                if code:
                    raise SetupError(text)
            for module in ("Prelude", "DocComments"):
                code, text = platform.frontend([
                    "-emit-module", "-enable-testing", "-parse-as-library", "-swift-version", "6", "-suppress-warnings",
                    "-module-name", module, "-o", platform.output / f"{module}.swiftmodule",
                    HERE / f"{module}.swift"])
                if code:
                    raise SetupError(text)
            marker.touch()

        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            list(pool.map(prepare, names))

    def compile(self, module):
        """Returns the compiler's errors."""
        folder = WORK / module.name
        folder.mkdir(exist_ok=True)
        files = module.files
        if module.whole:
            block = module.whole
            # Only the source location is added: an import would change the file.
            files = {block.file: block.location() + block.code + "\n#sourceLocation()\n"}
        paths = [folder / name for name in files]
        for path, text in zip(paths, files.values()):
            path.write_text(text, "utf-8")
        options = ["-module-name", module.name]
        if "main.swift" not in files:
            options.append("-parse-as-library")
        if not module.whole:
            options += ["-enable-upcoming-feature", "MemberImportVisibility"]
        if module.is_for_apple and not ON_MAC:
            frontend = self.platforms[platform_of(module)].frontend
            base = ["-typecheck", "-swift-version", "6", "-suppress-warnings", *options]
            runs = [base, base + NEW_PROJECT] if module.whole else [base]
            return "".join(text for run in runs for code, text in [frontend(run + paths)] if code)
        # Emits object code, because some errors are only found after type checking.
        return self.run_swift(
            ["-c", "-wmo", *options, "-o", folder / "object.o", *paths], shows_warnings=bool(module.whole))


def platform_of(module):
    return "macOS" if module.modules & MAC_ONLY else "iOS"


def errors_of_manifest(block, products):
    """Loads a manifest with the package manager; the products that it uses from this package must exist."""
    with tempfile.TemporaryDirectory() as folder:
        lines = block.code.split("\n")
        # The tools version must be in the first line.
        Path(folder, "Package.swift").write_text("\n".join([*lines[1:2], "", *lines[2:]]), "utf-8")
        result = subprocess.run(
            ["swift", "package", "--package-path", folder, "dump-package"],
            capture_output=True, text=True, check=False)
    place = f"{block.path}:{block.line}:1: error: "
    if not re.match(r"// swift-tools-version: ?[\d.]+$", lines[1] if len(lines) > 1 else ""):
        return place + "the second line of a manifest must be // swift-tools-version: …\n"
    if result.returncode:
        text = re.sub(r"\S*/Package\.swift:(\d+)", lambda m: f"{block.path}:{block.line + int(m[1]) - 1}", result.stderr)
        return f"{place}the package manager cannot read the manifest:\n{text}\n"
    manifest, errors = json.loads(result.stdout), ""
    names = {
        re.sub(r"\.git$", "", location.rstrip("/").split("/")[-1]).lower()
        for dependency in manifest["dependencies"] for location in locations(dependency)}
    for target in manifest["targets"]:
        taken = [d["product"][:2] for d in target["dependencies"] if "product" in d]
        taken += [p["plugin"][:2] for p in target.get("pluginUsages") or []]
        for product, package in taken:
            if package and package.lower() not in names:
                errors += f'{place}no dependency provides the package "{package}"\n'
            elif package and package.lower() == "activeconfig" and product not in products:
                errors += f'{place}ActiveConfig has no product "{product}"\n'
    return errors


def difference_from_file(block):
    """An error if a file that imports other packages is not the one that is compiled with them."""
    folder = PACKAGES[min(block.modules() & PACKAGES.keys())]
    path = folder / (block.file or "a file")
    if path.is_file() and path.read_text("utf-8").rstrip("\n") == block.code:
        return ""
    return f"{block.path}:{block.line}:1: error: it imports another package and is not the content of {path}\n"


def locations(value):
    """The URLs and paths in a dependency of a manifest."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("urlString", "path") and isinstance(inner, str):
                yield inner
            else:
                yield from locations(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from locations(inner)


def check(build, articles, sources, texts=None):
    """Returns the errors and the number of blocks; texts contains articles that are not on disk."""
    manifest = json.loads(output("swift", "package", "dump-package"))
    products = {product["name"] for product in manifest["products"]} | {
        target["name"] for target in manifest["targets"] if target["type"] == "plugin"}
    dependencies = {
        target["name"]: [name for d in target["dependencies"] for name in [next(iter(d.values()))[0]]]
        for target in manifest["targets"]}
    blocks = {path: blocks_of(path, (texts or {}).get(path)) for path in articles}
    modules = [m for path, found in blocks.items() for m in modules_of_article(path, found, dependencies)]
    modules += modules_of_comments(sources, dependencies)
    manifests = [b for found in blocks.values() for b in found if b.file == "Package.swift"]
    differences = [
        difference_from_file(b) for found in blocks.values() for b in found if b.modules() & PACKAGES.keys()]
    compiler = Compiler(build)
    if not ON_MAC:
        compiler.prepare_stubs(sorted({platform_of(m) for m in modules if m.is_for_apple}))
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        texts = [*differences, *pool.map(lambda b: errors_of_manifest(b, products), manifests), *pool.map(compiler.compile, modules)]
    count = sum(len(found) for found in blocks.values()) + sum(len(blocks_of(path)) for path in sources)
    return "".join(without_repeats(texts)), count


def without_repeats(texts):
    """Omits errors that another module of the article also has."""
    seen = set()
    for text in texts:
        parts = re.split(r"(?m)^(?=\S[^\n]*:\d+:\d+: error: )", text)
        for part in parts:
            first = part.split("\n", 1)[0]
            if not DIAGNOSTIC.match(first):
                # Notes before the first error; without an error they must not be lost.
                if len(parts) == 1 and part:
                    yield part
            elif first not in seen:
                seen.add(first)
                yield part


def output(*command):
    # The checks build without the plug-in, which is a product of the package all the same.
    environment = {name: value for name, value in os.environ.items() if name != "ACTIVECONFIG_WITHOUT_PLUGIN"}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if result.returncode:
        raise SetupError(f"{' '.join(command)} failed:\n{result.stderr}")
    return result.stdout


def self_test(build):
    """Checks articles with planted faults, and articles without faults."""
    keys = "import ActiveConfig\nextension SettingKey<Bool> {\n    static let isNew = SettingKey(\"A\", \"b\", default: true)\n}\n"
    manifest = (
        "// Package.swift\n// swift-tools-version: 6.3\nimport PackageDescription\nlet package = Package(\n"
        '    name: "App", dependencies: [.package(url: "https://example.com/ActiveConfig.git", branch: "main")],\n'
        '    targets: [.target(name: "App", dependencies: [.product(name: "%s", package: "ActiveConfig")])])\n')
    view = "struct V: View {\n    var body: some View { %s }\n}\n"
    planted = [  # blocks, and a part of the error with its line, or None
        (["let store = FileDefaultsStore(directory: folder)\n"], "2:13: error: cannot find 'FileDefaultsStore'"),
        (["import ActiveConfig\nprint(config[.isNew])\n"], "3:15: error: type"),
        ([keys, "print(config[.isNew])\n"], None),
        ([keys + "let one = 1\n", "let two = one\n", "print(two, one)\n"], None),
        ([keys, keys.replace("Bool", "Int").replace("true", "1"), "let number: Int = config[.isNew]\n"], None),
        (["struct A {\n    var b = 1\n}\n", "struct A {\n    var c = 1\n}\n", "print(A().b)\n"], "12:11: error: value of type 'A'"),
        (["struct A {\n}\n", "\n\nlet a: A = 1\n"], "8:12: error: cannot convert"),
        (["print(config.currentUserID ?? \"\")\n"], "2:14: error: property 'currentUserID'"),
        (["import ActiveConfig\nconfig.activate()\n", "import ActiveConfig\nawait config.activate()\n"], None),
        (["// main.swift\nprint(config)\n"], "3:7: error: cannot find 'config'"),
        (["// main.swift\nimport Foundation\nprint(URL(filePath: \"/\"))\n", "// Keys.swift\n" + keys], None),
        (["// main.swift\nfunc wait() {}\nawait wait()\n"], "4:1: error: no 'async' operations"),
        (["// Keys.swift\nprint(1)\n"], "3:1: error: expressions are not allowed"),
        (["import SwiftUI\n" + view % 'Text("a")'], None),
        (["// App.swift\nimport SwiftUI\n" + view % 'Txt("a")'], "5:27: error: cannot find 'Txt'"),
        (["// App.swift\n" + view % "self"], "3:11: error: cannot find type 'View'"),
        ([manifest % "ActiveConfig"], None),
        ([manifest % "ActiveConfigs"], '2:1: error: ActiveConfig has no product "ActiveConfigs"'),
        ([(FILES_WITH_PACKAGES / "Checkout.swift").read_text("utf-8")], None),
        ([(FILES_WITH_BACKEND / "UploadService.swift").read_text("utf-8")], None),
        (["// Checkout.swift\nimport Configuration\n"], "2:1: error: it imports another package and is not"),
        (["import Metrics\n"], "2:1: error: it imports another package and is not the content of"),
        (["// Package.swift\ndependencies: []\n"], "2:1: error: the second line of a manifest"),
    ]
    texts = {
        Path(f"Planted{number}.md"): "".join(f"```swift\n{block}```\n" for block in blocks)
        for number, (blocks, _) in enumerate(planted)}
    found = check(build, list(texts), [], texts)[0]
    wrong = []
    for number, (_, expected) in enumerate(planted):
        errors = [line for line in found.split("\n") if line.startswith(f"Planted{number}.md:") and ": error: " in line]
        if bool(errors) != bool(expected) or expected and not any(f"Planted{number}.md:{expected}" in e for e in errors):
            wrong.append(f"planted example {number}: {expected or 'no error'} expected, found {errors}")
    return "\n".join(wrong)


def main(arguments):
    os.chdir(ROOT)
    if arguments[:1] == ["--help"]:
        print(__doc__)
        return 0
    build = os.environ.get("ACTIVECONFIG_BUILD")
    if not build:
        for target in ("ActiveConfigTesting", "ActiveConfigGeneration", "ActiveConfigTrust", "ActiveConfigReporting"):
            output("swift", "build", "--target", target)
        build = output("swift", "build", "--show-bin-path").strip()
    if arguments == ["--self-test"]:
        wrong = self_test(Path(build))
        print(wrong or "All planted examples give the expected result.", file=sys.stderr if wrong else sys.stdout)
        return 1 if wrong else 0
    files = output("git", "ls-files", "-co", "--exclude-standard", "--", *(arguments or ["*.md", "Sources/*.swift", str(CONSOLE)]))
    paths = [Path(name) for name in files.split("\n") if name and Path(name).exists()]
    errors, count = check(
        Path(build), [path for path in paths if path.suffix != ".swift"],
        [path for path in paths if path.suffix == ".swift"])
    if errors:
        print(errors.rstrip(), file=sys.stderr)
        return 1
    print(f"{count} examples compile.")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except SetupError as error:
        print(f"check.py: {error}", file=sys.stderr)
        sys.exit(69)
