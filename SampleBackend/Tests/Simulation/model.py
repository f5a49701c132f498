"""The model: the replicas for a crowd, the time until a publish reaches all, the reconnects after the loss of a region,
and the load on etcd. Sizes are formulas; a publish and a return are simulated event by event.
"""

import heapq
import math
import random
from dataclasses import dataclass, replace

from constants import constant

GIB = 1 << 20  # KiB
FILES = 1_000_000  # Open files that a process may have (fs.nr_open of Linux is 1,048,576).
MEMORY_USED = 0.6  # Part of the memory that streams may take; peaks of events and a restart need the rest.
IDLE_USED = 0.3  # Part of the processors that idle streams may take.
SAMPLE = 40_000  # Number of simulated clients that represent all reconnecting ones.


@dataclass(frozen=True)
class Machine:
    processors: int
    gib: int

    @property
    def power(self):
        """Effective number of processors."""
        return 1 + (self.processors - 1) * constant("efficiency") if self.processors > 2 else self.processors

    def __str__(self):
        return f"{self.processors} processor{'s' * (self.processors > 1)}, {self.gib} GiB"


TINY, SMALL, LARGE = Machine(1, 1), Machine(2, 4), Machine(8, 16)


@dataclass(frozen=True)
class Scenario:
    users: int = 100_000_000
    streams: int = 20_000_000
    conditions: int = 200
    parameters: int = 1000
    template_mb: float = 0.3
    interval: float = 60.0  # Seconds between publishes.
    regions: int = 3
    members: int = 3
    told: float = 1.0  # Share of the streams that a publish affects.
    own: bool = False  # Whether hardly two users share an event.
    goal: float = 2.0  # Seconds that a replica may take to notify all its streams.
    machine: Machine = LARGE


class Size:
    """The replicas that a scenario needs, also after the loss of a region."""

    def __init__(self, scenario):
        self.scenario, machine = scenario, scenario.machine
        # µs a stream; the measured template had 100 conditions.
        more = (scenario.conditions - 100) / 100 * constant("conditions")
        self.event = (constant("event_own" if scenario.own else "event_shared") + more) * scenario.told
        self.limits = {
            "memory": (machine.gib * GIB * MEMORY_USED - constant("base_memory") * 1024)
            / (constant("stream_memory") + constant("kernel_memory")),
            "time of a publish": scenario.goal * machine.power * 1e6 / max(self.event, 0.01),
            "idle streams": IDLE_USED * machine.power * 100 / constant("idle") * 1000,
            "open files": FILES,
        }
        self.limit = min(self.limits, key=self.limits.get)
        self.streams_each = int(self.limits[self.limit])
        left = max(1, scenario.regions - 1)
        self.replicas_a_region = max(math.ceil(scenario.streams / left / self.streams_each), 1)
        if scenario.regions == 1 and scenario.streams > 20_000:
            self.replicas_a_region += 1  # One replica may be restarting.
        self.replicas = self.replicas_a_region * scenario.regions
        self.streams_normally = scenario.streams / self.replicas
        self.streams_after_loss = scenario.streams / (self.replicas_a_region * left)
        # One replica of a region may be missing.
        self.streams_at_most = self.streams_after_loss if scenario.regions > 1 else (
            scenario.streams / max(1, self.replicas - 1))
        # One connection in 32 is reserved for other requests, and 256 files are the server's own.
        self.open_files = 1000 * math.ceil((self.streams_at_most * 32 / 31 + 256) / 1000)
        requests = scenario.users * constant("launches") * constant("peak") / 86_400
        self.requests = requests
        each = 1e6 / constant("documents") + more  # µs
        self.request_share = requests * each / 1e6 / (self.replicas * machine.power)
        # A restarting replica closes its streams at random moments.
        self.restart_rate = self.streams_normally / constant("restart_spread")


def spread(generator, value, part=0.2):
    """A time around a value, as services take it: lognormal."""
    return value * generator.lognormvariate(0, part)


