#!/usr/bin/env python3
"""Publishes through three replicas while members, connections and replicas fail, and checks the results.

USAGE: faults.py --binary SAMPLE-BACKEND [--store etcd|sqlite] [--planted deaf] [OPTIONS]
       faults.py --store register [--planted retry|acknowledge|stale] [OPTIONS]

Starts three etcd members, three replicas on them (one with a clock that is an hour ahead), five clients that read
and publish through all replicas, and 300 users' streams. Then one fault after the other:

FAULTS

Each client records its requests and responses; linearizability.py checks that nothing acknowledged is
lost, stored twice or out of order. In addition, each stream and each replica's documents are compared with the
published versions; replicas must always respond, and must agree within 5 s of a repair (20 s for "forget").

  --binary PATH     the program of the replicas
  --store NAME      etcd; or sqlite, replicas on one database; or register, without replicas: a client in Python that
                    writes the keys of etcd directly
  --planted NAME    a fault that must be found: the client of --store register publishes again after an unknown
                    outcome, takes it for success, or reads old values; or streams that lose some updates
  --faults A,B      only these faults, in this order (default: each once, in random order)
  --minutes N       random faults for N minutes
  --publishes N     minimum number of acknowledged publishes (default 500)
  --users N         number of streams (default 300)
  --seed N          seed of the random choices (default: from the clock; printed)
  --history FILE    writes the history there; after a violation that was not planted it is always kept, with the logs
  --json            prints the results as JSON

Exit codes: 0 no violation, 1 a violation, 64 wrong arguments, 69 a program is missing.
"""

import argparse
import json
import os
import random
import secrets
import shutil
import signal
import sys
import tempfile
import time
from contextlib import ExitStack

from clients import Plans, Publisher
from history import Recorder
from members import Cluster
from processes import LIMIT, wait_until
from registers import PROJECT, EtcdRegister, Link, TemplateRegister, template
from replicas import Documents, Replica
from report import Report, Window
from schedule import CLOCK, FAULTS, OF_MEMBERS, OF_REPLICAS, REACHES
from listeners import Streams

REPLICAS, CLIENTS = 3, 5
PAUSE = 0.25  # Seconds between a client's publishes, on average.


class Run:
    """The programs and clients of one run, as a context."""

    def __init__(self, options):
        self.options, self.random = options, random.Random(options.seed)
        self.stack, self.recorder, self.plans = ExitStack(), Recorder(), Plans()
        self.cluster = self.documents = self.streams = None
        self.folder, self.keeps_files = tempfile.mkdtemp(prefix="scale-"), False
        self.replicas, self.windows, self.publishers = [], [], []

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *_):
        self.stack.close()

    def remove_files(self):
        if not self.keeps_files:
            shutil.rmtree(self.folder, ignore_errors=True)

    def progress(self, text):
        if sys.stderr.isatty():
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def start(self):
        options = self.options
        self.progress("starting …")
        folder = self.folder
        self.stack.callback(self.remove_files)
        stores = ["sqlite:" + os.path.join(folder, "store.sqlite")] * REPLICAS
        names = [f"r{number + 1}" for number in range(REPLICAS)]
        if options.store != "sqlite":
            self.cluster = self.stack.enter_context(Cluster(folder=folder))
            self.cluster.start()
            self.cluster.wait_until_ready()
            urls = [self.cluster.relayed(name) for name in names]
            stores = ["etcd:" + ",".join(of_replica) for of_replica in urls]
        if options.store == "register":
            ports = [[int(url.rsplit(":", 1)[1]) for url in of_replica] for of_replica in urls]
            def registers():
                return [EtcdRegister(name, own, options.planted) for name, own in zip(names, ports)]
            registers()[0].start("start")
        else:
            token = os.environ["ACTIVECONFIG_ADMIN_TOKEN"] = secrets.token_hex(24)
            for name, store in zip(names, stores):
                offset = 3600 if name == names[-1] and CLOCK in options.faults else None
                self.replicas.append(Replica(name, options.binary, store, folder, offset))
                self.stack.callback(self.replicas[-1].kill)
                self.replicas[-1].start()
            ports = [replica.port for replica in self.replicas]
            def registers():
                return [TemplateRegister(name, port, token) for name, port in zip(names, ports)]
            self.publish_first(token)
            self.documents = Documents(self.replicas, self.recorder)
            self.documents.start()
            self.stack.callback(self.documents.is_over.set)
            self.streams = Streams(ports, options.users, options.seed, options.planted == "deaf")
            self.streams.start()
            wait_until(lambda: self.streams.open == options.users, "the streams are open")
        self.own_registers = registers()
        self.recorder.history.start = (1, "start")
        for number in range(CLIENTS):
            self.publishers.append(Publisher(
                f"c{number + 1}", registers(), self.recorder, self.plans, options.seed, PAUSE))
            self.publishers[-1].start()
        self.stack.callback(lambda: [publisher.is_over.set() for publisher in self.publishers])

    def publish_first(self, token):
        body = json.dumps(template("start", self.plans.values["start"]))
        fields = {"Authorization": "Bearer " + token, "If-Match": "*"}
        answer = Link(self.replicas[0].port).ask("PUT", PROJECT, body, fields, LIMIT)
        if answer is None or answer[0] != 200:
            raise RuntimeError(f"the first publish was answered with {answer}")
        for replica in self.replicas:
            replica.wait_until_ready()
            user = Link(replica.port)
            wait_until(lambda u=user: u.ask("GET", "/activeconfig")[0] == 200, f"{replica.name} has the first version")

    def break_and_repair(self, name):
        """Runs one fault, and waits until the replicas agree again."""
        began = time.monotonic_ns()
        fault = FAULTS[name](self)
        time.sleep(next(fault))
        if next(fault, None) is not None:
            raise RuntimeError(f"the fault {name} is not over")
        self.windows.append(Window(name, began, time.monotonic_ns()))
        wanted = self.recorder.newest_stored()
        if self.documents is not None:
            end = time.monotonic() + REACHES.get(name, LIMIT / 2)
            while min(self.documents.newest) < wanted and time.monotonic() < end:
                time.sleep(0.05)
        time.sleep(self.random.uniform(0.5, 1.5))

    def acknowledged(self):
        with self.recorder.lock:
            return sum(operation.outcome == "stored" for operation in self.recorder.history.operations)

    def break_all(self):
        """Runs the whole schedule, then continues until there are enough publishes."""
        options = self.options
        wait_until(lambda: self.acknowledged() >= 2 * CLIENTS, "the first publishes")
        began = time.monotonic()
        names = [name for name in options.faults if name != CLOCK]
        if not options.in_order:
            self.random.shuffle(names)
        end = began + 60 * options.minutes
        while names and (time.monotonic() < end or len(self.windows) < len(names)):
            name = names[len(self.windows)] if len(self.windows) < len(names) else self.random.choice(names)
            self.progress(f"{time.monotonic() - began:4.0f} s, {self.acknowledged()} publishes, {name} …")
            self.break_and_repair(name)
        self.progress("publishing on …")
        wait_until(lambda: self.acknowledged() >= options.publishes or any(p.error for p in self.publishers),
                   f"{options.publishes} publishes", 5 * LIMIT)

    def end(self):
        """Stops the clients, reads the stored versions, and gives the streams time to receive them."""
        self.progress("ending …")
        for publisher in self.publishers:
            publisher.is_over.set()
        for publisher in self.publishers:
            publisher.join(LIMIT)
            if publisher.error or publisher.is_alive():
                raise RuntimeError(f"{publisher.name} failed: {publisher.error!r}")
        history = self.recorder.history
        history.stored, history.audit = self.own_registers[0].stored(), self.own_registers[0].audit()
        newest = history.stored[-1][0]
        if self.documents is not None:
            end = time.monotonic() + REACHES["forget"]
            while min(self.documents.newest) < newest and time.monotonic() < end:
                time.sleep(0.05)
            time.sleep(1)  # The streams have the same time, which is more than they need.
            self.documents.end()
            self.streams.end()


