"""Programs that a test starts, which never outlive it."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time

LIMIT = 60  # Time limit of a start or an exit, in seconds.
TICK = os.sysconf("SC_CLK_TCK")
DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux.


def die_with_parent():
    """Runs in the child: it is killed when the thread that started it ends, for any reason."""
    os.setpgid(0, 0)  # Ctrl-C reaches the test only, which stops the others in order.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def free_ports(count):
    """Ports of 127.0.0.1 that are free now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [listener.getsockname()[1] for listener in sockets]
    for listener in sockets:
        listener.close()
    return ports


def wait_until(condition, what, limit=LIMIT, pause=0.05):
    """Waits until the condition returns a true value, and returns that."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if result := condition():
            return result
        time.sleep(pause)
    raise TimeoutError(f"{what}: not within {limit} s")


def memory(pid):
    """KiB of resident memory of a process."""
    return int(subprocess.check_output(["ps", "-o", "rss=", "-p", str(pid)]))


def processor_time(pid):
    """Seconds of processor time that a process has taken."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


class Program:
    """A program that can be restarted; its standard error is written to a file."""

    def __init__(self, name, command, log, environment=None):
        self.name, self.command, self.log = name, command, log
        self.environment = os.environ | (environment or {})
        self.process = None

    @property
    def pid(self):
        return self.process.pid

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                env=self.environment, preexec_fn=die_with_parent)

    def send(self, number):
        if self.is_running:
            self.process.send_signal(number)

    def pause(self):
        self.send(signal.SIGSTOP)

    def resume(self):
        self.send(signal.SIGCONT)

    def kill(self):
        """Kills it by SIGKILL, also while it is stopped, and waits for its end."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(LIMIT)

    def terminate(self):
        """Terminates it by SIGTERM, or by SIGKILL after the time limit; returns its exit status."""
        if self.process is None:
            return None
        self.resume()
        self.send(signal.SIGTERM)
        try:
            return self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.kill()
            return self.process.returncode

    def last_lines(self, count=15):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-count:])
