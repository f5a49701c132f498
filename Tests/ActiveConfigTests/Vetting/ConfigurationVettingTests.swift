import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigTrust

/// App-defined rules that decide which documents may become active.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ConfigurationVettingTests {
    private typealias Rule = VettingRule

    private static let refusal = ConfigurationRefusal("It is too large.")
    private static let (first, second) = (document("1", 1), document("2", 2))

    private static func document(_ title: String, _ version: Int) -> ConfigurationState {
        .make(
            meta: ["template_version": .integer(version)],
            sections: ["Home": ["title": .string(title)]],
            entityTag: "\"\(version)\"")
    }

    private func config(
        _ answers: ScriptedDownloader.Answer..., store: any ActiveConfigStore = InMemoryStore(),
        vetting: [any ConfigurationVetting]
    ) -> ActiveConfig {
        var options = ActiveConfigOptions()
        options.vetting = vetting
        let downloader = ScriptedDownloader { request in
            answers.indices.contains(request.number - 1) ? answers[request.number - 1] : .unchanged
        }
        return .make(downloader: downloader, store: store, options: options)
    }

    @Test func aDownloadThatIsRefusedFails() async throws {
        let store = InMemoryStore()
        let config = config(
            .configuration(Self.first), .configuration(Self.second), store: store,
            vetting: [Rule { $0.document == Self.second ? .refuse(Self.refusal) : .accept }])
        let events = Locked<[String]>([])
        let observation = config.addObserver(
            ClosureObserver { event in
                guard case .refused(let refusal, let kept) = event.kind else { return }
                events.withLock { $0.append("\(refusal.reason) \(kept ?? 0)") }
            })
        try await config.downloadNewConfig()
        await #expect(throws: ConfigurationRefusal.self) { try await config.downloadNewConfig() }
        #expect(config["Home"]?.title == "1")
        #expect(store.ownConfiguration(forUserID: nil)?["Home"]?.title == "1")
        #expect(events.withLock { $0 } == ["It is too large. 1"])
        observation.cancel()
    }

    @Test func theErrorOfARefusalIsThrown() async throws {
        struct TooLarge: Error {}
        let config = config(
            .configuration(Self.first),
            vetting: [
                Rule { _ in .refuse(ConfigurationRefusal("It is.", underlyingError: TooLarge())) }
            ])
        await #expect(throws: TooLarge.self) { try await config.downloadNewConfig() }
    }

    @Test func aDownloadThatIsIgnoredHasBroughtNothing() async throws {
        let config = config(
            .configuration(Self.first), .configuration(Self.second),
            vetting: [Rule { $0.document == Self.second ? .ignore(Self.refusal) : .accept }])
        try await config.downloadNewConfig()
        #expect(try await config.downloadNewConfig().outcome == .notModified)
        #expect(config["Home"]?.title == "1")
    }

    @Test(arguments: [false, true])
    func aStoredDocumentThatIsNotAcceptedIsNotUsed(isIgnored: Bool) throws {
        let store = InMemoryStore()
        store.persistConfiguration(Self.second, forUserID: nil)
        let config = config(
            store: store,
            vetting: [
                Rule { candidate in
                    guard candidate.origin == .stored, candidate.document == Self.second else {
                        return .accept
                    }
                    return isIgnored
                        ? .ignore(Self.refusal, using: Self.first) : .refuse(Self.refusal)
                }
            ])
        #expect(config["Home"]?.title == (isIgnored ? "1" : nil))
        #expect(config.refusedVersions == [2])
    }

    @Test func aStoredDocumentIsVettedAtEachReadOfTheStore() async {
        let store = InMemoryStore()
        store.persistConfiguration(Self.first, forUserID: nil)
        let asked = Locked<[String]>([])
        let config = config(
            store: store,
            vetting: [
                Rule { candidate in
                    asked.withLock { $0.append("\(candidate.origin)") }
                    return .accept
                }
            ])
        #expect(config["Home"]?.title == "1")
        #expect(config["Home"]?.title == "1")
        #expect(asked.withLock { $0 } == ["stored"])
        await config.reload()
        await config.reload()
        #expect(asked.withLock { $0 } == ["stored", "stored", "stored"])
    }

    /// A replacement is vetted as well.
    @Test func aReplacementThatIsNotAcceptedIsNotUsed() {
        let store = InMemoryStore()
        store.persistConfiguration(Self.second, forUserID: nil)
        let config = config(
            store: store, vetting: [Rule { _ in .ignore(Self.refusal, using: Self.first) }])
        #expect(config["Home"] == nil)
    }

    @Test func allAreAskedInTheirOrderUntilOneDoesNotAccept() async throws {
        let asked = Locked<[Int]>([])
        func rule(_ number: Int, _ verdict: VettingVerdict) -> Rule {
            Rule { _ in
                asked.withLock { $0.append(number) }
                return verdict
            }
        }
        let config = config(
            .configuration(Self.first),
            vetting: [
                rule(1, .accept(Self.second)), rule(2, .accept), rule(3, .refuse(Self.refusal)),
                rule(4, .accept),
            ])
        await #expect(throws: ConfigurationRefusal.self) { try await config.downloadNewConfig() }
        #expect(asked.withLock { $0 } == [1, 2, 3])
    }

    @Test func aReplacementOfAnAcceptedDocumentBecomesActive() async throws {
        let config = config(
            .configuration(Self.first), vetting: [Rule { _ in .accept(Self.second) }])
        try await config.downloadNewConfig()
        #expect(config["Home"]?.title == "2")
    }

    /// Vettings that verify the bytes come first, whatever the order in the options.
    @Test func signaturesAreAskedFirst() async throws {
        let asked = Locked(0)
        let rule = Rule { _ in
            asked.withLock { $0 += 1 }
            return .ignore(Self.refusal)
        }
        let config = config(
            .configuration(Self.first),
            vetting: [rule, SignatureVetting(verifier: SigningServer())])
        await #expect(throws: SignatureError.self) { try await config.downloadNewConfig() }
        #expect(asked.withLock { $0 } == 0)
    }

    @Test(arguments: ["accept", "refuse", "ignore"])
    func aPushedDocumentIsVetted(verdict: String) async throws {
        let config = config(
            .configuration(Self.first),
            vetting: [
                Rule { candidate in
                    guard candidate.origin == .pushed else { return .accept }
                    return switch verdict {
                    case "accept": .accept
                    case "refuse": .refuse(Self.refusal)
                    default: .ignore(Self.refusal)
                    }
                }
            ])
        try await config.downloadNewConfig()
        let outcome = await config.downloads.push(to: .generic) { _ in .apply(Self.second) }
        switch (outcome, verdict) {
        case (.applied, "accept"), (.needsFetch, "refuse"), (.skipped, "ignore"): break
        default: Issue.record("\(outcome)")
        }
        #expect(config["Home"]?.title == (verdict == "accept" ? "2" : "1"))
    }

    /// The bytes and header fields are kept only if a vetting needs them.
    @Test(arguments: [false, true])
    func anOriginalIsKeptForVettingsThatNeedIt(isNeeded: Bool) async throws {
        struct Needing: ConfigurationVetting {
            let needsOriginal: Bool
            let seen: Locked<[String?]>

            func vet(_ candidate: ConfigurationCandidate) -> VettingVerdict {
                let field = candidate.document.original?.headerField("ActiveConfig-Note")
                seen.withLock { $0.append(field) }
                return .accept
            }
        }
        let store = InMemoryStore()
        var answer = Self.first
        answer.original = OriginalDocument(
            body: answer.jsonData(),
            headerFields: ["ActiveConfig-Note": "a", "Content-Type": "application/json"],
            entityTag: answer.entityTag)
        let seen = Locked<[String?]>([])
        let rule = Needing(needsOriginal: isNeeded, seen: seen)
        try await config(.configuration(answer), store: store, vetting: [rule])
            .downloadNewConfig()
        #expect(store.ownConfiguration(forUserID: nil)?.original?.body != nil || !isNeeded)
        _ = config(store: store, vetting: [rule])["Home"]
        #expect(seen.withLock { $0.first } == "a")
        #expect(seen.withLock { $0.last } == (isNeeded ? "a" : .some(nil)))
    }

    /// Accepts the document that it parses again from the bytes.
    private struct ReadingAgain: ConfigurationVetting {
        var needsOriginal: Bool { true }

        func vet(_ candidate: ConfigurationCandidate) -> VettingVerdict {
            if candidate.origin == .confirmed { return .accept }
            guard let body = candidate.document.original?.body,
                let document = try? ConfigurationState(jsonData: body)
            else { return .refuse(ConfigurationRefusal("It has no bytes.")) }
            return .accept(document)
        }
    }

    @Test func aDocumentThatWasReadAgainKeepsItsEntityTag() async throws {
        var document = ConfigurationState.titled(["Home": "1"], entityTag: "\"a\"")
        document.original = OriginalDocument(
            body: document.jsonData(), headerFields: [:], entityTag: document.entityTag)
        let store = InMemoryStore()
        for _ in 1...2 {
            var options = ActiveConfigOptions()
            options.vetting = [ReadingAgain()]
            let fixture = CoordinatorFixture.make(
                ScriptedDownloader { [document] request in
                    request.lastKnown == nil ? .configuration(document) : .unchanged
                }, store: store, options: options)
            try await fixture.config.downloadNewConfig()
            #expect(fixture.config.currentConfiguration.entityTag == "\"a\"")
            #expect(fixture.config["Home"]?.string(forKey: "title") == "1")
        }
        #expect(store.ownEntityTag(forUserID: nil) == "\"a\"")
    }

    /// Also at the next launch, with the version of a 304.
    @Test(arguments: [true, false], [true, false])
    func aVettingThatChangesDocumentsGetsTheReceivedOne(
        isFile: Bool, hasOriginal: Bool
    ) async throws {
        let folder = TemporaryFolder()
        let store: any ActiveConfigStore =
            isFile ? FileDefaultsStore(directory: folder.url) : InMemoryStore()
        let seen = Locked<[String]>([])
        let rule = Rule { candidate in
            if candidate.origin == .confirmed { return .accept }
            var document = candidate.document
            let title = document["Home"]?.title ?? ""
            seen.withLock { $0.append(title) }
            document.sections["Home"] = .make(["title": .string(title + "!")])
            return .accept(document)
        }
        var answer = Self.first
        if hasOriginal {
            answer.original = OriginalDocument(
                body: answer.jsonData(), headerFields: [:], entityTag: answer.entityTag)
        }
        let downloader = ScriptedDownloader { [answer] request in
            guard var known = request.lastKnown else { return .configuration(answer) }
            known.confirmedVersion = 3
            known.original = .confirmation(headerFields: [:], entityTag: known.entityTag)
            return .configuration(known)
        }
        for version in [1, 3, 3] {
            var options = ActiveConfigOptions()
            options.vetting = [rule]
            let config = ActiveConfig.make(downloader: downloader, store: store, options: options)
            try await config.downloadNewConfig()
            #expect(config["Home"]?.title == "1!")
            #expect(config.currentConfiguration.templateVersion == version)
            let outcome = await config.downloads.push(to: .generic) { _ in .apply(Self.second) }
            if case .needsFetch = outcome {} else { Issue.record("\(outcome)") }
        }
        #expect(Set(seen.withLock { $0 }) == ["1"])
    }

    @Test func aVerdictCanBeLookedAt() {
        let refusal = ConfigurationRefusal("It is too large.")
        let document = ConfigurationState.titled(["Home": "1"])
        #expect(VettingVerdict.accept.refusal == nil)
        #expect(VettingVerdict.accept(document).replacement == document)
        #expect(VettingVerdict.refuse(refusal).refusal?.reason == refusal.reason)
        #expect(!VettingVerdict.refuse(refusal).isIgnored)
        let ignored = VettingVerdict.ignore(refusal, using: document)
        #expect(ignored.isIgnored && ignored.replacement == document)
    }
}
