import ActiveConfig
import ActiveConfigRealtime
import ActiveConfigTesting
import Foundation
import Testing

/// An updater whose current user changes while answers and events are late.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UpdaterUsersTests {
    private static func owned(_ suffix: String = "") -> ScriptedBackend.Sections {
        { ["Home": ["title": .string(($0 ?? "nobody") + suffix)]] }
    }

    @Test func theUpdaterFollowsTheCurrentUser() async throws {
        let fixture = UpdaterFixture.make(ScriptedBackend(sections: Self.owned()), userID: "A")
        try await fixture.run {
            try await fixture.waitForTitle("A")
            fixture.config.currentUserID = "B"
            try await fixture.waitForTitle("B")
            try await fixture.waitForState(of: "B") { $0.isLive }
            #expect(fixture.updater.state(ofUserID: "A") == .stopped)
            try await fixture.backend.waitForStreams(1)
            fixture.backend.publish(Self.owned("!"))
            try await fixture.waitForTitle("B!")
        }
    }

    /// A polls, B uses a stream, then back to A: the tag of B's document must not be sent for A.
    @Test func aTagIsNeverSentForAnotherUser() async throws {
        let fixture = UpdaterFixture.make(ScriptedBackend(sections: Self.owned()), userID: "A")
        fixture.backend.setService { $0.streams = .none }
        try await fixture.run {
            try await fixture.waitForTitle("A")
            fixture.backend.setService { $0.streams = .open }
            fixture.config.currentUserID = "B"
            try await fixture.waitForState(of: "B") { $0.isLive }
            fixture.backend.publish(Self.owned("!"))
            try await fixture.waitForTitle("B!")
            fixture.config.currentUserID = "A"
            // On a busy machine the answer may arrive before this read.
            #expect(["A", "A!"].contains(fixture.title()))
            try await fixture.waitForTitle("A!")
            let tags = fixture.documentRequests.map { [$0.userID ?? "", "\($0.kind)"] }
            #expect(tags.last?[0] == "A")
            #expect(tags.last?[1].contains("v1") == true)
        }
    }

    @Test func aLateEventOfTheFormerUserIsNotShown() async throws {
        let fixture = UpdaterFixture.make(ScriptedBackend(sections: Self.owned()), userID: "A")
        try await fixture.run {
            try await fixture.waitForState(of: "A") { $0.isLive }
            fixture.backend.setNetwork { message in
                [message.userID == "A" ? .intact(message).after(.seconds(5)) : .intact(message)]
            }
            fixture.backend.publish(Self.owned("!"))
            fixture.config.currentUserID = "B"
            try await fixture.waitForTitle("B!")
            try await fixture.settle()
            fixture.clock.advance(by: .seconds(10))
            try await fixture.settle()
            #expect(fixture.title() == "B!")
        }
    }

    /// Late answers to a request that was made before the push.
    enum LateAnswer: CaseIterable {
        case unchanged, olderVersion
        /// The server's document of the pushed version before it pinned a value.
        case otherValues
    }

    @Test(arguments: LateAnswer.allCases)
    func aLateAnswerDoesNotReplaceAPush(late answer: LateAnswer) async throws {
        let backend = ScriptedBackend()
        let downloader = ScriptedDownloader { _ in .held }
        let config = ActiveConfig.make(downloader: downloader)
        let old = backend.document(ofUserID: nil)
        let updater = ActiveConfigUpdater.make(config, source: backend, clock: backend.clock)
        updater.start()
        defer { updater.stop() }
        try await backend.waitForStreams(1)
        let late = Task { try await config.downloadNewConfig() }
        try await downloader.waitForRequests(1)
        backend.publish(.titled("New"))
        for await section in config.values(ofSection: "Home")
        where section?.string(forKey: "title") == "New" { break }
        switch answer {
        case .unchanged: downloader.answer(1, with: .unchanged)
        case .olderVersion: downloader.answer(1, with: .configuration(old))
        case .otherValues:
            var other = backend.document(ofUserID: nil)
            other.sections = old.sections
            other.entityTag = "\"before\""
            downloader.answer(1, with: .configuration(other))
        }
        #expect(try await late.value.changedSectionNames == [])
        #expect(config["Home"]?.string(forKey: "title") == "New")
        #expect(
            config.configStore?.ownConfiguration(forUserID: nil)?["Home"]?.string(forKey: "title")
                == "New")
    }

    @Test(arguments: 0..<4)
    func noListenerReceivesAnotherUsersValue(round: Int) async throws {
        var random = SeededGenerator.printingItsSeed()
        let fixture = UpdaterFixture.make(
            ScriptedBackend(sections: Self.owned("-0")), userID: "A", seed: random.next())
        let (wrong, config) = (Locked<[String]>([]), fixture.config)
        // A change names the user to which it belongs, and changes arrive in order.
        let seen = Task {
            for await change in config.changes(inSection: "Home") {
                let owner = change.new?.string(forKey: "title")?.prefix { $0 != "-" }
                if let owner, owner != (change.userID ?? "") {
                    wrong.withLock { $0.append("\(change)") }
                }
            }
        }
        try await fixture.run {
            for step in 1...200 {
                let user = ["A", "B", "Aa", "BB"][Int.random(in: 0..<4, using: &random)]
                fixture.config.currentUserID = user
                if Bool.random(using: &random) {
                    fixture.backend.publish(Self.owned("-\(step)"))
                }
                for _ in 0..<Int.random(in: 0..<30, using: &random) { await Task.yield() }
                if Int.random(in: 0..<4, using: &random) == 0 {
                    fixture.clock.advance(by: .milliseconds(200))
                }
                let configuration = fixture.config.currentConfiguration
                let title = configuration["Home"]?.string(forKey: "title") ?? "\(user)-"
                #expect(title.prefix { $0 != "-" } == user)
            }
            fixture.config.currentUserID = "A"
            fixture.backend.publish(Self.owned("-end"))
            try await fixture.advance { fixture.title() == "A-end" }
        }
        seen.cancel()
        await seen.value
        #expect(wrong.withLock { $0 } == [])
    }
}
