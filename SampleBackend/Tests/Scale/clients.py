"""Clients that read the register, change some values, and publish over the version that they read."""

import random
import threading
import time

from history import Operation
from registers import GROUPS, SECTIONS, Unanswered

PATIENCE = (2.0, 5.0, 15.0)  # Seconds after which a client gives up a publish.


class Plans:
    """The values of each content that a client tried to publish, by name."""

    def __init__(self):
        self.cells = [f"{section}.{group}" for section in SECTIONS for group in range(GROUPS)]
        self.values = {"start": {name: f"{name} at first" for name in ["all", *self.cells]}}

    def change(self, base, content, generator):
        """Changes values of a content: of some groups in some sections, and occasionally of all users."""
        names = generator.sample(self.cells, generator.randint(1, 3)) + (["all"] if generator.random() < 0.2 else [])
        self.values[content] = self.values[base] | {name: f"{content} for {name}" for name in names}
        return self.values[content]


class Publisher(threading.Thread):
    """A client with a register at each replica."""

    def __init__(self, name, registers, recorder, plans, seed, pause):
        super().__init__(daemon=True)
        self.name, self.registers, self.recorder, self.plans = name, registers, recorder, plans
        self.random, self.pause = random.Random(f"{seed} {name}"), pause
        self.is_over = threading.Event()
        self.error = None

    def run(self):
        number = 0
        try:
            while not self.is_over.wait(self.random.uniform(0, 2 * self.pause)):
                register = self.random.choice(self.registers)
                current = self.read(register)
                if current is None:
                    continue
                number += 1
                content = f"{self.name}-{number}"
                values = self.plans.change(current[1], content, self.random)
                self.publish(register, current[0], content, values)
                if self.random.random() < 0.5:
                    self.read(self.random.choice(self.registers))
        except Exception as error:  # The run reports the error.
            self.error = error

    def read(self, register):
        """Reads and records; None without a response."""
        operation = Operation("read", time.monotonic_ns(), None, self.name, register.name)
        try:
            operation.version, operation.content = register.read(3)
        except Unanswered:
            return None
        operation.returned = time.monotonic_ns()
        self.recorder.add(operation)
        return operation.version, operation.content

    def publish(self, register, expected, content, values):
        operation = Operation("publish", time.monotonic_ns(), None, self.name, register.name, expected, content)
        operation.outcome, operation.version = register.publish(
            expected, content, values, self.random.choice(PATIENCE))
        if operation.outcome != "unknown":
            operation.returned = time.monotonic_ns()
        self.recorder.add(operation)