def publish(scenario, size, seed=1):
    """Seconds from a publish until half, 99 % and all affected streams have it, and the parts of that time."""
    generator = random.Random(seed)
    regions_apart = constant("regions_apart") / 1000 if scenario.regions > 1 else 0
    commit = (constant("commit") + spread(generator, constant("write") * scenario.template_mb)) / 1000 + regions_apart
    watchers = math.ceil(size.replicas / scenario.members)
    fan_out = constant("watcher_time") / 1000
    read = constant("read") / 1000 * scenario.template_mb
    take_over = constant("load_template") / 1000 * scenario.parameters / 3000
    # Each member reads for its replicas on its processors.
    processors = [[commit] * scenario.machine.processors for _ in range(scenario.members)]
    for queue in processors:
        heapq.heapify(queue)
    seen, published = [], []
    for replica in range(size.replicas):
        member, number = replica % scenario.members, replica // scenario.members
        notified = commit + fan_out * (number + 1) + spread(generator, 0.001)
        begin = max(notified, heapq.heappop(processors[member]))
        done = begin + spread(generator, read)
        heapq.heappush(processors[member], done)
        loaded = done + spread(generator, take_over)
        seen.append(loaded)
        whole = spread(generator, size.streams_normally * size.event / 1e6 / scenario.machine.power, 0.1)
        apart = constant("clients_apart") / 1000
        published += [loaded + whole * (step + 0.5) / 50 + apart * generator.uniform(0.33, 1.67) for step in range(50)]
    published.sort()
    return {"commit": commit, "watchers a member": watchers, "last replica": max(seen),
            "p50": published[len(published) // 2], "p99": published[len(published) * 99 // 100], "last": published[-1]}


def come_back(scenario, size, seed=1, is_silent=False):
    """The reconnects of a lost region's clients: times, attempts, and the load of the other regions.

    A client waits by ReconnectDelay; until `failover` its attempts fail. After it the replicas of
    the other regions take new streams at their rate, one after the other; a client that waits longer than its patience
    reconnects later.
    """
    generator = random.Random(seed)
    lost = scenario.streams / scenario.regions
    weight = lost / SAMPLE
    left = size.replicas_a_region * max(1, scenario.regions - 1)
    rate = left * constant("connects") * scenario.machine.power
    failover = constant("failover") if scenario.regions > 1 else 0
    silence = constant("silence") if is_silent else 0
    attempts, back, seconds, free = 0, [], {}, 0.0

    def wait(failures):
        limit = min(constant("retry") * 2 ** failures, constant("longest_wait"))
        return limit * generator.uniform(0.5, 1)

    events = [(generator.uniform(silence / 3, silence) + wait(0), number, 1) for number in range(SAMPLE)]
    heapq.heapify(events)
    while events:
        moment, number, failures = heapq.heappop(events)
        attempts += weight
        if moment < failover:
            heapq.heappush(events, (moment + wait(failures), number, failures + 1))
            continue
        seconds[int(moment)] = seconds.get(int(moment), 0) + weight
        done = max(free, moment) + weight / rate
        if done - moment > constant("patience"):
            heapq.heappush(events, (moment + constant("patience") + wait(failures), number, failures + 1))
            continue
        free = done
        back.append(done)
    back.sort()
    return {"lost": lost, "attempts": attempts, "peak attempts a second": max(seconds.values()), "rate": rate,
            "p50": back[len(back) // 2], "p99": back[len(back) * 99 // 100], "last": back[-1],
            "streams each after": size.streams_after_loss}


def etcd(scenario, size):
    """The load of the members."""
    watchers = math.ceil(size.replicas / scenario.members)
    return {
        "watchers": size.replicas, "watchers a member": watchers,
        "memory of watchers, MiB a member": watchers * constant("watcher_memory") / 1024,
        "bytes read a publish, MB": size.replicas * scenario.template_mb,
        "bytes sent a publish as JSON, MB": size.replicas * scenario.template_mb * 4 / 3,
        "processor time of reads a publish, s a member": watchers * scenario.template_mb * constant("read") / 1000,
        "part of a processor for reads": watchers * scenario.template_mb * constant("read") / 1000 / scenario.interval,
        "writes a second by leases": size.replicas / constant("lease"),
        "projects whose 300 versions, twice between compactions, take 8 GiB": math.floor(
            (8 << 30) / (300 * 2 * scenario.template_mb * 1e6)),
    }


def ends(scenario):
    """The limits of the design: the resource and the number of streams at which it is exceeded."""
    found = {}
    wanted = {
        "all know within 5 s": lambda s, size: publish(s, size)["last"] <= 5,
        "the last replica knows within 1 s": lambda s, size: publish(s, size)["last replica"] <= 1,
        "reads take half of a member's processors": lambda s, size: etcd(s, size)["part of a processor for reads"]
        <= s.machine.processors / 2,
        "a member's watchers take 4 GiB": lambda s, size: etcd(s, size)["memory of watchers, MiB a member"] <= 4096,
        "99 % of a lost region are back within 2 minutes": lambda s, size: come_back(s, size)["p99"] <= 120,
    }
    for what, holds in wanted.items():
        streams = scenario.streams
        while streams < 10 ** 11:
            larger = replace(scenario, streams=streams * 2, users=scenario.users * streams * 2 // scenario.streams)
            if not holds(larger, Size(larger)):
                break
            streams *= 2
        size = Size(replace(scenario, streams=streams))
        found[what] = {"streams": streams, "replicas": size.replicas, "ends": streams < 10 ** 11}
    return found


def predicted(point):
    """The model's prediction of a measured point: processors are shared by replicas and clients, on one machine."""
    streams, replicas = point["streams"], point["replicas"]
    event = constant("event_own" if point["kind"] == "own" else "event_shared")
    idle = constant("idle_on_etcd" if point.get("store") == "etcd" else "idle_replica")
    whole = streams * (event + constant("event_client")) / 1000 / point["processors"]
    return {
        "last": constant("first_event") + whole, "p50": constant("first_event") + whole / 2,
        "serverMicroseconds": event,
        "kibAStream": constant("stream_memory") + constant("first_streams") * 1024 * replicas / streams,
        "idlePercent": constant("idle") + idle * replicas / streams * 1000,
        "connectSeconds": streams / constant("connects") / point["processors"]}
