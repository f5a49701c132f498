#!/usr/bin/env python3
"""The implementation of check.sh, which is the script to run."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import self_test
from package import Package, run
from retarget import SetupError, retarget_modules

HERE = Path("Tests/AppleStubs")
BUILD = Path(".build/apple-stubs")
# The name in the package manifest, and the target triple without its version.
PLATFORMS = {
    "iOS": ("ios", "arm64-apple-ios"),
    "macOS": ("macos", "arm64-apple-macos"),
    "tvOS": ("tvos", "arm64-apple-tvos"),
    "watchOS": ("watchos", "arm64-apple-watchos"),
    "visionOS": ("visionos", "arm64-apple-xros"),
}
# Most availability is declared for iOS, and applies to the visionOS version released with it.
VISION_VERSIONS = {
    "17.0": "1.0", "17.4": "1.1", "17.5": "1.2", "18.0": "2.0", "18.1": "2.1", "18.2": "2.2",
    "18.3": "2.3", "18.4": "2.4", "18.5": "2.5", "18.6": "2.6", "26.0": "26.0",
}
# In dependency order.
STUBS = ["Darwin", "Foundation", "os", "CryptoKit", "Network", "UIKit", "AppKit", "WatchKit", "SwiftUI"]
# Modules whose `canImport` is false on Apple's platforms.
NOT_APPLE = {"Android", "Bionic", "FoundationNetworking", "Glibc", "Musl", "WASILibc", "WinSDK"}


class Toolchain:
    """The compiler of this machine."""

    def __init__(self):
        info = json.loads(run(["swiftc", "-print-target-info"]))
        self.version = info["compilerVersion"]
        self.triple = info["target"]["unversionedTriple"]
        self.resources = Path(info["paths"]["runtimeResourcePath"])
        self.library = Path(info["paths"]["runtimeLibraryImportPaths"][0])
        # The compiler's cache of headers contains absolute paths.
        place = hashlib.sha256(f"{self.version} {Path.cwd()}".encode()).hexdigest()[:16]
        self.cache = BUILD / f"headers-{place}"
        self.options = []


class Platform:
    """A platform and the modules needed to compile for it."""

    def __init__(self, name, package, toolchain):
        self.name = name
        self.key, self.target = PLATFORMS[name]
        if self.key not in package.versions:
            raise SetupError(f"Package.swift names no version of {name}")
        self.version = package.versions[self.key]
        self.toolchain = toolchain
        inputs = [*sorted(HERE.glob("*.py")), *sorted((HERE / "Modules").iterdir())]
        state = hashlib.sha256(f"{toolchain.version} {self.target}{self.version}".encode())
        for path in inputs:
            state.update(path.read_bytes())
        self.folder = BUILD / f"{name}-{state.hexdigest()[:16]}"
        self.modules = self.folder / "modules"
        self.output = self.folder / "package"

    def prepare(self):
        """Builds the modules that the package imports, unless they exist."""
        if not self.modules.exists():
            for stale in BUILD.glob(f"{self.name}-*"):
                shutil.rmtree(stale)
            unfinished = self.folder / "unfinished"
            self.make_modules(unfinished)
            unfinished.rename(self.modules)
        shutil.rmtree(self.output, ignore_errors=True)
        self.output.mkdir(parents=True)

    def make_modules(self, folder):
        toolchain = self.toolchain
        retarget_modules(toolchain.library, toolchain.triple, self.target, folder)
        # Swift's module map of the C library applies to Linux targets only.
        header = next(toolchain.library.glob("*/SwiftGlibc.h"), None)
        if header is None:
            raise SetupError(f"there is no SwiftGlibc.h in {toolchain.library}")
        (folder / "module.modulemap").write_text(
            f'module SwiftGlibc [system] {{ header "{header}" export * }}\n', encoding="utf-8")
        # The part of an Apple SDK's settings that the compiler reads.
        (folder / "SDKSettings.json").write_text(
            json.dumps({
                "Version": "26.0", "MaximumDeploymentTarget": "26.0.99",
                "VersionMap": {
                    "iOS_visionOS": VISION_VERSIONS,
                    "visionOS_iOS": {vision: ios for ios, vision in VISION_VERSIONS.items()},
                },
            }), encoding="utf-8")
        for name in STUBS:
            path = HERE / f"Modules/{name}.swiftinterface"
            platforms = re.search(r"^// platforms: (.*)$", path.read_text(encoding="utf-8"), re.M)
            if not platforms or self.name in platforms[1].split():
                self.make_module(name, path, folder)
        if self.name == "macOS":
            self.make_testing(folder)

    def make_testing(self, folder):
        """Builds Swift Testing from the interface that the toolchain has for its own target."""
        name = f"Testing.swiftmodule/{self.toolchain.triple}.swiftinterface"
        source = next(self.toolchain.library.rglob(name), None)
        if source is None:
            raise SetupError(f"there is no {name} in {self.toolchain.library}")
        text = re.sub(r"(?m)^(// swift-module-flags:.*?)-target \S+", r"\1", source.read_text("utf-8"))
        path = folder / "Testing.swiftinterface"
        path.write_text(text, encoding="utf-8")
        self.make_module("Testing", path, folder)

    def make_module(self, name, interface, folder):
        destination = folder / f"{name}.swiftmodule"
        destination.mkdir()
        arguments = [
            "-compile-module-from-interface", "-module-name", name, interface,
            "-o", destination / f"{self.target}.swiftmodule",
        ]
        code, text = self.frontend(arguments, modules=folder)
        if code != 0:
            raise SetupError(f"{interface} does not compile for {self.name}:\n{text}")

    def frontend(self, arguments, modules=None):
        """Runs the compiler; returns its exit code and its output."""
        modules = modules or self.modules
        resources = self.toolchain.resources
        command = [
            "swiftc", "-frontend", "-target", f"{self.target}{self.version}",
            # The C headers and Foundation's classes are those of Linux, without Objective-C.
            "-clang-target", self.toolchain.triple, "-disable-objc-interop",
            "-platform-availability-inheritance-map-path", modules,
            "-I", modules, "-I", self.output, "-I", resources,
            "-resource-dir", resources, "-plugin-path", resources / "host/plugins",
            "-plugin-path", resources / "host/plugins/testing",
            "-module-cache-path", self.toolchain.cache, *self.toolchain.options, *arguments,
        ]
        result = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, check=False)
        text = result.stdout + result.stderr
        return result.returncode, text or f"swiftc ended with {result.returncode}\n"

    def compile(self, package, target, sources, output):
        """Compiles a module up to the data race checks; typechecks only the test files with conditions."""
        if target["resources"]:
            accessor = output / f"{target['name']}-resources.swift"
            accessor.write_text(
                "import Foundation\nextension Bundle { static let module = Bundle.main }\n", "utf-8")
            sources = [*sources, accessor]
        arguments = [
            *package.flags(target, self), "-package-name", package.name,
            "-module-name", target["name"], "-D", "DEBUG", "-D", "SWIFT_PACKAGE", "-enable-testing",
        ]
        if not any(path.name == "main.swift" for path in sources):
            arguments.append("-parse-as-library")
        if target["type"] == "test":
            # All test files would take longer than everything else.
            arguments.append("-typecheck")
            for path in sources:
                arguments += ["-primary-file", path] if has_conditions(path) else [path]
        else:
            arguments += [
                "-emit-module", "-o", output / f"{target['name']}.swiftmodule", *sources]
        return self.frontend(arguments)

    def unknown_modules(self, sources):
        """Errors for `canImport` conditions that can only be evaluated on a Mac."""
        known = {path.stem for path in self.modules.glob("*.swiftmodule")} | NOT_APPLE | set(STUBS)
        for path in sources:
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                for name in re.findall(r"\bcanImport\((\w+)\)", line):
                    if name not in known:
                        yield (
                            f"{path}:{number}:1: error: canImport({name}) is unknown here; declare "
                            f"what you use of it in {HERE}/Modules/{name}.swiftinterface\n")


def has_conditions(path):
    return re.search(r"(?m)^\s*#if\b", path.read_text("utf-8")) is not None


def check(platform, package):
    """Returns the errors in the package as text."""
    platform.prepare()
    errors = []
    for target in package.targets_for(platform):
        sources = package.sources(target)
        errors += platform.unknown_modules(sources)
        code, text = platform.compile(package, target, sources, platform.output)
        if code != 0:
            # Modules that import this one would only report that it is missing.
            return "".join([*errors, text])
    return "".join(errors)


def main(arguments):
    tests_itself = arguments[:1] == ["--self-test"]
    names = arguments[1:] if tests_itself else arguments
    for name in names:
        if name not in PLATFORMS:
            print(f"check.sh: there is no platform \"{name}\"; see --help", file=sys.stderr)
            return 64
    package, toolchain = Package(), Toolchain()
    platforms = [Platform(name, package, toolchain) for name in names or PLATFORMS]
    for stale in BUILD.glob("headers-*"):
        if stale != toolchain.cache:
            shutil.rmtree(stale)
    toolchain.cache.mkdir(parents=True, exist_ok=True)
    if sys.stderr.isatty() and not tests_itself:
        toolchain.options.append("-color-diagnostics")

    def work(platform):
        if tests_itself:
            return self_test.check(platform, package)
        return check(platform, package)

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = list(pool.map(work, platforms))
    for platform, text in zip(platforms, results):
        title = f"{platform.name} {platform.version}"
        if text:
            print(f"{text.rstrip()}\n-- as above for {title}", file=sys.stderr)
        elif tests_itself:
            print(f"{title}: every planted misuse is reported.")
        else:
            print(f"{title}: {len(package.targets_for(platform))} targets typecheck against stubs.")
    return 1 if any(results) else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except SetupError as error:
        print(f"check.sh: {error}", file=sys.stderr)
        sys.exit(69)
