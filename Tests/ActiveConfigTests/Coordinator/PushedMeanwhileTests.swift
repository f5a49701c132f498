import ActiveConfigTesting
import Testing

@testable import ActiveConfig

/// Documents that are pushed while the answer of a download is on its way.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct PushedMeanwhileTests {
    /// A document with a version; documents of the same version differ in the user's pinned values.
    private static func document(_ title: String, version: Int) -> ConfigurationState {
        var document = ConfigurationState.titled(["Home": title], entityTag: "\"\(title)\"")
        document.meta["template_version"] = .integer(version)
        return document
    }

    private struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The versions that the client has, that is pushed, and that the download returns.
        let held: Int
        let pushed: Int
        let answer: Int
        let title: String
    }

    private static let rows = [
        Row(
            testDescription: "older version", held: 1, pushed: 3, answer: 2, title: "pushed"),
        Row(testDescription: "newer version", held: 1, pushed: 2, answer: 3, title: "answer"),
        Row(
            testDescription: "another one of the pushed version", held: 1, pushed: 2, answer: 2,
            title: "pushed"),
        Row(
            testDescription: "another one of the version held", held: 2, pushed: 2, answer: 2,
            title: "pushed"),
        Row(
            testDescription: "a version newer than both", held: 2, pushed: 2,
            answer: 3, title: "answer"),
    ]

    @Test(arguments: rows)
    private func anAnswerDoesNotReplaceWhatWasPushedMeanwhile(row: Row) async throws {
        let downloader = ScriptedDownloader { _ in .held }
        let store = InMemoryStore()
        store.persistConfiguration(Self.document("held", version: row.held), forUserID: nil)
        let config = ActiveConfig.make(downloader: downloader, store: store)
        let download = Task { try await config.downloadNewConfig() as DownloadResult }
        try await downloader.waitForRequests(1)
        let pushed = Self.document("pushed", version: row.pushed)
        _ = await config.downloads.push(to: .generic) { _ in .apply(pushed) }
        #expect(config["Home"]?.title == "pushed")
        downloader.answer(1, with: .configuration(Self.document("answer", version: row.answer)))
        _ = try await download.value
        #expect(config["Home"]?.title == row.title)
        #expect(store.ownConfiguration(forUserID: nil)?["Home"]?.title == row.title)
    }

    /// Without versions, only the tags show that a confirmation belongs to another document.
    @Test(arguments: ["\"held\"", nil])
    func aConfirmationDoesNotBringBackWhatWasReplacedMeanwhile(entityTag: String?) async throws {
        let downloader = ScriptedDownloader { _ in .held }
        let store = InMemoryStore()
        store.persistConfiguration(.titled(["Home": "held"], entityTag: entityTag), forUserID: nil)
        let fixture = CoordinatorFixture.make(downloader, store: store)
        let config = fixture.config
        let listener = fixture.listener()
        let download = Task { try await config.downloadNewConfig() as DownloadResult }
        try await downloader.waitForRequests(1)
        let new = ConfigurationState.titled(
            ["Home": "new"], entityTag: entityTag.map { _ in "\"new\"" })
        store.persistConfiguration(new, forUserID: nil)
        await config.reload()
        #expect(config["Home"]?.title == "new")
        downloader.answer(1, with: .unchanged)
        #expect(try await download.value.outcome == .notModified)
        #expect(config["Home"]?.title == "new")
        #expect(store.ownConfiguration(forUserID: nil)?["Home"]?.title == "new")
        fixture.drain()
        #expect(listener.sections.map { $0?.title } == ["held", "new"])
    }
}
