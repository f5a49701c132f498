import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

/// Long polls of a server that has a lower version than the client, as after a restore from a backup.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UpdaterLowerVersionTests {
    private let log = RecordingLog()
    private let clock = ManualClock()

    private static func document(
        _ version: Int, _ title: String, tag: String, replacing replaced: Int? = nil
    ) -> ConfigurationState {
        var document = ConfigurationState.make(
            meta: ["format_version_string": "1.0", "template_version": .integer(version)],
            sections: .titled(title))
        (document.entityTag, document.replacedVersion) = (tag, replaced)
        return document
    }

    /// A fixture of a user with version 8 whose server, without streams, answers as given once it was
    /// restored.
    private func fixture(
        restored: ConfigurationState, count: Locked<Int>
    ) -> UpdaterFixture {
        let source = PreparedSource { userID in
            PreparedConnection(userID) { known in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number == 1 { return DocumentAnswer(Self.document(8, "Hello", tag: "\"8\"")) }
                if number == 2 || known?.templateVersion == restored.templateVersion {
                    return DocumentAnswer(nil, hasWaited: true)
                }
                return DocumentAnswer(restored)
            } opening: { _ in
                throw NoEventStreamError("a proxy holds it back")
            }
        }
        let (queue, backend) = (DispatchQueue(label: "listeners"), ScriptedBackend(clock: clock))
        let config = ActiveConfig.make(listenerQueue: queue, log: log.log)
        config.currentUserID = "1"
        let (events, activity) = AsyncStream.makeStream(of: AppActivity.Event.self)
        return UpdaterFixture(
            backend: backend, config: config,
            updater: .make(
                config, source: source, activity: AppActivity { events }, clock: clock),
            queue: queue, activity: activity)
    }

    @Test(arguments: ["\"7\"", "\"8\""])
    func itIsAskedAtTheIntervalOfPollsAndReportedOnce(tag: String) async throws {
        let count = Locked(0)
        let fixture = fixture(restored: Self.document(7, "Old", tag: tag), count: count)
        try await fixture.run {
            try await fixture.advance { fixture.updater.state(ofUserID: "1").isPolling }
            let first = count.withLock { $0 }
            #expect(first <= 4)
            try await fixture.advance(by: .seconds(5)) { clock.now.offset > .seconds(25 * 60) }
            // Five intervals.
            #expect(count.withLock { $0 } - first <= 6)
            #expect(fixture.title() == "Hello")
            #expect(fixture.config.currentConfiguration.templateVersion == 8)
        }
        let warnings = log.messages(ofLevel: .warning).filter { $0.contains("lower than 8") }
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("version 7") == true)
    }

    /// The server's store has never made the client's version.
    @Test(arguments: ["\"7\"", "\"8\""])
    func itReplacesAVersionThatWasNeverMade(tag: String) async throws {
        let count = Locked(0)
        let fixture = fixture(
            restored: Self.document(7, "Restored", tag: tag, replacing: 8), count: count)
        try await fixture.run {
            try await fixture.advance { fixture.title() == "Restored" }
            #expect(clock.now.offset < .seconds(60))
            #expect(fixture.config.currentConfiguration.templateVersion == 7)
            try await fixture.advance { fixture.updater.state(ofUserID: "1").isLive }
        }
        #expect(
            log.messages(ofLevel: .warning).filter { $0.contains("never made version 8") }.count
                == 1)
    }
}
