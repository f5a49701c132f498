#!/usr/bin/env python3
"""Checks the links of Markdown files, and prepares catalogs for DocC.

USAGE: Tests/Structure/links.py                      checks all Markdown files of the project
       Tests/Structure/links.py --copy MODULE FOLDER [LINKED ...]
       Tests/Structure/links.py --self-test

Links between pages are relative links to files, so that they work on a Git host. The check fails on one
whose file or heading does not exist, and on <doc:…> outside of "## Topics".

--copy copies the catalog of a module into FOLDER. There, a link to another page of the catalog is one of
DocC's, as is one into the catalog of a module that is LINKED; other links to files are plain text. An image
has its name without a folder, by which DocC finds the variant for a dark background, NAME~dark.svg. Of an
SVG with colors for a dark background, which a Git host shows, both variants are made.

Exit codes: 0 no broken link, 1 a broken link, 64 wrong arguments.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)(?:\s+\"[^\"]*\")?\)")
# A picture with variants for light and dark.
PICTURE = re.compile(r"<(?:img|source)\b[^>]*\b(?:src|srcset)=\"([^\"\s]+)\"")
CODE = re.compile(r"(?ms)^ *(```|~~~).*?^ *\1[^\S\n]*$|(`+)(?!`).+?(?<!`)\2(?!`)|<!--.*?-->")
DARK = re.compile(r"(?ms)^@media \(prefers-color-scheme: dark\) \{\n(.*?)^\}\n")
DOC = re.compile(r"<doc:[^>]*>|\]\(doc:[^)]*\)")


def without_code(text):
    """The text with code replaced by as many characters."""
    return CODE.sub(lambda match: re.sub(r"[^\n]", "x", match[0]), text)


def is_relative(target):
    return not re.match(r"[a-z][a-z0-9+.-]*:|//|#", target)


def headings(path):
    """Headings of a page, by the fragment that Git hosts give them."""
    found = {}
    for title in re.findall(r"(?m)^#+ +(.*?) *$", re.sub(r"(?ms)^```.*?^```", "", path.read_text("utf-8"))):
        fragment = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        found.setdefault(fragment, title)
    return found


def problems(path):
    """The problems of a page's links."""
    text = without_code(path.read_text("utf-8"))

    def place(offset):
        return f"{path}:{text.count(chr(10), 0, offset) + 1}"

    topics = text.find("\n## Topics")
    for match in DOC.finditer(text):
        if topics < 0 or match.start() < topics:
            yield f"{place(match.start())}: write {match[0]} as a relative link to the file"
    for match in LINK.finditer(text):
        target = match[3]
        name, _, fragment = target.partition("#")
        if not is_relative(target) and not target.startswith("#"):
            continue
        file = path.parent / unquote(name) if name else path
        if not file.exists():
            yield f"{place(match.start())}: there is no file {target}"
        elif fragment and file.suffix == ".md" and fragment not in headings(file):
            yield f"{place(match.start())}: there is no heading for {target}"
    for match in PICTURE.finditer(text):
        if is_relative(match[1]) and not Path(path.parent, unquote(match[1])).exists():
            yield f"{place(match.start())}: there is no file {match[1]}"


def converted(path, linked):
    """The text of a page as passed to DocC."""
    text, catalog = path.read_text("utf-8"), path.parent.resolve()
    masked, result, end = without_code(text), "", 0
    for match in LINK.finditer(masked):
        target = match[3]
        if not is_relative(target) or target.startswith("doc:"):
            continue
        # The text of the link may have code in it.
        words = text[match.start(2):match.end(2)]
        name, _, fragment = target.partition("#")
        file = (path.parent / unquote(name)).resolve()
        if match[1]:
            replacement = f"![{words}]({file.name})"
        elif file.suffix == ".md" and (file.parent == catalog or file.parent.stem in linked):
            page = file.stem if file.parent == catalog else f"/{file.parent.stem}/{file.stem}"
            # DocC finds no heading of another module's page.
            title = headings(file).get(fragment, "") if fragment and file.parent == catalog else ""
            anchor = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
            replacement = f"[{words}](doc:{page}{'#' + anchor if anchor else ''})"
        else:
            replacement = words
        result += text[end:match.start()] + replacement
        end = match.end()
    # DocC takes code with backticks for a symbol; a similar character is shown.
    return re.sub(r"`` `([^`\n]+)` ``", "`\u02CB\\1\u02CB`", result + text[end:])


def copy(module, folder, linked):
    source = Path(f"Sources/{module}/{module}.docc")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder)
    for path in source.glob("*.md"):
        Path(folder, path.name).write_text(converted(path, linked), "utf-8")


    for path in Path(folder).rglob("*.svg"):
        text = path.read_text("utf-8")
        if not path.stem.endswith("~dark") and DARK.search(text):
            path.write_text(DARK.sub("", text), "utf-8")
            path.with_stem(path.stem + "~dark").write_text(DARK.sub(r"\1", text), "utf-8")


def self_test():
    """Plants faults in a page; returns the ones that the check misses."""
    with tempfile.TemporaryDirectory() as folder:
        other, page = Path(folder, "Other.md"), Path(folder, "Page.md")
        linked = Path(folder, "Linked.docc/Far.md")
        linked.parent.mkdir()
        for file in (other, linked):
            file.write_text("# Other\n\n## What a read costs\n", "utf-8")
        page.write_text(
            "# Page\n[a](Other.md) [b](Other.md#what-a-read-costs) `[c](None.md)` [d](https://e.f) "
            "[i](Linked.docc/Far.md#what-a-read-costs)\n"
            "[e](None.md)\n[f](Other.md#nothing)\n<doc:Other>\n```\n<doc:Other>\n```\n![g](None.svg)\n"
            "<picture><source srcset=\"None-dark.webp\"><img alt=\"h\" src=\"Other.md\"></picture>\n"
            "## Topics\n- <doc:Other>\n", "utf-8")
        lines = sorted(problem.split(":")[1] for problem in problems(page))
        text = converted(page, ["Linked"])
    wanted = ["[a](doc:Other) [b](doc:Other#What-a-read-costs) `[c](None.md)`", "[i](doc:/Linked/Far)",
              "![g](None.svg)"]
    wrong = [f"the converted page has no {part}" for part in wanted if part not in text]
    return wrong if lines == ["10", "3", "4", "5", "9"] else [*wrong, f"problems in lines {lines}"]


def main(arguments):
    if arguments[:1] == ["--copy"] and len(arguments) >= 3:
        copy(arguments[1], arguments[2], arguments[3:])
        return 0
    if arguments == ["--self-test"]:
        found = self_test()
    elif arguments:
        print(__doc__)
        return 0 if arguments == ["--help"] else 64
    else:
        names = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True, text=True, check=True)
        found = [p for name in names.stdout.split("\n") if name and Path(name).exists() for p in problems(Path(name))]
    print("\n".join(found) or "All links lead somewhere.", file=sys.stderr if found else sys.stdout)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