def options_of(arguments):
    """The options, or the exit code for invalid ones."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--binary")
    parser.add_argument("--store", choices=["etcd", "sqlite", "register"], default="etcd")
    parser.add_argument("--planted", choices=["retry", "acknowledge", "stale", "deaf"])
    parser.add_argument("--faults")
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--publishes", type=int, default=500)
    parser.add_argument("--users", type=int, default=300)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--history")
    parser.add_argument("--json", action="store_true")
    try:
        options = parser.parse_args(arguments)
    except SystemExit:
        return 64
    known = {"etcd": [CLOCK, *FAULTS], "sqlite": [CLOCK, *OF_REPLICAS], "register": list(OF_MEMBERS)}[options.store]
    options.in_order = options.faults is not None
    options.faults = options.faults.split(",") if options.faults else known
    wrong = [f"the fault {name} is none of {', '.join(known)}" for name in options.faults if name not in known]
    if options.store != "register" and options.binary is None:
        wrong.append("--binary is missing")
    if options.planted and (options.planted == "deaf") == (options.store == "register"):
        wrong.append(f"--planted {options.planted} does not go with --store {options.store}")
    if wrong:
        print(f"faults.py: {wrong[0]}; see --help", file=sys.stderr)
        return 64
    return options


def main():
    if {"-h", "--help"} & set(sys.argv[1:]):
        names = ", ".join([*FAULTS, CLOCK])
        print(__doc__.strip().replace("FAULTS\n", f"  {names}\n", 1))
        return 0
    options = options_of(sys.argv[1:])
    if isinstance(options, int):
        return options
    for program in [*(["etcd"] if options.store != "sqlite" else []), *([options.binary] if options.binary else [])]:
        if shutil.which(program) is None:
            print(f"faults.py: {program} is missing", file=sys.stderr)
            return 69
    for number in signal.SIGTERM, signal.SIGINT:
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    with Run(options) as run:
        run.break_all()
        run.end()
        run.progress("checking …")
        report = Report(run)
        history = options.history or os.path.join(run.folder, "history")
        with open(history, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in run.recorder.history.lines())
        run.keeps_files = bool(report.violations) and not options.planted
    run.progress("")
    print(json.dumps(report.json()) if options.json else report.text())
    if run.keeps_files:
        print(f"faults.py: the history and the logs are in {run.folder}", file=sys.stderr)
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main())
