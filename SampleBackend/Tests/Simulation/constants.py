"""The basis of the simulation: each figure with the command that measured it, or marked as assumed."""

from dataclasses import dataclass

POINTS = "measure.py"
ETCD = "measure_etcd.py"
LOAD = "SampleBackend/load.sh --only"
SCALE = "SampleBackend/load.sh --scale --only"
MACHINE = "2 processors (AMD EPYC) that clients shared, etcd 3.4.23, 2026-11-26"


@dataclass(frozen=True)
class Constant:
    what: str
    value: float
    unit: str
    source: str

    @property
    def is_assumed(self):
        return self.source.startswith("assumed")


CONSTANTS = {
    # Of a replica.
    "stream_memory": Constant("memory of a stream", 4.3, "KiB", POINTS),
    "first_streams": Constant("memory of a replica's first streams", 2.0, "MiB", POINTS),
    "kernel_memory": Constant("memory of a stream in the kernel", 5, "KiB", "assumed: an idle TCP socket and its file"),
    "base_memory": Constant("memory of a replica, with a full cache", 115, "MiB", f"{SCALE} S5"),
    "event_shared": Constant("processor time of an event that users share", 16.5, "µs", f"{POINTS} --kinds same"),
    "event_own": Constant("processor time of an event of a user's own", 31, "µs", f"{POINTS} --kinds own"),
    "event_client": Constant("processor time of an event in the test's client", 11, "µs", f"{POINTS} --kinds same"),
    "conditions": Constant("processor time of 100 more conditions", 3.8, "µs an event or document", f"{LOAD} B1"),
    "idle": Constant("processor time of 1,000 idle streams", 0.09, "% of a processor", POINTS),
    "idle_replica": Constant("processor time of an idle replica", 0.55, "% of a processor", POINTS),
    "idle_on_etcd": Constant("processor time of an idle replica on etcd", 0.1, "% of a processor",
                             f"{POINTS} --stores etcd"),
    "connects": Constant("new streams a second", 4800, "a processor", POINTS),
    "first_event": Constant("time of a publish until the first streams have it", 25, "ms", f"{POINTS}, 2 kB"),
    "documents": Constant("documents a second, hardly two alike", 23600, "a processor", f"{SCALE} S3"),
    "load_template": Constant("time to take over a template of 3,000 parameters", 52, "ms", f"{LOAD} B8: a publish"),
    "efficiency": Constant("part of each further processor that counts", 0.8, "", "assumed: measured with 2 only"),
    # Of etcd.
    "commit": Constant("transaction of a publish, members near each other", 1.7, "ms",
                       "assumed: 1.5 was measured at the leader, by one writer"),
    "watcher_time": Constant("time of an event for each watcher of a member", 0.051, "ms", f"{ETCD}, 1,000 watchers"),
    "watcher_memory": Constant("memory of a watcher", 132, "KiB", f"{ETCD}, 300 watchers"),
    "read": Constant("processor time of a read", 6.4, "ms/MB", f"{ETCD}, 1 MB"),
    "write": Constant("time of a write", 38, "ms/MB", f"{ETCD}, 1 MB"),
    "lease": Constant("time between a replica's writes for its lease", 10, "s", "assumed"),
    "streams_measured": Constant("streams of a process that were measured", 19000, "", f"{SCALE} S1"),
    "watchers_measured": Constant("watchers of a member that were measured", 1000, "", ETCD),
    # Of clients, as ActiveConfigUpdater and the server have them.
    "retry": Constant("first wait of a client", 2, "s, half of it random", "ReconnectDelay, `retry:`"),
    "longest_wait": Constant("longest wait of a client", 60, "s, half of it random", "ActiveConfigUpdater"),
    "silence": Constant("silence after which a client gives up", 45, "s", "ActiveConfigUpdater"),
    "restart_spread": Constant("time over which a restart spreads its clients", 30, "s", "RealtimeHub, at most"),
    "patience": Constant("time a client waits for an answer", 30, "s", "assumed"),
    # Of the world.
    "failover": Constant("time until a lost region's clients are sent elsewhere", 30, "s", "assumed: DNS or anycast"),
    "regions_apart": Constant("round trip between regions", 80, "ms", "assumed"),
    "clients_apart": Constant("one way to a client", 60, "ms, ± 40", "assumed"),
    "peak": Constant("requests at the busiest time to those of the day", 3, "", "assumed"),
    "launches": Constant("launches a user and day", 5, "", "assumed"),
}


def constant(name):
    return CONSTANTS[name].value
