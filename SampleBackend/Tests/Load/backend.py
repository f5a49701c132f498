"""The backend under measurement."""

import http.client
import json
import os
import re
import subprocess
import sys
import time

LIMIT = 60  # Time limit of any operation, in seconds.


def publish(port, template):
    """Publishes; returns the times of the request and of its response, and the version."""
    body = json.dumps(template)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
    connection.connect()
    sent = time.monotonic_ns()
    connection.request("PUT", "/v1/projects/default/remoteConfig", body, {
        "Authorization": "Bearer " + os.environ["ACTIVECONFIG_ADMIN_TOKEN"], "If-Match": "*"})
    response = connection.getresponse()
    answer = response.read()
    answered = time.monotonic_ns()
    connection.close()
    if response.status != 200:
        sys.exit(f"a publish was answered with {response.status}: {answer}")
    return sent, answered, int(json.loads(answer)["version"]["versionNumber"])


class Backend:
    """The backend on one store and one port, which it keeps across restarts."""

    def __init__(self, program, work):
        self.program = program
        self.store = "sqlite:" + os.path.join(work, "streams.sqlite")
        self.port = 0
        self.process = None

    def start(self):
        """Starts the backend; returns the time at which it listens, in nanoseconds."""
        self.process = subprocess.Popen(
            [self.program, "serve", "--port", str(self.port), "--store", self.store, "--log-level", "warning"],
            stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        listening = time.monotonic_ns()
        found = re.match(r"listening on http://127\.0\.0\.1:(\d+)$", line)
        if not found:
            sys.exit(f"the backend did not start: {line}")
        self.port = int(found.group(1))
        return listening

    def end(self, number):
        """Ends the backend with a signal; returns its exit status and the seconds until then."""
        if self.process is None:
            return None, 0
        start = time.monotonic()
        self.process.send_signal(number)
        try:
            status = self.process.wait(LIMIT)
        finally:
            self.process.kill()
        return status, time.monotonic() - start

    def memory(self):
        """The resident memory of the backend, in KiB."""
        return int(subprocess.check_output(["ps", "-o", "rss=", "-p", str(self.process.pid)]))

    def publish(self, template):
        return publish(self.port, template)

    def publish_to_store(self, template):
        """Publishes while the backend is not running; returns the version."""
        command = [self.program, "publish", "-", "--force", "--json", "--store", self.store]
        answer = json.loads(subprocess.run(
            command, input=json.dumps(template), text=True, check=True, stdout=subprocess.PIPE).stdout)
        return int(answer["versionNumber"])
