"""The conditions of a measurement: commit, date and machine."""

import datetime
import os
import platform
import subprocess
from dataclasses import dataclass

SERVERS = {"this": "ActiveConfig", "nginx": "nginx", "nio": "bare SwiftNIO handler", "hummingbird": "Hummingbird route"}


def side(name, earlier):
    """The display name of a side or a server in tables and plots."""
    return f"ActiveConfig at {earlier}" if name == "earlier" else SERVERS[name]


@dataclass
class Conditions:
    commit: str
    date: str
    machine: str
    command: str | None
    earlier: str | None

    @property
    def line(self):
        against = f", beside {self.earlier}" if self.earlier else ""
        return f"{self.date}, commit {self.commit}{against}; {self.machine}"

    @property
    def paragraph(self):
        return f"Measured by `{self.command}`: {self.line}."

    @property
    def fields(self):
        return {key: value for key, value in vars(self).items() if value}


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False,
                          cwd=os.path.dirname(os.path.abspath(__file__))).stdout.strip()


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(": ", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def system():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.platform(terse=True)


def of(command, earlier):
    """The conditions of a measurement that has just ended."""
    changes = " with changes" if output("git", "status", "--porcelain", "--untracked-files=no") else ""
    return Conditions(
        output("git", "rev-parse", "--short", "HEAD") + changes, datetime.date.today().isoformat(),
        f"{os.cpu_count()} processors ({processor()}), {system()}", command, earlier)
