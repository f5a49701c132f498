"""A separate backend for tests that stop it."""

import os
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from console_case import TOKEN


class Backend:
    """A backend with its own database, which can be killed and restarted."""

    def __init__(self, pages=os.environ.get("CONSOLE_TEST_PAGES")):
        """Serves the pages in a folder; without one, the program's."""
        self.pages = pages
        self.folder = tempfile.TemporaryDirectory()
        self.process = None
        self.address = None

    def start(self):
        """Starts the backend, and waits until it listens."""
        database = Path(self.folder.name, "backend.sqlite")
        log = open(Path(self.folder.name, "log"), "a", encoding="utf-8")
        with log:
            self.process = subprocess.Popen(
                [os.environ["ACTIVECONFIG_BACKEND"], "serve", "--port", "0", "--dev",
                 "--store", f"sqlite:{database}", *(["--console-pages", self.pages] if self.pages else [])],
                stdout=subprocess.PIPE, stderr=log, text=True,
                env=os.environ | {"ACTIVECONFIG_ADMIN_TOKEN": TOKEN})
        for line in self.process.stdout:
            if line.startswith("listening on "):
                parts = urlsplit(line.split()[-1])
                self.address = (parts.hostname, parts.port)
                return
        raise RuntimeError(Path(self.folder.name, "log").read_text("utf-8"))

    def kill(self):
        """Kills the backend without a shutdown."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
        self.process = None

    def close(self):
        """Stops the backend, and removes its database."""
        self.kill()
        self.folder.cleanup()
