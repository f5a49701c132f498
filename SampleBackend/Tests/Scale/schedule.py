"""The faults. Each is a generator: it breaks something, yields its duration in seconds, and repairs it.

`run` has the cluster of members (none on SQLite), the replicas (none for a register) and a random generator.
"""

import time

REACH = 5.0  # Seconds after a repair within which replicas agree again.
# A frozen connection is never repaired: the replica has to notice that it is silent.
REACHES = {"forget": 20.0}
SHORT, LONG = 4.0, 10.0


def kill_leader(run):
    member = run.cluster.wait_for_leader()
    member.kill()
    yield SHORT
    run.cluster.start(member)


def kill_follower(run):
    member = run.random.choice(run.cluster.followers())
    member.kill()
    yield SHORT
    run.cluster.start(member)


def kill_majority(run):
    members = run.random.sample(run.cluster.members, len(run.cluster.members) // 2 + 1)
    for member in members:
        member.kill()
    yield SHORT
    run.cluster.start(*members)


def end_leader(run):
    """SIGTERM, after which the leader hands over."""
    member = run.cluster.wait_for_leader()
    member.terminate()
    yield SHORT
    run.cluster.start(member)


def stop_leader(run):
    """A suspended leader that resumes after its pending writes were given up and others have led."""
    member = run.cluster.wait_for_leader()
    member.pause()
    yield LONG
    member.resume()


def stop_follower(run):
    member = run.random.choice(run.cluster.followers())
    member.pause()
    yield LONG
    member.resume()


def cut_off_leader(run):
    run.cluster.cut_off(run.cluster.wait_for_leader())
    yield 2 * SHORT
    run.cluster.relay.heal("cut-off")


def cut_off_follower(run):
    run.cluster.cut_off(run.random.choice(run.cluster.followers()))
    yield 2 * SHORT
    run.cluster.relay.heal("cut-off")


def of_replica(mode, holds, count=1, **details):
    """A break of all links between a replica, or several, and the members."""
    def broken(run):
        links = [f"r{number}-*" for number in run.random.sample(range(1, 4), count)]
        run.cluster.relay.break_links("replica", links, mode, **details)
        yield holds
        run.cluster.relay.heal("replica")
    return broken


def cut(run):
    """Connections of all replicas that end within a request or a response."""
    for number in range(1, 4):
        run.cluster.relay.break_links(f"cut {number}", [f"r{number}-*"], "cut", bytes=run.random.randint(200, 3000))
    yield SHORT
    for number in range(1, 4):
        run.cluster.relay.heal(f"cut {number}")


def fill(run):
    run.cluster.fill()
    yield SHORT / 2
    run.cluster.free()


def slow_disk(run):
    """Bursts of SIGSTOP: of the leader, then of all members."""
    for members in [run.cluster.wait_for_leader()], run.cluster.members:
        for _ in range(5):
            for member in members:
                member.pause()
            time.sleep(run.random.uniform(0.2, 0.7))
            for member in members:
                member.resume()
            time.sleep(run.random.uniform(0.05, 0.2))
    yield 0


def kill_replica(run):
    replica = run.random.choice(run.replicas)
    replica.kill()
    yield SHORT
    replica.start()
    replica.wait_until_ready()


def stop_replica(run):
    replica = run.random.choice(run.replicas)
    replica.pause()
    yield SHORT
    replica.resume()


OF_MEMBERS = {
    "kill-leader": kill_leader, "kill-follower": kill_follower, "kill-majority": kill_majority,
    "end-leader": end_leader, "stop-leader": stop_leader, "stop-follower": stop_follower,
    "cut-off-leader": cut_off_leader, "cut-off-follower": cut_off_follower, "full": fill, "slow-disk": slow_disk,
    "cut-off-replica": of_replica("hold", 2 * SHORT), "reset-replica": of_replica("refuse", SHORT),
    "answers-lost": of_replica("hold", SHORT, direction="down"), "cut": cut,
    "delay": of_replica("delay", SHORT, 3, seconds=0.3), "forget": of_replica("forget", SHORT),
}
# Faults that leave a majority of the members, and two replicas: publishing goes on.
OF_ONE_MEMBER = {name for name in OF_MEMBERS if name.endswith(("-leader", "-follower"))}
PAUSE = 15.0  # Seconds without a publish that such a fault may cause by elections and client time-outs.
OF_REPLICAS = {"kill-replica": kill_replica, "stop-replica": stop_replica}
FAULTS = OF_MEMBERS | OF_REPLICAS
CLOCK = "clock"  # The clock of a replica is off by an hour, all the time.
