import Foundation
import JSONTree
import SeededRandomness
import Testing

@testable import AdminAPI
@testable import ClientAPI

/// The problems at the places of rollouts, which replicas announce whole.
@Suite struct WatchedProblemsTests {
    private static let place = ProblemPlace(section: "S", key: "a")

    private static func word(_ version: Int, _ keys: String...) throws -> Acknowledgement {
        try Acknowledgement([
            "template_version": .number("\(version)"),
            "problems": .array(keys.map { ["section": "S", "key": .string($0)] }),
        ])
    }

    /// Number of clients with problems at ``place``, of replicas whose samples cover no user.
    private static func clients(
        _ replicas: [ProjectAcknowledgements], from version: Int = 1
    ) -> Int {
        let lists = replicas.map { $0.problems(at: [place], words: []) }
        let users = lists.reduce(into: Set<UInt64>()) { $0.formUnion($1.users) }
        return replicas.map {
            ReplicaAcknowledgements(
                $0.counts, nil, problems: $0.problems(at: [place], words: users))
        }.clientsWithProblems(from: version)[place.identifier] ?? 0
    }

    /// As if there were one replica, as long as it lists all users with problems.
    @Test func aUserCountsOnceWhereverTheLastReportWas() throws {
        var generator = SeededGenerator.printingItsSeed()
        for round in 0..<50 {
            var whole = ProjectAcknowledgements(limits: .init())
            var replicas = Array(repeating: whole, count: Int.random(in: 1...4, using: &generator))
            for version in 1...4 {
                for user in 0..<30 as Range<UInt64> where Bool.random(using: &generator) {
                    let keys = ["a", "b"].randomElement(using: &generator) ?? ""
                    let word =
                        Bool.random(using: &generator)
                        ? try Self.word(version) : try Self.word(version, keys)
                    let index = replicas.indices.randomElement(using: &generator) ?? 0
                    whole.record(word, user: user, time: version)
                    replicas[index].record(word, user: user, time: version)
                }
            }
            #expect(Self.clients(replicas) == Self.clients([whole]), "round \(round)")
            #expect(
                Self.clients(replicas, from: 3) == Self.clients([whole], from: 3), "round \(round)")
        }
    }

    /// With more users than are listed, it is an estimate.
    @Test func theListedUsersShowHowManyCountTwice() throws {
        var generator = SeededGenerator.printingItsSeed()
        var replicas = Array(repeating: ProjectAcknowledgements(limits: .init()), count: 2)
        for index in 0..<3_000 {
            let user = UInt64.random(in: 0 ... .max, using: &generator)
            replicas[0].record(try Self.word(2, "a"), user: user)
            if index.isMultiple(of: 2) { replicas[1].record(try Self.word(2, "a"), user: user) }
        }
        #expect((2_200...4_000).contains(Self.clients(replicas)))
        let apart = [replicas[0], ProjectAcknowledgements(limits: .init())]
        #expect(Self.clients(apart) == 3_000)
    }

    /// Ten other problems, or sixty, take no room.
    @Test func aWatchedPlaceIsCountedBesideAnyOthers() throws {
        var limits = ProjectAcknowledgements.Limits()
        limits.places = 2
        var list = ProjectAcknowledgements(limits: limits)
        list.record(try Self.word(1, "b", "c", "d"), user: 1)
        list.record(try Self.word(1, "a"), user: 2)
        #expect(Self.clients([list]) == 0)
        list.watched = [Self.place]
        list.record(try Self.word(1, "a"), user: 3)
        list.record(try Self.word(1, "e"), user: 4)
        #expect(Self.clients([list]) == 1)
        let problems = list.counts(listing: 10).versions.first?.problems
        #expect(problems?.map(\.place.key) == ["b", "c", "a"])
    }

    /// Names are compared byte by byte, as everywhere in templates.
    @Test func placesAreComparedByteByByte() {
        let one = ProblemPlace(section: "S", key: "\u{E9}")
        let other = ProblemPlace(section: "S", key: "e\u{301}")
        #expect(one != other && one.identifier != other.identifier)
        #expect(Set([one, other]).count == 2)
        #expect(ProblemPlace(section: "S", key: nil).identifier != one.identifier)
    }

    /// The users are left out first, and then projects, which are named so that no step is taken for
    /// them.
    @Test func anAnnouncementIsBounded() throws {
        func project(places: Int, users: Int) -> ReplicaRollouts.Project {
            var problems = WatchedProblems()
            problems.places = (0..<places).map {
                .init(
                    identifier: .max - UInt64($0), version: 1, clients: users,
                    users: (0..<users).map { .max - UInt64($0) })
            }
            return .init(
                rollouts: ["r"], counts: AcknowledgementCounts(clients: 1), problems: problems)
        }
        let few = ReplicaRollouts(["p": project(places: 10, users: 32)])
        #expect(few.projects["p"]?.problems?.users.count == 32)
        let more = ReplicaRollouts(["p": project(places: 200, users: 32)])
        #expect(more.projects["p"]?.problems?.places.count == 200)
        #expect(more.projects["p"]?.problems?.users.count == 8)
        var all: [String: ReplicaRollouts.Project] = [:]
        for number in 1...20 { all["p\(number)"] = project(places: number * 20, users: 32) }
        let most = ReplicaRollouts(all)
        #expect(try JSONEncoder().encode(most).count <= 100_000)
        #expect(most.projects.count == 20)
        #expect(most.projects["p1"]?.problems?.places.count == 20)
        #expect(most.projects["p20"]?.problems == nil && most.projects["p20"]?.counts == nil)
    }
}
