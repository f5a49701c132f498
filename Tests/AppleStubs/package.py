"""Reads the package's manifest."""

import json
import os
import subprocess
from pathlib import Path

from retarget import SetupError


class Package:
    """The package manifest: its targets and their compiler options."""

    def __init__(self):
        # The manifest then treats warnings as errors.
        text = run(["swift", "package", "dump-package"], {"STRICT": "1"})
        self.manifest = json.loads(text)
        self.name = self.manifest["name"].lower()
        self.versions = {
            platform["platformName"]: platform["version"] for platform in self.manifest["platforms"]
        }
        targets = {target["name"]: target for target in self.manifest["targets"]}
        self.targets = []

        def add(target):
            for dependency in target["dependencies"]:
                name = next(iter(dependency.values()))[0]
                if name in targets:
                    add(targets[name])
            if target not in self.targets and target["type"] in ("regular", "executable", "test"):
                self.targets.append(target)

        for target in self.manifest["targets"]:
            add(target)
        self.generated = {target["name"]: generate(target) for target in self.targets}

    def targets_for(self, platform):
        """The targets to check; tests and their programs run on macOS only."""
        return [t for t in self.targets if platform.name == "macOS" or not in_tests(t)]

    def sources(self, target):
        folder = folder_of(target)
        excluded = [folder / path for path in target["exclude"]]
        return [
            path
            for path in sorted(folder.rglob("*.swift"))
            if not any(path.is_relative_to(other) for other in excluded)
        ] + self.generated[target["name"]]

    def flags(self, target, platform):
        """The frontend options for the target's settings."""
        flags = ["-swift-version", self.manifest["swiftLanguageVersions"][-1]]
        for setting in target["settings"]:
            platforms = setting.get("condition", {}).get("platformNames", [])
            if setting["tool"] == "swift" and (not platforms or platform.key in platforms):
                flags += flags_of_setting(setting["kind"])
        return flags


def generate(target):
    """Generates the keys of a target's configurations in the same way as the plug-in GenerateSettings."""
    if not target.get("pluginUsages"):
        return []
    build = os.environ.get("ACTIVECONFIG_BUILD") or run(["swift", "build", "--show-bin-path"]).strip()
    program = Path(build, "ActiveConfigGenerator")
    if not program.exists():
        run(["swift", "build", "--product", program.name])
    outputs = Path(".build/apple-stubs/generated", target["name"])
    outputs.mkdir(parents=True, exist_ok=True)
    generated = []
    for resource in target["resources"]:
        path = folder_of(target) / resource["path"]
        for document in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if document.name.lower().endswith("activeconfig.json"):
                output = outputs / f"{document.stem}+Keys.swift"
                schema = document.with_suffix(".schema.json")
                options = ["--schema", str(schema)] if schema.exists() else []
                run([str(program), str(document), "--output", str(output), *options])
                generated.append(output)
    return generated


def folder_of(target):
    root = "Tests" if target["type"] == "test" else "Sources"
    return Path(target.get("path") or f"{root}/{target['name']}")


def in_tests(target):
    return folder_of(target).is_relative_to("Tests")


def flags_of_setting(kind):
    (name, values), = kind.items()
    match name, values.get("_0"):
        case "enableUpcomingFeature", feature:
            return ["-enable-upcoming-feature", feature]
        case "enableExperimentalFeature", feature:
            return ["-enable-experimental-feature", feature]
        case "strictMemorySafety", _:
            return ["-strict-memory-safety"]
        case "treatWarning", group:
            return ["-Werror" if values["_1"] == "error" else "-Wwarning", group]
        case "treatAllWarnings", level:
            return ["-warnings-as-errors"] if level == "error" else []
        case "define", symbol:
            return ["-D", symbol]
        case "defaultIsolation", isolation:
            return ["-default-isolation", isolation or "nonisolated"]
    raise SetupError(f"check.py does not know the setting {name} of Package.swift")


def run(command, environment=None):
    result = subprocess.run(
        command, env={**os.environ, **(environment or {})}, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SetupError(f"{' '.join(command)} failed:\n{result.stderr}")
    return result.stdout
