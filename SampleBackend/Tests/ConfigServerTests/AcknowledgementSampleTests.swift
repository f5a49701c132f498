import Foundation
import JSONTree
import SeededRandomness
import Testing

@testable import ClientAPI

/// Acknowledgements at several replicas, between which a load balancer moves clients.
@Suite struct AcknowledgementSampleTests {
    private static let unlimited: ProjectAcknowledgements.Limits = {
        var limits = ProjectAcknowledgements.Limits()
        limits.users = 100_000
        return limits
    }()

    private func word(_ version: Int, _ sections: String...) throws -> Acknowledgement {
        try Acknowledgement([
            "template_version": .number("\(version)"),
            "problems": .array(sections.map { ["section": .string($0)] }),
        ])
    }

    private func counts(
        _ replicas: [ProjectAcknowledgements], sample: Int = 1_000
    ) -> AcknowledgementCounts {
        AcknowledgementCounts(
            ofReplicas: replicas.map {
                ReplicaAcknowledgements($0.counts, $0.sample(atMost: sample))
            })
    }

    @Test func aClientAtTwoReplicasCountsByItsLastWord() throws {
        var one = ProjectAcknowledgements(limits: Self.unlimited)
        var other = one
        one.record(try word(1), user: 1, time: 10)
        one.record(try word(1), user: 2, time: 10)
        one.record(try word(1, "A"), user: 3, time: 10)
        other.record(try word(2), user: 2, time: 20)
        other.record(try word(2), user: 3, time: 20)
        other.record(try word(2, "A"), user: 1, time: 20)
        for replicas in [[one, other], [other, one]] {
            let found = counts(replicas)
            #expect(found.clients == 3)
            #expect(found.versions.map(\.number) == [2, 1])
            // The first user still uses version 1.
            #expect(found.versions.map(\.inForce) == [2, 1])
            #expect(found.versions.map(\.withProblems) == [1, 0])
            #expect(found.versions[0].problems.map(\.clients) == [1])
        }
    }

    /// A client that stops using a version reports so to another replica.
    @Test func aClientThatGivesAVersionUpDoesNotUseIt() throws {
        func problem(in version: Int, isInForce: Bool) throws -> Acknowledgement {
            try Acknowledgement([
                "template_version": .number("\(version)"), "in_force": .bool(isInForce),
                "problems": [["section": "A"]],
            ])
        }
        var one = ProjectAcknowledgements(limits: Self.unlimited)
        var other = one
        for user in 1...3 as ClosedRange<UInt64> { one.record(try word(1), user: user, time: 10) }
        other.record(try problem(in: 1, isInForce: false), user: 1, time: 20)
        // A version that is active despite problems stays in use, as does the one before a rejected
        // one.
        other.record(try problem(in: 1, isInForce: true), user: 2, time: 20)
        other.record(try problem(in: 2, isInForce: true), user: 3, time: 20)
        other.record(try problem(in: 3, isInForce: false), user: 3, time: 30)
        for replicas in [[one, other], [other, one]] {
            let found = counts(replicas)
            #expect(found.clients == 3)
            #expect(found.versions.map(\.number) == [3, 2, 1])
            #expect(found.versions.map(\.inForce) == [0, 1, 1])
            #expect(found.versions.map(\.withProblems) == [1, 0, 2])
        }
    }

    /// The counts equal those of a single replica, for any number of replicas and any order.
    @Test func theCountsAreThoseOfOneReplicaWhereAllUsersAreInTheSamples() throws {
        var generator = SeededGenerator.printingItsSeed()
        for round in 0..<50 {
            var whole = ProjectAcknowledgements(limits: Self.unlimited)
            var replicas = Array(repeating: whole, count: Int.random(in: 1...4, using: &generator))
            for time in 0..<200 {
                let user = UInt64.random(in: 0..<30, using: &generator)
                // Clients move to later versions over time.
                let word = try word(time / 40 + 1)
                whole.record(word, user: user, time: time)
                let index = replicas.indices.randomElement(using: &generator) ?? 0
                replicas[index].record(word, user: user, time: time)
            }
            #expect(counts(replicas) == whole.counts, "round \(round)")
        }
    }

    @Test func aSampleShowsWhichShareOfTheUsersHasMovedOn() throws {
        var generator = SeededGenerator.printingItsSeed()
        var one = ProjectAcknowledgements(limits: Self.unlimited)
        var other = one
        for index in 0..<20_000 {
            let user = UInt64.random(in: 0 ... .max, using: &generator)
            one.record(try word(1), user: user, time: 10)
            if index.isMultiple(of: 2) { other.record(try word(2), user: user, time: 20) }
        }
        let sample = one.sample(atMost: 500)
        #expect((1...500).contains(sample.count))
        let found = counts([one, other], sample: 500)
        #expect((18_000...22_000).contains(found.clients))
        #expect(found.versions.map(\.number) == [2, 1])
        #expect(found.versions[0].inForce == 10_000)
        #expect((8_000...12_000).contains(found.versions[1].inForce))
        let text = try JSONEncoder().encode(sample)
        #expect(text.count < 50 * sample.count + 100)
        #expect(try JSONDecoder().decode(AcknowledgementSample.self, from: text) == sample)
    }
}
