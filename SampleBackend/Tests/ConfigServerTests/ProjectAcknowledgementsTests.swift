import HTTPServing
import JSONTree
import SeededRandomness
import Testing

@testable import ClientAPI

/// Storage and counts of acknowledgements.
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
        for user in 0..<20 { list.record(try word(1), user: UInt64(user)) }
        #expect(list.counts.clients == 20)
        // Users 10 to 19 are the most recent; 0 to 9 are dropped for them.
        list.record(try word(1, "A"), user: 20)
        #expect(list.counts.clients == 11)
        #expect(list.counts.versions.first?.inForce == 10)
        #expect(list.counts.versions.first?.withProblems == 1)
    }

    @Test func theOldestVersionsAreForgotten() throws {
        var list = ProjectAcknowledgements(limits: limits())
        for version in 1...5 { list.record(try word(version), user: UInt64(version)) }
        #expect(list.counts.versions.map(\.number) == [5, 4, 3])
        // Dropped users do not reappear.
        list.record(try word(2), user: 9)
        list.record(try word(1, "A"), user: 5)
        #expect(list.counts.versions.map(\.inForce) == [1, 1, 1])
        // A user whose version was dropped counts again with the next acknowledgement.
        list.record(try word(5), user: 1)
        #expect(list.counts.versions.map(\.inForce) == [2, 1, 1])
    }

    @Test func aVersionWithProblemsMayBeInForce() throws {
        var list = ProjectAcknowledgements(limits: limits())
        list.record(
            try Acknowledgement([
                "template_version": 2, "in_force": true, "problems": [["section": "A"]],
            ]), user: 1)
        list.record(try word(2), user: 2)
        list.record(try word(2, "B"), user: 3)
        #expect(list.counts.versions.map(\.inForce) == [2])
        #expect(list.counts.versions.map(\.withProblems) == [2])
        #expect(throws: RequestError.self) {
            try Acknowledgement(["template_version": 2, "in_force": "yes"])
        }
    }

    @Test func aVersionThatIsNotUsedHasAProblemEvenWithoutAReason() throws {
        var list = ProjectAcknowledgements(limits: limits())
        list.record(
            try Acknowledgement(["template_version": 2, "in_force": false, "problems": []]),
            user: 1)
        let version = list.counts.versions.first
        #expect(version?.inForce == 0 && version?.withProblems == 1)
        #expect(version?.problems.map(\.place) == [ProblemPlace(section: "", key: nil)])
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

    @Test func unusedPlacesMakeRoom() throws {
        var list = ProjectAcknowledgements(limits: limits())
        list.record(try word(1, "A", "B"), user: 1)
        // The client reports other problems now; places that other clients reported remain.
        list.record(try word(1, "B"), user: 2)
        _ = list.takeChanges()
        list.record(try word(1, "C", "D"), user: 1)
        let changes = list.takeChanges()
        #expect(changes.map(\.version) == [1])
        let counts = (changes.first?.places ?? []).map { "\($0.place.section) \($0.count)" }
        #expect(counts.sorted() == ["A 0", "B 1", "C 1"])
        #expect(list.counts.versions.first?.problems.map(\.place.section).sorted() == ["B", "C"])
        list.record(try word(1, "E", "F"), user: 2)
        list.record(try word(1, "C", "E"), user: 3)
        let problems = list.counts.versions.first?.problems ?? []
        #expect(
            Dictionary(uniqueKeysWithValues: problems.map { ($0.place.section, $0.clients) })
                == ["C": 2, "E": 2])
    }

    @Test func thePlacesOfAForgottenVersionAreCountedAsGone() throws {
        var list = ProjectAcknowledgements(limits: limits())
        for version in 1...3 { list.record(try word(version, "A", "B"), user: UInt64(version)) }
        _ = list.takeChanges()
        list.record(try word(4), user: 4)
        let change = try #require(list.takeChanges().first { $0.version == 1 })
        #expect(change.withProblems == 0)
        #expect(change.places.map(\.place.section).sorted() == ["A", "B"])
        #expect(change.places.allSatisfy { $0.count == 0 })
    }

    @Test func onlyCountsThatChangedAreReported() throws {
        var list = ProjectAcknowledgements(limits: limits())
        list.record(try word(1, "A", "B"), user: 1)
        _ = list.takeChanges()
        list.record(try word(1, "A", "B"), user: 1)
        let same = try #require(list.takeChanges().first)
        #expect(same.inForce == nil)
        #expect(same.withProblems == nil)
        #expect(same.places.isEmpty)
        list.record(try word(1, "A"), user: 2)
        let more = try #require(list.takeChanges().first)
        #expect(more.withProblems == 2)
        #expect(more.inForce == nil)
        #expect(more.places.map { "\($0.place.section) \($0.count)" } == ["A 2"])
    }

    @Test func aPlaceIsReportedOnceItIsASetting() throws {
        var list = ProjectAcknowledgements(limits: limits())
        list.record(try word(1, "A"), user: 1)
        #expect(list.takeChanges { _ in false }.first?.places.isEmpty == true)
        list.record(try word(1, "A"), user: 1)
        let places = list.takeChanges().first?.places ?? []
        #expect(places.map { "\($0.place.section) \($0.count)" } == ["A 1"])
    }

    /// Places are added and removed; the counts stay correct.
    @Test func placesAreCountedRightAfterAnyHistory() throws {
        var generator = SeededGenerator.printingItsSeed()
        var list = ProjectAcknowledgements(limits: limits(users: 1_000, versions: 4, places: 6))
        var shown: [Int: [String: Int]] = [:]
        for step in 0..<20_000 {
            let version = step / 500 + Int.random(in: 1...3, using: &generator)
            let names = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                "S\(Int.random(in: 0..<12, using: &generator))"
            }
            let problems = names.map { ["section": .string($0)] as JSONNode }
            list.record(
                try Acknowledgement([
                    "template_version": .number("\(version)"), "problems": .array(problems),
                ]), user: UInt64.random(in: 0..<20, using: &generator))
            for change in list.takeChanges() {
                for place in change.places {
                    shown[change.version, default: [:]][place.place.section] =
                        place.count > 0 ? place.count : nil
                }
            }
            let counted = list.counts.versions.reduce(into: [Int: [String: Int]]()) {
                let problems = $1.problems.map { ($0.place.section, $0.clients) }
                $0[$1.number] = Dictionary(uniqueKeysWithValues: problems)
            }
            #expect(counted.filter { !$0.value.isEmpty } == shown.filter { !$0.value.isEmpty })
        }
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
        var generator = SeededGenerator.printingItsSeed()
        var list = ProjectAcknowledgements(limits: limits(users: 1_000, versions: 50, places: 9))
        var words: [Int: (inForce: Int, rejected: Int)] = [:]
        for _ in 0..<20_000 {
            let user = Int.random(in: 0..<200, using: &generator)
            let version = Int.random(in: 1...40, using: &generator)
            var known = words[user] ?? (0, 0)
            if Bool.random(using: &generator) {
                list.record(try word(version), user: UInt64(user))
                known.inForce = version
                if known.rejected <= version { known.rejected = 0 }
            } else {
                list.record(try word(version, "A", "B"), user: UInt64(user))
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
