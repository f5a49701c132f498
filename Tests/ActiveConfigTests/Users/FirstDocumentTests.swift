import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// A user's first document, which waits or not by comparison with a fallback that changes while the
/// document is stored: what is stored and what is active were decided at two moments.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct FirstDocumentTests {
    private static func document(_ version: Int, home: String) -> ConfigurationState {
        var document = ConfigurationState.titled(
            ["Home": home, "Kill": "on"], entityTag: "\"\(version)\"")
        document.meta["template_version"] = .integer(version)
        return document
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The fallback's title before the document is stored, and while it is.
        let before: String, during: String
        let isActive: Bool
    }

    static let rows = [
        Row(testDescription: "equal, then different", before: "own", during: "g", isActive: true),
        Row(testDescription: "different, then equal", before: "g", during: "own", isActive: false),
    ]

    @Test(arguments: rows)
    func theFallbackChangesWhileItIsStored(row: Row) async throws {
        let store = SteppedStore()
        store.base.persistConfiguration(Self.document(1, home: row.before), forUserID: nil)
        var options = ActiveConfigOptions()
        options.activationPolicy = .manual(except: ["Kill"])
        func launch(_ downloader: ScriptedDownloader) -> ActiveConfig {
            let fixture = CoordinatorFixture.make(downloader, store: store, options: options)
            fixture.config.currentUserID = "b"
            return fixture.config
        }
        let config = launch(
            ScriptedDownloader(.configuration(Self.document(5, home: "own"))))
        #expect(config["Home"]?.title == row.before)
        let generic = config.configuration(forUserID: nil)
        let hasChanged = DispatchSemaphore(value: 0)
        let token = generic.observe(sectionNamed: "Home") { section in
            if section?.title == row.during { hasChanged.signal() }
        }
        store.beforeNextWrite(of: "b", isPending: !row.isActive) {
            store.base.persistConfiguration(Self.document(2, home: row.during), forUserID: nil)
            Thread.detachNewThread { config.users.reload(config.users.generic) }
            hasChanged.wait()
        }
        let result = try await config.downloadNewConfig()
        token.cancel()
        #expect(generic["Home"]?.title == row.during)
        #expect(result.isActive == row.isActive)
        #expect(config["Home"]?.title == (row.isActive ? "own" : row.during))
        #expect((store.ownConfiguration(forUserID: "b") == nil) == !row.isActive)
        #expect((try store.pendingConfiguration(forUserID: "b") == nil) == row.isActive)
        let next = launch(ScriptedDownloader())
        #expect(next["Home"]?.title == (row.isActive ? "own" : row.during))
    }
}
