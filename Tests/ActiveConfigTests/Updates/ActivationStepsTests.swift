import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// The process ends, or power fails, at any system call of a download that stays pending and of its
/// activation.
///
/// The next launch then finds whole documents, each with its own entity tag and for its own user.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ActivationStepsTests {
    /// The documents that the next launch finds.
    private struct Found: Equatable {
        var own: String?
        var pending: String?
    }

    private static let folder = URL(filePath: "/store")

    private static func document(_ title: String) -> ConfigurationState {
        .titled(["Home": title, "Kill": title], entityTag: "tag-\(title)")
    }

    private static func store(_ system: ModelFileSystem) -> FileDefaultsStore {
        FileDefaultsStore(directory: folder, log: .disabled, system: system)
    }

    private static func launch(
        _ system: ModelFileSystem, _ policy: ActivationPolicy = .manual,
        _ downloader: ScriptedDownloader = ScriptedDownloader()
    ) -> ActiveConfig {
        let fixture = UpdatesFixture(store(system), activation: policy)
        let config = fixture.launch(downloader).config
        config.currentUserID = "A"
        return config
    }

    /// User A has version 1, user B has another document.
    private static func prepared() throws -> ModelFileSystem {
        let system = ModelFileSystem()
        try store(system).persistConfiguration(document("1"), forUserID: "A")
        try store(system).persistConfiguration(document("B"), forUserID: "B")
        return system.settled()
    }

    /// Downloads versions 2 and 3, and activates after each.
    ///
    /// - Returns: The highest version whose activation has ended.
    private static func operate(on system: ModelFileSystem) async throws -> Int {
        let config = launch(
            system, .manual,
            ScriptedDownloader(.configuration(document("2")), .configuration(document("3"))))
        var activated = 1
        for version in 2...3 {
            try await config.downloadNewConfig()
            await config.activate()
            // A process that has ended may have activated the version in memory only.
            if store(system).ownConfiguration(forUserID: "A")?.entityTag == "tag-\(version)" {
                activated = version
            }
        }
        system.finish()
        return activated
    }

    private static func found(_ system: ModelFileSystem) throws -> Found {
        let store = store(system.reopened())
        var found = Found()
        if let own = store.ownConfiguration(forUserID: "A") {
            found.own = try #require(own["Home"]?.title)
            #expect(own == document(found.own ?? ""))
            #expect(own.entityTag == "tag-\(found.own ?? "")")
        }
        if let pending = try store.pendingConfiguration(forUserID: "A") {
            found.pending = try #require(pending["Home"]?.title)
            #expect(pending == document(found.pending ?? ""))
            #expect(pending.entityTag == "tag-\(found.pending ?? "")")
        }
        #expect(store.ownConfiguration(forUserID: "B") == document("B"))
        #expect(try store.pendingConfiguration(forUserID: "B") == nil)
        return found
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func aKillAtAnyCallLeavesWholeDocumentsInOrder() async throws {
        let start = try Self.prepared()
        let whole = start.reopened()
        _ = try await Self.operate(on: whole)
        let count = whole.calls.count
        #expect(try Self.found(whole) == Found(own: "3", pending: nil))
        let allowed: [Found] = [
            Found(own: "1", pending: nil), Found(own: "1", pending: "2"),
            Found(own: "2", pending: "2"), Found(own: "2", pending: nil),
            Found(own: "2", pending: "3"), Found(own: "3", pending: "3"),
            Found(own: "3", pending: nil),
        ]
        for number in Rounds.sample(0...count, oneIn: 4) {
            let system = start.reopened(.init(ending: number))
            let activated = try await Self.operate(on: system)
            for (index, state) in ([system] + system.powerLosses()).enumerated() {
                let place: Comment = "before \(number), \(index)"
                let found = try Self.found(state)
                #expect(allowed.contains(found), place)
                #expect(Int(found.own ?? "") ?? 0 >= activated, place)
                // The pending document is never older than the active one.
                #expect((found.pending ?? found.own ?? "") >= (found.own ?? ""), place)
            }
            // The next launch continues: the pending document can be activated, and requests are
            // conditional on its tag.
            let downloader = ScriptedDownloader(.unchanged)
            let next = Self.launch(system.reopened(), .manual, downloader)
            let newest = try Self.found(system)
            try await next.downloadNewConfig()
            #expect(
                downloader.requests.first?.lastKnown?.entityTag
                    == "tag-\(newest.pending ?? newest.own ?? "")")
            await next.activate()
            #expect(next["Home"]?.title == newest.pending ?? newest.own)
            #expect(next["Kill"]?.title == next["Home"]?.title)
        }
    }

    @Test func aCallThatFailsLosesNoDocument() async throws {
        let start = try Self.prepared()
        try Self.store(start).persistPendingConfiguration(Self.document("2"), forUserID: "A")
        func activate(on system: ModelFileSystem) async throws -> Found {
            let config = Self.launch(system)
            await config.activate()
            system.finish()
            return try Self.found(system)
        }
        let whole = start.reopened()
        #expect(try await activate(on: whole) == Found(own: "2", pending: nil))
        for number in 0...whole.calls.count {
            let found = try await activate(on: start.reopened(.init(failing: number)))
            #expect(found.own == "2" || found.pending == "2", "call \(number): \(found)")
        }
    }

    @Test func aPendingDocumentIsActiveWhereverTheNextLaunchEnds() async throws {
        let start = try Self.prepared()
        try Self.store(start).persistPendingConfiguration(Self.document("2"), forUserID: "A")
        let prepared = start.settled()
        let calls = { (system: ModelFileSystem) async throws -> Void in
            let config = Self.launch(
                system, .nextLaunch, ScriptedDownloader(.configuration(Self.document("3"))))
            #expect(config["Home"]?.title == "2")
            try await config.downloadNewConfig()
            #expect(config["Home"]?.title == "2")
            system.finish()
        }
        let whole = prepared.reopened()
        try await calls(whole)
        #expect(try Self.found(whole) == Found(own: "2", pending: "3"))
        let allowed: [Found] = [
            Found(own: "1", pending: "2"), Found(own: "2", pending: "2"),
            Found(own: "2", pending: nil), Found(own: "2", pending: "3"),
        ]
        for number in 12...whole.calls.count {
            let system = prepared.reopened(.init(ending: number))
            try await calls(system)
            for state in [system] + system.powerLosses() {
                #expect(allowed.contains(try Self.found(state)), "before \(number)")
            }
        }
    }
}
