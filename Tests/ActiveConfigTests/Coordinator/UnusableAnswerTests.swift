import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// An unusable answer changes nothing.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UnusableAnswerTests {
    /// Unusable answer, with the code of its `ConfigurationFormatError` if it causes one.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let answer: ScriptedDownloader.Answer
        let code: ConfigurationFormatError.Code?
    }

    private struct Failure: Error {}

    static let rows = [
        Row(
            testDescription: "a document without any section",
            answer: .configuration(.make(sections: [:])), code: .noSections),
        Row(
            testDescription: "a document of a newer format",
            answer: .configuration(.make(meta: ["format_version_string": "2.0"])),
            code: .unsupportedFormatVersion),
        Row(
            testDescription: "a document that the downloader could not read",
            answer: .failure(ConfigurationFormatError(.syntax, reason: "no JSON")), code: .syntax),
        Row(testDescription: "any failure", answer: .failure(Failure()), code: nil),
    ]

    /// The error is logged and posted as `downloadFailedNotification`, and the async call throws
    /// it.
    ///
    /// The active configuration stays, and nothing is stored.
    @Test(arguments: rows)
    func anUnusableAnswerChangesNothing(row: Row) async throws {
        let store = ObservedStore()
        store.base.persistConfiguration(
            .titled(["Home": "old"], entityTag: "\"a\""), forUserID: "1")
        let fixture = CoordinatorFixture.make(ScriptedDownloader(row.answer), store: store)
        let config = fixture.config
        config.currentUserID = "1"
        let listener = fixture.listener()
        fixture.drain()
        let recorder = NotificationRecorder(of: config, in: fixture.center)
        let error = await #expect(throws: (any Error).self) { try await config.downloadNewConfig() }
        #expect((error as? ConfigurationFormatError)?.code == row.code)
        #expect(row.code != nil || error is Failure)
        #expect(config.currentConfiguration == .titled(["Home": "old"]))
        #expect(store.persisted.isEmpty)
        #expect(!config.firstConfigDownloadFinished)
        fixture.drain()
        #expect(listener.sections == [.titled("old")])
        #expect(recorder.names == [ActiveConfig.downloadFailedNotification])
        let warnings = fixture.log.messages(ofLevel: .warning).filter {
            !$0.contains("keeps no records")
        }
        #expect(warnings.count == 1)
        let text = try #require(error).logDescription
        #expect(warnings.first?.contains(text) == true)
    }

    @Test func aFailureIsOverWithTheNextDownload() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.failure(Failure()), .configuration(.make())))
        await #expect(throws: Failure.self) { try await fixture.config.downloadNewConfig() }
        #expect(try await fixture.config.downloadNewConfig().changedSectionNames == ["Home"])
    }

    @Test func allWaitingCallersGetTheFailure() async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held })
        let config = fixture.config
        let callers = (0..<3).map { _ in Task { try await config.downloadNewConfig() } }
        try await fixture.downloader.waitForRequests(1)
        for number in 1...3 { fixture.downloader.answer(number, with: .failure(Failure())) }
        for caller in callers {
            await #expect(throws: Failure.self) { try await caller.value }
        }
    }

    @Test("A string that is not a version is kept and logged")
    func aStrangeVersionIsKeptAndLogged() async throws {
        let state = ConfigurationState.make(meta: ["format_version_string": "first"])
        let fixture = CoordinatorFixture.make(ScriptedDownloader(.configuration(state)))
        try await fixture.config.downloadNewConfig()
        #expect(fixture.config.currentConfiguration.formatVersion == "first")
        #expect(fixture.log.messages(ofLevel: .warning).count == 1)
        #expect(fixture.log.messages(ofLevel: .warning).first?.contains("first") == true)
    }
}
