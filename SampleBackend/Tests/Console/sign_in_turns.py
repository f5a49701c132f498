"""Turns at signing in: the server limits the sign-ins of an address, which all tests share."""

import fcntl
import os
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

# Seconds between two sign-ins at a server, which accepts five a second.
PAUSE = 0.25

# The folder of the time of the last sign-in at each server.
FOLDER = Path(os.environ.get("ACTIVECONFIG_CONSOLE_WORK", tempfile.gettempdir()))


def take_sign_in_turn(url):
    """Waits until a sign-in at a server is not refused because of those of other tests."""
    with (FOLDER / f"sign-ins-{urlsplit(url).port}").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        rest = float(file.read() or 0) + PAUSE - time.time()
        # A clock that was set back does not hold up the tests.
        time.sleep(min(max(rest, 0), PAUSE))
        file.truncate(0)
        file.write(str(time.time()))
