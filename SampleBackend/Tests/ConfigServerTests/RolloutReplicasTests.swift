import Foundation
import JSONTree
import NIOConcurrencyHelpers
import SeededRandomness
import TemplateStore
import Templates
import Testing

@testable import AdminAPI
@testable import ClientAPI
@testable import HTTPServing

/// Rollouts whose apps report to several servers, with a clock that stands still.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RolloutReplicasTests {
    private typealias Server = ScheduleTestServer
    private typealias Rollouts = RolloutTests

    /// Servers on one store, each with reports of its own.
    private struct Servers {
        let table = AnnouncementTable()
        var all: [Server] = []

        init(_ count: Int) async throws {
            for number in 0..<count {
                all.append(
                    try await Server(
                        on: all.first, reports: Acknowledgements(),
                        announcements: table["\(number)"], template: Rollouts.template()))
            }
        }

        subscript(_ index: Int) -> Server { all[index] }

        /// A server that was restarted.
        mutating func restart(_ index: Int) async throws {
            table.remove("\(index)")
            all[index] = try await Server(
                on: all[(index + 1) % all.count], reports: Acknowledgements(),
                announcements: table["\(index)"])
        }

        func announce(streams: [Int] = []) async throws {
            // Twice: they announce what they know of each other's users.
            for _ in 0..<2 {
                for (index, server) in all.enumerated() {
                    try await server.announce(
                        streams: index < streams.count ? streams[index] : 0)
                }
            }
        }

        /// Starts a rollout, of which all servers know.
        func start(
            streams: [Int] = [], _ members: [String: JSONNode]
        ) async throws -> String {
            let made = await Rollouts.create(on: all[0], Rollouts.plan([10, 100], at: 60, members))
            for server in all { try await server.perform(at: 0) }
            try await announce(streams: streams)
            try await all[0].perform(at: 60)
            #expect(try await all[0].version()?.number == 2)
            for server in all { try await server.perform(at: 61) }
            return made.id
        }

        func state(_ id: String, at seconds: Double) async throws -> JSONNode {
            try await all[0].perform(at: seconds)
            return await Rollouts.rollout(id, on: all[0])
        }
    }

    /// Neither more frequent problems nor newer versions hide it from the server that decides.
    @Test func aRareProblemAtAnotherServerHoldsARollout() async throws {
        let servers = try await Servers(3)
        let id = try await servers.start(["maximumProblemPercent": 5])
        for place in 0..<70 {
            try servers[2].report(
                version: 2, clients: 5, from: 100 + 5 * place, withProblems: 5, at: "b\(place)")
        }
        try servers[2].report(version: 2, clients: 50)
        try servers[2].report(version: 2, clients: 3, withProblems: 3)
        for number in 1...9 {
            await servers[0].publish(Rollouts.template("percent('x') <= 10", b: "\(number)"))
            try servers[2].report(version: 2 + number, clients: 1, from: 1_000 + number)
        }
        try await servers.announce()
        let rollout = try await servers.state(id, at: 120)
        #expect(rollout["state"] == "held", "\(rollout)")
        #expect(
            rollout["reason"]?.stringValue?.contains("3 of them have new problems at Default.a")
                == true, "\(rollout)")
    }

    @Test func aClientThatReportsToTwoServersCountsOnce() async throws {
        let servers = try await Servers(3)
        let id = try await servers.start(["maximumProblemPercent": 1])
        // More than the samples of all users contain.
        try servers[0].report(version: 2, clients: 1_500, from: 10_000)
        for server in servers.all.suffix(2) {
            try server.report(version: 2, clients: 2, withProblems: 2)
        }
        try await servers.announce()
        var rollout = try await servers.state(id, at: 120)
        #expect(rollout["state"] == "running", "\(rollout)")
        try servers[0].report(version: 2, clients: 1, from: 2, withProblems: 1)
        rollout = try await servers.state(id, at: 121)
        #expect(rollout["state"] == "held", "\(rollout)")
    }

    /// What a client has reported to another server since counts, not the problem before.
    @Test func aProblemThatIsOverAtAnotherServerDoesNotCount() async throws {
        let servers = try await Servers(3)
        let id = try await servers.start(["maximumProblemPercent": 1])
        try servers[1].report(version: 2, clients: 1_500, withProblems: 3)
        await servers[0].publish(Rollouts.template("percent('x') <= 10", b: "fixed"))
        try servers[2].report(version: 3, clients: 3)
        try await servers.announce()
        let rollout = try await servers.state(id, at: 120)
        #expect(rollout["state"] == "running", "\(rollout)")
    }

    /// Problems before the start, however rare, are compared with those of the same servers after it.
    @Test func aStartWaitsForTheReportsOfAllServers() async throws {
        let servers = try await Servers(2)
        func report(_ version: Int) throws {
            for place in 0..<12 {
                try servers[1].report(
                    version: version, clients: 40, from: 1_000 + 40 * place, withProblems: 40,
                    at: "b\(place)")
            }
            try servers[1].report(version: version, clients: 100, withProblems: 20)
        }
        try report(1)
        try await servers.announce()
        let made = await Rollouts.create(
            on: servers[0], Rollouts.plan([10, 100], ["maximumProblemPercent": 5]))
        try await servers[0].perform(at: 0)
        #expect(try await servers[0].version()?.number == 1)
        try await servers[1].perform(at: 1)
        try await servers.announce()
        try await servers[0].perform(at: 2)
        #expect(try await servers[0].version()?.number == 2)
        try report(2)
        try await servers.announce()
        let rollout = try await servers.state(made.id, at: 120)
        #expect(rollout["state"] == "running", "\(rollout)")
    }

    @Test func aStartDoesNotWaitLongForAServer() async throws {
        let servers = try await Servers(2)
        try await servers.announce()
        _ = await Rollouts.create(on: servers[0])
        try await servers[0].perform(at: 14)
        #expect(try await servers[0].version()?.number == 1)
        try await servers[0].perform(at: 15)
        #expect(try await servers[0].version()?.number == 2)
    }

    @Test func aStepWaitsForTheReportsOfASilentServer() async throws {
        let servers = try await Servers(2)
        let id = try await servers.start(["maximumProblemPercent": 5])
        try servers.table["1"].announce(Data("{}".utf8), as: ReplicaRollouts.name)
        var rollout = try await servers.state(id, at: 3_660)
        #expect(rollout["check"]?["result"] == "waiting", "\(rollout)")
        #expect(try await servers[0].version()?.number == 2)
        // Its end is one, too.
        servers.table.remove("1")
        rollout = try await servers.state(id, at: 3_661)
        #expect(try await servers[0].version()?.number == 3, "\(rollout)")
    }

    /// Its clients come back, there or at other servers; those of a server that runs on do not.
    @Test func theStreamsOfARestartedServerAreNotLost() async throws {
        var servers = try await Servers(3)
        let id = try await servers.start(
            streams: [0, 100, 100], ["maximumLostStreamPercent": 20])
        try await servers.announce(streams: [0, 100, 100])
        #expect(try await servers.state(id, at: 130)["check"]?["lostStreamPercent"] == 0)
        servers.table.remove("2")
        #expect(try await servers.state(id, at: 131)["check"]?["lostStreamPercent"] == 0)
        try await servers.restart(2)
        try await servers.announce(streams: [0, 130, 50])
        #expect(try await servers.state(id, at: 140)["check"]?["lostStreamPercent"] == 0)
        // A server that is added takes over streams that reconnect.
        try await servers.announce(streams: [0, 50, 150])
        #expect(try await servers.state(id, at: 150)["check"]?["lostStreamPercent"] == 0)
        try await servers.announce(streams: [0, 50, 100])
        let rollout = try await servers.state(id, at: 160)
        #expect(rollout["state"] == "held", "\(rollout)")
        #expect(rollout["reason"]?.stringValue?.hasPrefix("50 % of the streams") == true)
    }

    /// The others have reports of all the time since the step.
    @Test func aRestartOfOneOfSeveralServersDelaysNoStep() async throws {
        var servers = try await Servers(2)
        let id = try await servers.start(["maximumProblemPercent": 5])
        servers[0].clock.withLockedValue { $0 = Server.beginning + 3_600 }
        try await servers.restart(0)
        try await servers.announce()
        let rollout = try await servers.state(id, at: 3_660)
        #expect(try await servers[0].version()?.number == 3, "\(rollout)")
    }
}
