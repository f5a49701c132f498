import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigTrust

/// Signatures of answers without a document (304) that name a later version.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ConfirmedSignatureTests {
    private let server = SigningServer()

    private static let tag = "\"12\""

    /// An answer about version 12, signed as one of another version.
    private static func confirmation(_ field: String?) throws -> ScriptedDownloader.Answer {
        var state = try SigningServer.answer(12)
        state.original = state.original?.withoutBody.confirmed(
            signature: field, entityTag: "W/\(tag)")
        // Not signed, and therefore ignored.
        state.confirmedVersion = 999
        return .configuration(state)
    }

    private static func field(
        _ version: Int, user: String = "user:1", tag: String = tag,
        expires: Int = 1_795_003_600, secret: String = "secret"
    ) -> String {
        SigningServer.field(
            nil, version: version, user: user, tag: tag, expires: expires, secret: secret)
    }

    @Test(arguments: [ActivationPolicy.immediate, .manual, .nextLaunch])
    func aLaterVersionIsKeptWithItsSignature(activation: ActivationPolicy) async throws {
        let folder = TemporaryFolder()
        func store() -> FileDefaultsStore { FileDefaultsStore(directory: folder.url) }
        let config = server.config(
            ScriptedDownloader(
                .configuration(try SigningServer.answer(12)),
                try Self.confirmation(Self.field(13)), try Self.confirmation(Self.field(14)),
                try Self.confirmation(Self.field(13))), store: store(), activation: activation)
        try await config.downloadNewConfig()
        #expect(try await config.downloadNewConfig().outcome == .notModified)
        await config.activate()
        #expect(config.currentConfiguration.templateVersion == 13)
        for _ in 1...2 {
            #expect(try await config.downloadNewConfig().outcome == .notModified)
            #expect(config.currentConfiguration.templateVersion == 14)
        }
        // The bytes are those of version 12, covered by the signature of the first answer.
        let stored = try #require(store().ownConfiguration(forUserID: "1"))
        #expect(stored.templateVersion == 14)
        #expect(stored.original?.body == SigningServer.body(12))
        let next = server.config(
            ScriptedDownloader(.configuration(try SigningServer.answer(13, title: "Replayed"))),
            store: store(), activation: activation)
        #expect(next["Home"]?.string(forKey: "title") == "Hello")
        #expect(next.currentConfiguration.templateVersion == 14)
        let error = await #expect(throws: SignatureError.self) {
            try await next.downloadNewConfig()
        }
        #expect(error?.code == .replayed)
    }

    @Test func anyOtherSignatureTakesNothingOver() async throws {
        let body = SigningServer.body(12)
        let rows: [(field: String?, code: SignatureError.Code?)] = [
            // From an older server: a signature of the bytes with their known version.
            (SigningServer.field(body, version: 12), nil),
            (SigningServer.field(body, version: 13, tag: Self.tag), nil),
            (Self.field(12), nil), (Self.field(11), nil),
            (Self.field(13, user: "user:2"), .invalid), (Self.field(13, tag: "\"13\""), .invalid),
            (Self.field(13, secret: "other"), .invalid),
            (Self.field(13, expires: 1_794_000_000), .expired),
            (
                Self.field(13).replacing("version=13", with: "version=14"),
                .invalid
            ),
            (nil, .unsigned),
        ]
        for (number, row) in rows.enumerated() {
            let store = InMemoryStore()
            let config = server.config(
                ScriptedDownloader(
                    .configuration(try SigningServer.answer(12)), try Self.confirmation(row.field)),
                store: store)
            try await config.downloadNewConfig()
            do {
                #expect(try await config.downloadNewConfig().outcome == .notModified)
                #expect(row.code == nil, "\(number)")
            } catch let error as SignatureError {
                #expect(error.code == row.code, "\(number)")
            }
            #expect(config.currentConfiguration.templateVersion == 12, "\(number)")
            #expect(store.ownConfiguration(forUserID: "1")?.templateVersion == 12, "\(number)")
        }
    }

    /// The signed statement of a confirmation covers no bytes.
    @Test func aConfirmationIsNoSignatureOfADocument() async throws {
        let config = server.config(
            ScriptedDownloader(
                .configuration(try SigningServer.answer(12, field: Self.field(12)))),
            store: InMemoryStore())
        let error = await #expect(throws: SignatureError.self) {
            try await config.downloadNewConfig()
        }
        #expect(error?.code == .invalid)
    }

    @Test(arguments: [
        SigningServer.field(nil, version: 20, tag: tag, secret: "other"),
        SigningServer.field(SigningServer.body(12), version: 12), "nonsense",
    ])
    func aStoredConfirmationThatDoesNotHoldIsIgnored(field: String) throws {
        let folder = TemporaryFolder()
        let store = FileDefaultsStore(directory: folder.url)
        let answer = try SigningServer.answer(12)
        var forged = answer
        forged.meta["template_version"] = 20
        forged.original = answer.original?.takingOver(
            OriginalDocument(body: Data(), signature: field, entityTag: nil))
        try store.persistConfiguration(forged, forUserID: "1")
        let config = server.config(ScriptedDownloader(), store: store)
        #expect(config["Home"]?.string(forKey: "title") == "Hello")
        #expect(config.currentConfiguration.templateVersion == 12)
    }

    /// Another process removes the document during the request: without its bytes, it is not stored
    /// again, and the next launch asks for it.
    @Test func whatCannotBeStoredWithItsBytesIsTakenOverInMemory() async throws {
        let store = ObservedStore()
        let downloader = ScriptedDownloader(
            .configuration(try SigningServer.answer(12)), .held)
        let config = server.config(downloader, store: store)
        try await config.downloadNewConfig()
        let second = Task { try await config.downloadNewConfig() as DownloadResult }
        try await downloader.waitForRequests(2)
        try store.persistConfiguration(nil, forUserID: "1")
        downloader.answer(2, with: try Self.confirmation(Self.field(13)))
        #expect(try await second.value.outcome == .notModified)
        #expect(config.currentConfiguration.templateVersion == 13)
        #expect(store.ownConfiguration(forUserID: "1") == nil)
    }

    @Test func withoutAVerifierTheFieldCounts() async throws {
        var confirmation = try SigningServer.answer(12)
        confirmation.original = nil
        confirmation.confirmedVersion = 13
        let store = InMemoryStore()
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(
                .configuration(try SigningServer.answer(12)), .configuration(confirmation)),
            store: store)
        try await config.downloadNewConfig()
        try await config.downloadNewConfig()
        #expect(store.ownConfiguration(forUserID: nil)?.templateVersion == 13)
    }
}
