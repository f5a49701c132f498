#!/usr/bin/env python3
"""Serves the documentation on this machine and shows it in a browser; Tests/run.sh docs --open runs this.

USAGE: Tests/open-documentation.py ARCHIVE

ARCHIVE is a folder that `docc merge` has written. Without a display it only prints the address. Ends with
Ctrl-C.
"""

import functools
import http.server
import os
import sys
import webbrowser


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        """Requests are of no interest."""


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments == ["--help"] else 64
    handler = functools.partial(Handler, directory=arguments[0])
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        address = f"http://127.0.0.1:{server.server_port}/documentation/"
        print(f"The documentation is at {address} until Ctrl-C.", flush=True)
        if sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
            webbrowser.open(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
