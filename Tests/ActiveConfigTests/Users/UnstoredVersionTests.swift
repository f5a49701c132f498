import ActiveConfigTesting
import Testing

@testable import ActiveConfig

/// A document that could not be stored, and the documents that the store gets in the meantime.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UnstoredVersionTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The version in the store, and the later downloads that could not be stored.
        let versions: [Int]
        /// The version that the store contains afterwards.
        let stored: Int
        let isTaken: Bool
    }

    static let rows = [
        Row(testDescription: "the one before", versions: [5, 4], stored: 5, isTaken: false),
        Row(testDescription: "one before it", versions: [5, 4], stored: 3, isTaken: false),
        Row(testDescription: "a later one", versions: [5, 4], stored: 6, isTaken: true),
        Row(testDescription: "one in between", versions: [7, 4], stored: 5, isTaken: true),
        Row(testDescription: "the first of three", versions: [5, 4, 3], stored: 5, isTaken: false),
        Row(
            testDescription: "the second of three", versions: [5, 4, 3], stored: 4, isTaken: false),
        Row(testDescription: "a later one, as usual", versions: [4, 5], stored: 6, isTaken: true),
    ]

    /// A version that the store had before is not newer, even if its number is higher: the server
    /// went back.
    @Test(arguments: rows, [true, false])
    func anEarlierVersionIsNotLater(row: Row, waits: Bool) {
        let first = ConfigurationState.versioned(row.versions[0])
        var user = SimulatedUser(policy: waits ? .manual : .immediate)
        let own = KnownConfiguration(waits ? .versioned(0) : first, source: .stored, isOwn: true)
        user.handle(.loaded(.init(own: own, pending: waits ? first : nil)))
        user.isFull = true
        var last = first
        for version in row.versions.dropFirst() {
            last = .versioned(version)
            user.handle(.received(last))
        }
        #expect(user.documents.isSuperseded(last, by: row.stored) == row.isTaken)
    }

    /// After the version is stored, any later version is from another process.
    @Test func aStoredVersionIsFollowedAgain() {
        var user = SimulatedUser(policy: .immediate)
        user.handle(.loaded(.init(own: .downloaded(.versioned(5)))))
        user.isFull = true
        user.handle(.received(.versioned(4)))
        #expect(!user.documents.isSuperseded(.versioned(4), by: 5))
        user.saveAgain()
        #expect(user.documents.isSuperseded(.versioned(4), by: 5))
    }

    private struct Full: Error {}

    /// The server goes back to version 4 while the store is full.
    private func launch(
        then answers: ScriptedDownloader.Answer...
    ) async throws -> (ActiveConfig, InMemoryStore, isFull: Locked<Bool>) {
        let isFull = Locked(false)
        let store = ObservedStore { event in
            if case .persist = event, isFull.withLock(\.self) { throw Full() }
        }
        let answers = [.configuration(.versioned(5)), .configuration(.versioned(4))] + answers
        let downloader = ScriptedDownloader { answers[min($0.number, answers.count) - 1] }
        let config = CoordinatorFixture.make(downloader, store: store).config
        config.currentUserID = "b"
        try await config.downloadNewConfig()
        isFull.withLock { $0 = true }
        try await config.downloadNewConfig()
        #expect(config["Home"]?.title == "4")
        return (config, store.base, isFull)
    }

    @Test func aReloadDoesNotUndoIt() async throws {
        let (config, store, _) = try await launch()
        await config.reload()
        #expect(config["Home"]?.title == "4")
        store.persistConfiguration(.versioned(6), forUserID: "b")
        await config.reload()
        #expect(config["Home"]?.title == "6")
    }

    @Test func theNextConfirmationStoresIt() async throws {
        let (config, store, isFull) = try await launch(then: .unchanged)
        isFull.withLock { $0 = false }
        try await config.downloadNewConfig()
        #expect(config["Home"]?.title == "4")
        #expect(store.ownConfiguration(forUserID: "b")?.templateVersion == 4)
    }
}
