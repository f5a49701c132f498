import ActiveConfigTesting
import Testing

@testable import ActiveConfig

/// Sequences of changes and of values.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SectionChangesTests {
    /// Coordinator whose section "Home" starts with title "0", and which then downloads `next`.
    private func make(then next: [String: String]...) -> CoordinatorFixture {
        .make(
            ScriptedDownloader { .configuration(.titled(next[$0.number - 1])) },
            store: InMemoryStore(bootstrap: .state(.titled(["Home": "0"]))))
    }

    @Test("`values(ofSection:)` yields the current value first, then each new one")
    func sectionsStartWithTheCurrentOne() async throws {
        let fixture = make(then: ["Home": "1"], ["Other": "1"])
        var sections = fixture.config.values(ofSection: "Home").makeAsyncIterator()
        #expect(await sections.next() == .some(.titled("0")))
        try await fixture.config.downloadNewConfig()
        #expect(await sections.next() == .some(.titled("1")))
        try await fixture.config.downloadNewConfig()
        #expect(await sections.next() == .some(nil))
    }

    @Test("`values(ofSection:)` starts with nil when there is no such section")
    func sectionsStartWithNil() async throws {
        let fixture = make(then: ["New": "1"])
        var sections = fixture.config.values(ofSection: "New").makeAsyncIterator()
        #expect(await sections.next() == .some(nil))
        try await fixture.config.downloadNewConfig()
        #expect(await sections.next() == .some(.titled("1")))
    }

    @Test("`changes(inSection:)` starts with the section as a change from nil, if there is one")
    func changesStartWithTheSection() async throws {
        let fixture = make(then: ["Home": "1", "New": "1"])
        var home = fixture.config.changes(inSection: "Home").makeAsyncIterator()
        var new = fixture.config.changes(inSection: "New").makeAsyncIterator()
        #expect(
            await home.next()
                == SectionChange(
                    sectionName: "Home", old: nil, new: .titled("0"), reason: .restored))
        try await fixture.config.downloadNewConfig()
        #expect(
            await home.next()
                == SectionChange(
                    sectionName: "Home", old: .titled("0"), new: .titled("1"), reason: .downloaded))
        #expect(
            await new.next()
                == SectionChange(
                    sectionName: "New", old: nil, new: .titled("1"), reason: .downloaded))
    }

    @Test("`changes` yields the changes of all sections, with the user and the reason")
    func changesOfAllSections() async throws {
        let fixture = make(then: ["Home": "1", "A": "1"])
        let config = fixture.config
        try config.configStore?.persistConfiguration(
            .titled(["Home": "user", "A": "1"]), forUserID: "1")
        var changes = config.changes().makeAsyncIterator()
        #expect(await changes.next()?.reason == .restored)
        try await config.downloadNewConfig()
        let downloaded = [await changes.next(), await changes.next()]
        #expect(downloaded.map(\.?.sectionName) == ["A", "Home"])
        #expect(downloaded.allSatisfy { $0?.reason == .downloaded && $0?.userID == nil })
        config.currentUserID = "1"
        #expect(
            await changes.next()
                == SectionChange(
                    sectionName: "Home", old: .titled("1"), new: .titled("user"), userID: "1",
                    reason: .userChanged))
    }

    @Test("A slow consumer receives consecutive changes merged into one")
    func aSlowConsumerGetsASum() async throws {
        let fixture = make(
            then: ["Home": "1"], ["Home": "2"], ["Home": "3", "B": "1"], ["Home": "0", "B": "1"],
            ["Home": "4", "B": "1"])
        let config = fixture.config
        var changes = config.changes(inSection: "Home").makeAsyncIterator()
        _ = await changes.next()
        for _ in 1...3 { try await config.downloadNewConfig() }
        let sum = await changes.next()
        #expect(sum?.old == .titled("0") && sum?.new == .titled("3"))
        // A change that is undone before the consumer sees it is not delivered.
        var sections = config.values(ofSection: "Home").makeAsyncIterator()
        #expect(await sections.next() == .some(.titled("3")))
        for _ in 4...5 { try await config.downloadNewConfig() }
        #expect(await changes.next()?.new == .titled("4"))
        #expect(await sections.next() == .some(.titled("4")))
    }

    @Test("`snapshots` yields the current one first, then one for each change of a section or user")
    func snapshotsOfEachConfiguration() async throws {
        let fixture = make(
            then: ["Home": "1", "New": "1"], ["Home": "1", "New": "1"], ["Home": "2", "New": "2"])
        let config = fixture.config
        var snapshots = config.snapshots().makeAsyncIterator()
        #expect(await snapshots.next()?["Home"]?.title == "0")
        try await config.downloadNewConfig()
        let first = try #require(await snapshots.next())
        #expect(first["Home"]?.title == "1" && first["New"]?.title == "1")
        // A download of equal sections yields nothing.
        for _ in 2...3 { try await config.downloadNewConfig() }
        let second = try #require(await snapshots.next())
        #expect(second["Home"]?.title == "2" && second["New"]?.title == "2")
        config.currentUserID = "1"
        let switched = try #require(await snapshots.next())
        #expect(switched.userID == "1" && switched["Home"]?.title == "2")
    }

    @Test("`snapshots` yields a configuration that returned between two reads")
    func aSnapshotThatReturns() async throws {
        let fixture = make(then: ["Home": "1"], ["Home": "0"], ["Home": "1"])
        let config = fixture.config
        let user = config.configuration(forUserID: nil)
        var (snapshots, ofUser) = (
            config.snapshots().makeAsyncIterator(), user.snapshots().makeAsyncIterator()
        )
        #expect(await snapshots.next()?["Home"]?.title == "0")
        #expect(await ofUser.next()?["Home"]?.title == "0")
        for _ in 1...3 { try await config.downloadNewConfig() }
        #expect(await snapshots.next()?["Home"]?.title == "1")
        #expect(await ofUser.next()?["Home"]?.title == "1")
    }

    @Test("A document that waits yields no snapshot before it is activated")
    func aPendingDocumentYieldsNoSnapshot() async throws {
        var options = ActiveConfigOptions()
        options.activationPolicy = .manual
        let config = CoordinatorFixture.make(
            ScriptedDownloader(
                .configuration(.titled(["Home": "1"])), .configuration(.titled(["Home": "2"]))),
            store: InMemoryStore(bootstrap: .state(.titled(["Home": "0"]))), options: options
        ).config
        var snapshots = config.snapshots().makeAsyncIterator()
        #expect(await snapshots.next()?["Home"]?.title == "0")
        for _ in 1...2 { try await config.downloadNewConfig() }
        await config.activate()
        #expect(await snapshots.next()?["Home"]?.title == "2")
    }

    @Test("A consumer under contention misses no change: each starts where the last one ended")
    func aConsumerMissesNoChange() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader {
                .configuration(.make(sections: ["Home": ["number": .integer($0.number)]]))
            })
        let config = fixture.config
        let count = Rounds.count(600, nightly: 3_000)
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    var last: ActiveConfigSection?
                    for await change in config.changes(inSection: "Home") {
                        #expect(change.old == last)
                        #expect(change.new != last)
                        last = change.new
                        if last?.integer(forKey: "number") == count { return }
                    }
                    Issue.record("the sequence ended before the last change")
                }
            }
            group.addTask {
                for _ in 1...count { try await config.downloadNewConfig() }
            }
            try await group.waitForAll()
        }
    }

    @Test("A sequence ends and is unregistered when its task is cancelled")
    func endsWithItsTask() async throws {
        let fixture = make()
        let config = fixture.config
        let seen = ManualClock()
        let tasks = (0..<4).map { number in
            Task {
                switch number {
                case 0: for await _ in config.changes() { seen.advance(by: .seconds(1)) }
                case 1:
                    for await _ in config.values(ofSection: "Home") {
                        seen.advance(by: .seconds(1))
                    }
                case 2: for await _ in config.snapshots() { seen.advance(by: .seconds(1)) }
                default:
                    for await _ in config.changes(inSection: "Home") {
                        seen.advance(by: .seconds(1))
                    }
                }
                return true
            }
        }
        try await seen.sleep(until: .init(offset: .seconds(4)))
        #expect(config.front.signals.observerCount == 4)
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await task.value) }
        #expect(config.front.signals.observerCount == 0)
    }

    @Test("An abandoned iteration is unregistered")
    func isUnregisteredWhenGivenUp() async throws {
        let fixture = make()
        for await _ in fixture.config.changes() { break }
        do {
            var iterator = fixture.config.values(ofSection: "Home").makeAsyncIterator()
            _ = await iterator.next()
        }
        _ = fixture.config.changes().makeAsyncIterator()
        #expect(fixture.config.front.signals.observerCount == 0)
    }

    @Test("Iterations of one sequence are independent")
    func iterationsAreIndependent() async throws {
        let sequence = make().config.values(ofSection: "Home")
        for _ in 0..<2 {
            var iterator = sequence.makeAsyncIterator()
            #expect(await iterator.next() == .some(.titled("0")))
        }
    }

    @Test("A view model can iterate on the main actor") @MainActor
    func iteratesOnTheMainActor() async throws {
        let fixture = make(then: ["Home": "1"])
        let config = fixture.config
        var titles: [String?] = []
        for await section in config.values(ofSection: "Home") {
            MainActor.assertIsolated()
            titles.append(section?.title)
            if titles.count == 2 { break }
            try await config.downloadNewConfig()
        }
        #expect(titles == ["0", "1"])
    }
}
