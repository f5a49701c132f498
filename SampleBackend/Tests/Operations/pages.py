#!/usr/bin/env python3
"""Compares the pages on SampleBackend with its program.

USAGE: SampleBackend/Tests/Operations/pages.py, from the root of the repository; SAMPLE_BACKEND names the program.

Operating.md has each option of `serve` once, with its default, its environment variable, and a * if it may be
repeated; the manifest of Kubernetes.md has only such options. Command-line.md has each command with its
subcommands. Relative links of all pages lead to a file and a heading. The image's build gets every folder that
Package.swift names. Only build-release.sh builds for release. Exit codes: 0, 1 something differs.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2]
OPERATIONS = FOLDER / "Operations"
BACKEND = os.environ.get("SAMPLE_BACKEND", "SampleBackend/.build/debug/sample-backend")


def commands():
    """The commands of the program as ArgumentParser describes them, without its own `help`."""
    text = subprocess.run([BACKEND, "--experimental-dump-help"], stdout=subprocess.PIPE, check=True).stdout
    return [command for command in json.loads(text)["command"]["subcommands"] if command["commandName"] != "help"]


def rows(page, head):
    """The cells of a table's rows, of the table with that head."""
    table = (OPERATIONS / page).read_text("utf-8").split(head + "\n", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table.split("\n")[1:]]


def option_problems(serve):
    table = rows("Operating.md", "| option | default | environment | meaning |")
    known = {}
    for argument in serve["arguments"]:
        name = argument["names"][-1]["name"]
        if name not in ("version", "help"):
            known[name] = argument
    shown = [name for row in table for name in re.findall(r"`--([\w-]+)", row[0])]
    for name in known:
        if shown.count(name) != 1:
            yield f"Operating.md has --{name} {shown.count(name)} times"
    for row in table:
        for name in re.findall(r"`--([\w-]+)", row[0]):
            if name not in known:
                yield f"Operating.md has --{name}, which serve has not"
                continue
            argument = known[name]
            default = argument.get("defaultValue")
            if default and default not in row[1].replace(",", ""):
                yield f"Operating.md has another default for --{name} than {default}"
            variable = re.search(r"ACTIVECONFIG_\w+", argument.get("discussion") or "")
            if (variable[0] if variable else "") not in row[2] or bool(variable) != bool(row[2]):
                yield f"Operating.md has another variable for --{name} than {variable and variable[0]}"
            if argument["isRepeating"] != row[0].endswith("*"):
                yield f"Operating.md is wrong on whether --{name} may be repeated"


def argument_problems(serve):
    known = {name["name"] for argument in serve["arguments"] for name in argument["names"]}
    arguments = re.findall(r"^ *- --([\w-]+)", (OPERATIONS / "Kubernetes.md").read_text("utf-8"), re.M)
    if not arguments:
        yield "Kubernetes.md gives serve no arguments"
    for name in arguments:
        if name not in known:
            yield f"Kubernetes.md has --{name}, which serve has not"


def command_problems(known):
    shown = " ".join(row[0] for row in rows("Command-line.md", "| command | |"))
    words = set(re.findall(r"`([a-z-]+)", shown)) | set(re.findall(r"`[a-z]+ ([a-z]+)", shown))
    names = {command["commandName"] for command in known}
    for command in known:
        for part in [command] + command.get("subcommands", []):
            name = part["commandName"]
            if name != "help" and name not in words:
                yield f"Command-line.md has no {command['commandName']} {name}"
    for name in re.findall(r"^`([a-z-]+)", "\n".join(row[0] for row in rows("Command-line.md", "| command | |")), re.M):
        if name not in names:
            yield f"Command-line.md has {name}, which is no command"


def without_code(text):
    return re.sub(r"^ *```.*?^ *```$", "", text, flags=re.M | re.S)


def anchors(page):
    headings = re.findall(r"^#+ (.*)", without_code(page.read_text("utf-8")), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def link_problems(pages):
    for page in pages:
        for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text("utf-8"))):
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if "://" not in link and (not target.exists() or anchor and anchor not in anchors(target)):
                yield f"{page.name} has a link that leads nowhere: {link}"


def image_problems():
    """Folders outside of Sources that the root manifest needs and the image's build does not get."""
    manifest = Path("Package.swift").read_text("utf-8")
    for folder in re.findall(r'path: "(Tests/[^"]+)"', manifest):
        if f"COPY {folder} {folder}\n" not in (OPERATIONS / "Dockerfile").read_text("utf-8"):
            yield f"Dockerfile does not copy {folder}, which Package.swift names"
        if f"!{folder}\n" not in (OPERATIONS / "Dockerfile.dockerignore").read_text("utf-8"):
            yield f"Dockerfile.dockerignore leaves out {folder}, which Package.swift names"


def release_problems():
    """Files that build the program for release by other options than the one script."""
    for path in [FOLDER / "load.sh", *sorted(OPERATIONS.iterdir())]:
        if path.is_file() and re.search(rb"swift build[^\n]*-c release|static-swift-stdlib", path.read_bytes()):
            yield f"{path.name} builds for release: use SampleBackend/build-release.sh"


def main():
    known = commands()
    serve = next(command for command in known if command["commandName"] == "serve")
    pages = [FOLDER / "README.md", FOLDER / "Tests/README.md", *sorted(OPERATIONS.glob("*.md"))]
    problems = [*option_problems(serve), *argument_problems(serve), *command_problems(known)]
    problems += [*link_problems(pages), *image_problems(), *release_problems()]
    for problem in problems:
        print(f"pages.py: {problem}", file=sys.stderr)
    if problems:
        sys.exit(1)
    print(f"{len(serve['arguments']) - 2} options, {len(known)} commands and the links of {len(pages)} pages are right")


if __name__ == "__main__":
    main()
