import JSONTree
import Testing

@testable import ClientAPI

/// The memory of acknowledgements, and their counts.
@Suite struct ProjectAcknowledgementsTests {
    private func limits(
        users: Int = 10, versions: Int = 3, places: Int = 2
    ) -> ProjectAcknowledgements.Limits {
        var limits = ProjectAcknowledgements.Limits()
        limits.users = users
        limits.versions = versions
        limits.places = places
        return limits
    }

    private func word(_ version: Int, _ sections: String...) throws -> Acknowledgement {
        try Acknowledgement([
            "template_version": .number("\(version)"),
            "problems": .array(sections.map { ["section": .string($0)] }),
        ])
    }

    @Test func usersThatWereNotHeardOfForLongAreForgotten() throws {
        var list = ProjectAcknowledgements(limits: limits())
        for user in 0..<20 { list.record(try word(1), user: user) }
        #expect(list.counts.clients == 20)
        // Users 10 to 19 are the young ones, and 0 to 9 are dropped for them.
        list.record(try word(1, "A"), user: 20)
        #expect(list.counts.clients == 11)
        #expect(list.counts.versions.first?.inForce == 10)
        #expect(list.counts.versions.first?.withProblems == 1)
    }

    @Test func theOldestVersionsAreForgotten() throws {
        var list = ProjectAcknowledgements(limits: limits())
        for version in 1...5 { list.record(try word(version), user: version) }
        #expect(list.counts.versions.map(\.number) == [5, 4, 3])
        // Nor do they come back.
        list.record(try word(2), user: 9)
        list.record(try word(1, "A"), user: 5)
        #expect(list.counts.versions.map(\.inForce) == [1, 1, 1])
        // The user of a forgotten version counts again with their next word.
        list.record(try word(5), user: 1)
        #expect(list.counts.versions.map(\.inForce) == [2, 1, 1])
    }

    @Test func placesBeyondTheLimitAreNotListed() throws {
        var list = ProjectAcknowledgements(limits: limits())
        list.record(try word(1, "A", "B", "C"), user: 1)
        list.record(try word(1, "B", "B"), user: 2)
        let version = list.counts.versions.first
        #expect(version?.withProblems == 2)
        #expect(version?.problems.map(\.place.section) == ["B", "A"])
        #expect(version?.problems.map(\.clients) == [2, 1])
    }

    @Test func aLateWordOnAnOlderVersionDoesNotHideTheProblemsOfTheNewer() throws {
        var list = ProjectAcknowledgements(limits: limits())
        list.record(try word(2, "A"), user: 1)
        list.record(try word(1), user: 1)
        #expect(list.counts.versions.map(\.withProblems) == [1, 0])
        #expect(list.counts.versions.map(\.inForce) == [0, 1])
        list.record(try word(3), user: 1)
        #expect(list.counts.versions.map(\.number) == [3])
    }

    @Test func aVersionThatWasInForceMayTurnOutWrong() throws {
        var list = ProjectAcknowledgements(limits: limits())
        list.record(try word(1), user: 1)
        list.record(try word(1, "A"), user: 1)
        #expect(list.counts.versions.first?.inForce == 0)
        #expect(list.counts.versions.first?.withProblems == 1)
    }

    @Test func theCountsAreThoseOfTheUsersAfterAnyHistory() throws {
        var generator = SystemRandomNumberGenerator()
        var list = ProjectAcknowledgements(limits: limits(users: 1_000, versions: 50, places: 9))
        var words: [Int: (inForce: Int, rejected: Int)] = [:]
        for _ in 0..<20_000 {
            let user = Int.random(in: 0..<200, using: &generator)
            let version = Int.random(in: 1...40, using: &generator)
            var known = words[user] ?? (0, 0)
            if Bool.random(using: &generator) {
                list.record(try word(version), user: user)
                known.inForce = version
                if known.rejected <= version { known.rejected = 0 }
            } else {
                list.record(try word(version, "A", "B"), user: user)
                if known.inForce == version { known.inForce = 0 }
                known.rejected = version
            }
            words[user] = known
        }
        for version in list.counts.versions {
            #expect(version.inForce == words.values.count { $0.inForce == version.number })
            #expect(version.withProblems == words.values.count { $0.rejected == version.number })
            #expect(version.problems.allSatisfy { $0.clients == version.withProblems })
        }
        #expect(
            list.counts.versions.reduce(0) { $0 + $1.inForce }
                == words.values.count { $0.inForce > 0 })
    }
}
