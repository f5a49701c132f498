import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

/// Streams and documents from different replicas of a server, or from a hostile one.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UpdaterReplicaTests {
    /// An event source whose first connection has the stream, and whose other connections return
    /// the given answers.
    private final class Replicas: ActiveConfigEventSource {
        let answers: Locked<[ConfigurationState]>
        let stream: PreparedConnection
        private let connectionCount = Locked(0)

        init(_ first: ConfigurationState, then answers: [ConfigurationState]) {
            self.answers = Locked(answers)
            stream = PreparedConnection("1") { _ in DocumentAnswer(first) }
        }

        var requestCount: Int { connectionCount.withLock { $0 } }

        func connection(forUserID userID: String?) -> any ActiveConfigEventConnection {
            let number = connectionCount.withLock { count in
                count += 1
                return count
            }
            if number == 1 { return stream }
            return PreparedConnection(userID) { [answers] known in
                // The last answer is repeated.
                let answer = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
                guard var known, known.entityTag == answer.entityTag else {
                    return DocumentAnswer(answer)
                }
                known.confirmedVersion = answer.templateVersion.flatMap { version in
                    version > known.templateVersion ?? 0 ? version : nil
                }
                return DocumentAnswer(known.isConfirmation ? known : nil)
            }
        }
    }

    private static func document(
        _ version: Int, home: Int, other: Int = 1, tag: String? = nil
    ) -> ConfigurationState {
        .make(
            meta: ["template_version": .integer(version)],
            sections: ["Home": ["n": .integer(home)], "Other": ["n": .integer(other)]],
            entityTag: tag ?? "\"v\(version)\"")
    }

    private static let hello = "event: hello\nid: 5\ndata: {\"template_version\":5}\n\n"

    private static func update(
        _ version: Int, number: Int, home: Int, tag: String? = nil
    ) -> String {
        "event: update\nid: \(version)\ndata: {\"template_version\":\(version),"
            + "\"event_number\":\(number),\"etag\":\"\\\"\(tag ?? "v\(version)")\\\"\","
            + "\"sections\":{\"Home\":{\"settings\":{\"n\":{\"value\":\(home)}}}},"
            + "\"meta\":{\"template_version\":\(version)}}\n\n"
    }

    /// `earlier` is the lowest version that the document may have.
    private static func reset(_ version: Int, since earlier: Int? = nil) -> String {
        "event: reset\nid: \(version)\ndata: {\"template_version\":\(earlier ?? version)}\n\n"
    }

    /// Runs an updater of user "1" during `body`, on a clock that advances by itself.
    private func run(
        _ source: Replicas, options: ActiveConfigUpdater.Options = ActiveConfigUpdater.Options(),
        _ body: (ActiveConfig, ActiveConfigUpdater) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        let config = ActiveConfig.make()
        config.currentUserID = "1"
        let updater = ActiveConfigUpdater.make(
            config, source: source, options: options, clock: clock)
        let time = Task {
            while !Task.isCancelled {
                // deadline: the clock advances slowly
                try await Task.sleep(for: .milliseconds(2))
                clock.advance(by: .milliseconds(100))
            }
        }
        defer { time.cancel() }
        let run = Task { await updater.run() }
        source.stream.send(Self.hello)
        do { try await body(config, updater) } catch {
            run.cancel()
            _ = await run.result
            throw error
        }
        run.cancel()
        await run.value
    }

    private func values(_ config: ActiveConfig) -> [Int?] {
        ["Home", "Other"].map { config[$0]?.integer(forKey: "n") }
    }

    private func waitFor(_ home: Int, in config: ActiveConfig) async throws {
        for await section in config.values(ofSection: "Home")
        where section?.integer(forKey: "n") == home { return }
        throw CancellationError()
    }

    @Test func aReplicaThatIsBehindIsAskedAgain() async throws {
        let five = Self.document(5, home: 5)
        let source = Replicas(five, then: [five, five, Self.document(6, home: 6, other: 6)])
        try await run(source) { config, _ in
            try await waitFor(5, in: config)
            source.stream.send(Self.reset(6))
            try await waitFor(6, in: config)
            #expect(source.requestCount == 4)
            // The next change applies to the downloaded document.
            source.stream.send(Self.update(7, number: 2, home: 7))
            try await waitFor(7, in: config)
            #expect(values(config) == [7, 6])
            #expect(source.requestCount == 4)
        }
    }

    @Test func aServerWhoseDocumentsStayBehindIsReconnected() async throws {
        let five = Self.document(5, home: 5)
        let source = Replicas(five, then: [five])
        try await run(source) { config, updater in
            try await waitFor(5, in: config)
            source.stream.send(Self.reset(6))
            for await update in updater.updates {
                if case .state(.waiting(_, .connectionEnded), _) = update { break }
            }
            #expect(source.requestCount == 5)
            #expect(values(config) == [5, 1])
        }
    }

    /// A publish that does not change the user's document, which the server cannot detect.
    @Test func aLaterVersionOfTheSameDocumentIsWhatAResetAsksFor() async throws {
        let five = Self.document(5, home: 5)
        let source = Replicas(five, then: [five, Self.document(6, home: 5, tag: five.entityTag)])
        try await run(source) { config, _ in
            try await waitFor(5, in: config)
            let signals = config.makeSignals()
            source.stream.send(Self.reset(6, since: 5))
            for await _ in signals where config.version == 6 { break }
            source.stream.send(Self.update(7, number: 2, home: 7))
            try await waitFor(7, in: config)
            #expect(source.requestCount == 3)
        }
    }

    @Test func aChangeFollowsOnADocumentWhoseVersionWasTakenOver() async throws {
        let five = Self.document(5, home: 5)
        let source = Replicas(five, then: [five])
        try await run(source) { config, updater in
            try await waitFor(5, in: config)
            for await update in updater.updates {
                if case .state(.live, _) = update { break }
            }
            var confirmation = five
            confirmation.confirmedVersion = 6
            _ = try await config.downloads.download(
                of: UserID("1"), by: ScriptedDownloader(.configuration(confirmation)))
            #expect(config.version == 6)
            source.stream.send(Self.update(7, number: 1, home: 7))
            try await waitFor(7, in: config)
            #expect(source.requestCount == 1)
        }
    }

    /// Version 7 changes one section and version 8 changes it back, so the stream's change from 6
    /// to 8 contains only the other section.
    @Test func aChangeDoesNotFollowOnADocumentThatIsNewerThanTheStream() async throws {
        let source = Replicas(
            Self.document(5, home: 5),
            then: [Self.document(7, home: 5, other: 7), Self.document(8, home: 8, other: 1)])
        try await run(source) { config, _ in
            try await waitFor(5, in: config)
            source.stream.send(Self.reset(6))
            for await section in config.values(ofSection: "Other")
            where section?.integer(forKey: "n") == 7 { break }
            source.stream.send(Self.update(8, number: 2, home: 8))
            try await waitFor(8, in: config)
            #expect(values(config) == [8, 1])
        }
    }

    @Test func anotherDocumentOfTheSameVersionIsAskedForOnceMore() async throws {
        let source = Replicas(
            Self.document(5, home: 5),
            then: [
                Self.document(5, home: 5, tag: "\"pin a\""),
                Self.document(5, home: 9, tag: "\"pin b\""),
            ])
        try await run(source) { config, _ in
            try await waitFor(5, in: config)
            // An event after a gap.
            source.stream.send(Self.update(5, number: 2, home: 9, tag: "pin b"))
            try await waitFor(9, in: config)
            #expect(source.requestCount == 3)
        }
    }

    @Test(arguments: [Int.max, 0, -1])
    func anInvalidEventNumberEndsTheStream(number: Int) async throws {
        let source = Replicas(
            Self.document(5, home: 5), then: [Self.document(6, home: 6)])
        try await run(source) { config, updater in
            try await waitFor(5, in: config)
            source.stream.send(Self.update(6, number: number, home: 1) + Self.reset(6))
            for await update in updater.updates {
                if case .state(.waiting(_, let reason), _) = update {
                    #expect(reason.description.contains("event_number"))
                    break
                }
            }
            try await waitFor(6, in: config)
        }
    }

    /// A server may send a reset to a thousand users, which then download a few at a time.
    @Test func timeThatADownloadTakesIsNoSilence() async throws {
        var options = ActiveConfigUpdater.Options()
        options.maximumSilence = .seconds(2)  // deadline: of the manual clock
        let (gate, release) = AsyncStream.makeStream(of: Void.self)
        let asked = AsyncStream.makeStream(of: Void.self)
        let clock = ManualClock()
        let connectionCount = Locked(0)
        let stream = PreparedConnection("1") { _ in DocumentAnswer(Self.document(5, home: 5)) }
        let source = PreparedSource { userID in
            let number = connectionCount.withLock { count in
                count += 1
                return count
            }
            guard number > 1 else { return stream }
            return PreparedConnection(userID) { _ in
                asked.continuation.yield()
                for await _ in gate { break }
                return DocumentAnswer(Self.document(6, home: 6))
            }
        }
        let config = ActiveConfig.make()
        config.currentUserID = "1"
        let updater = ActiveConfigUpdater.make(
            config, source: source, options: options, clock: clock)
        let run = Task { await updater.run() }
        stream.send(Self.hello + Self.reset(6))
        let time = Task {
            while !Task.isCancelled {
                // deadline: the clock advances slowly
                try await Task.sleep(for: .milliseconds(1))
                clock.advance(by: .milliseconds(100))
            }
        }
        for await _ in asked.stream { break }
        let before = clock.now
        // A task that waits for the end of the allowed silence has been woken by then.
        try await clock.sleep(until: before.advanced(by: .seconds(30)))
        #expect(updater.state(ofUserID: "1").isLive)
        release.yield()
        try await waitFor(6, in: config)
        #expect(connectionCount.withLock { $0 } == 2)
        time.cancel()
        run.cancel()
        await run.value
    }
}

extension ActiveConfig {
    fileprivate var version: Int? { currentConfiguration.templateVersion }
}
