import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigTrust

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SignedConfigurationTests {
    private let server = SigningServer()

    /// The code of the error for a refused answer; nil when it became active.
    private func refusal(
        of answer: ConfigurationState, store: any ActiveConfigStore = InMemoryStore(),
        server: SigningServer = SigningServer()
    ) async throws -> SignatureError.Code? {
        let config = server.config(
            ScriptedDownloader(.configuration(answer)), store: store)
        let before = config.currentConfiguration
        do {
            try await config.downloadNewConfig()
        } catch let error as SignatureError {
            #expect(config.currentConfiguration == before)
            return error.code
        }
        #expect(config.currentConfiguration == answer)
        return nil
    }

    @Test func aSignedDocumentBecomesActiveAndIsVerifiedAgainFromDisk() async throws {
        let folder = TemporaryFolder()
        let answer = try SigningServer.answer(12)
        #expect(
            try await refusal(of: answer, store: FileDefaultsStore(directory: folder.url)) == nil)
        let store = FileDefaultsStore(directory: folder.url)
        // The exact bytes, not a re-encoding of them.
        let stored = try #require(store.ownConfiguration(forUserID: "1"))
        #expect(stored.original?.body == SigningServer.body(12))
        let config = server.config(ScriptedDownloader(), store: store)
        #expect(config["Home"]?.string(forKey: "title") == "Hello")
        #expect(config.currentConfiguration.original?.body == nil)
        // With other keys, none of it is used.
        let others = SigningServer(keys: ["k2": "other"])
        let log = RecordingLog()
        let stranger = others.config(ScriptedDownloader(), store: store, log: log.log)
        #expect(stranger["Home"] == nil)
        #expect(log.messages.contains { "\($0)".contains("left out") })
    }

    /// It reuses the tables that were built when it was received or when its file was read.
    @Test func aSignedDocumentIsParsedOnce() async throws {
        let body = SigningServer.body(12)
        let signed = try SigningServer.answer(12)
        let reading = try ConfigurationState(jsonData: body)
        var answer = reading
        answer.entityTag = signed.entityTag
        answer.original = signed.original?.read(as: reading)
        let store = InMemoryStore()
        let config = server.config(ScriptedDownloader(.configuration(answer)), store: store)
        try await config.downloadNewConfig()
        let active = try #require(config.currentConfiguration.sections["Home"]?.table)
        #expect(active === answer.sections["Home"]?.table)
        let record = try StoredRecord(StoredRecord.encode(answer, of: UserID("1")), of: UserID("1"))
        let stored = try record.configuration()
        #expect(
            stored.original?.knownConfiguration?.sections["Home"]?.table
                === stored.sections["Home"]?.table)
    }

    /// Sections that users share in memory still match the signed document.
    @Test func anUnchangedDocumentOfAUserWithAHandleIsConfirmed() async throws {
        let answer = try SigningServer.answer(12)
        let config = server.config(
            ScriptedDownloader { request in
                guard let known = request.lastKnown else { return .configuration(answer) }
                var confirmed = known
                confirmed.original = known.original?.confirmed(
                    signature: answer.original?.signature, entityTag: answer.entityTag)
                return .configuration(confirmed)
            }, store: InMemoryStore())
        let handle = config.configuration(forUserID: config.currentUserID)
        try await config.downloadNewConfig()
        #expect(config.currentConfiguration.original != nil)
        #expect(handle.currentConfiguration.original != nil)
        #expect(try await config.downloadNewConfig().outcome == .notModified)
        #expect(try await handle.download().outcome == .notModified)
    }

    @Test func nothingUnsignedIsActiveExceptTheBootstrapAndDefaults() async throws {
        var unsigned = try SigningServer.answer(12)
        unsigned.original = nil
        #expect(try await refusal(of: unsigned) == .unsigned)
        let store = InMemoryStore(
            bootstrap: .state(.make(sections: ["Home": ["title": "bundled"]])))
        store.persistConfiguration(unsigned, forUserID: "1")
        store.persistConfiguration(unsigned, forUserID: nil)
        let config = server.config(ScriptedDownloader(), store: store)
        #expect(config["Home"]?.string(forKey: "title") == "bundled")
        config.setDefaults(["Extra": ["isOn": true]])
        #expect(config["Extra"]?.bool(forKey: "isOn") == true)
        // A store that does not keep the bytes.
        var changed = try SigningServer.answer(12)
        changed.sections["Home"] = ActiveConfigSection(settings: ["title": "forged"])
        #expect(changed.original == nil)
        let plain = ObservedStore()
        try plain.persistConfiguration(changed, forUserID: "1")
        #expect(server.config(ScriptedDownloader(), store: plain)["Home"] == nil)
    }

    @Test func aDocumentThatDiffersFromItsBytesIsNotUsed() async throws {
        var forged = try SigningServer.answer(12)
        let document = forged.original
        forged.sections["Home"] = ActiveConfigSection(settings: ["title": "forged"])
        forged.original = document
        #expect(try await refusal(of: forged) == .contentMismatch)
        let store = InMemoryStore()
        store.persistConfiguration(forged, forUserID: "1")
        #expect(server.config(ScriptedDownloader(), store: store)["Home"] == nil)
    }

    private static let policies: [ActivationPolicy] = [.immediate, .manual, .nextLaunch]

    @Test(arguments: policies)
    func aPendingDocumentIsVerifiedBeforeItBecomesActive(policy: ActivationPolicy) async throws {
        let store = InMemoryStore()
        store.persistConfiguration(try SigningServer.answer(12), forUserID: "1")
        let unsigned = ConfigurationState.make(
            meta: ["template_version": 999], sections: ["Home": ["title": "forged"]],
            entityTag: "\"999\"")
        var otherUsers = try SigningServer.answer(13, title: "forged", user: "user:2")
        otherUsers.entityTag = unsigned.entityTag
        for forged in [unsigned, otherUsers] {
            store.persistPendingConfiguration(forged, forUserID: "1")
            let log = RecordingLog()
            let answer = try SigningServer.answer(14, title: "Newest")
            let config = server.config(
                ScriptedDownloader(.configuration(answer)), store: store, activation: policy,
                log: log.log)
            #expect(config["Home"]?.string(forKey: "title") == "Hello")
            #expect(config.snapshot.pending?.document == nil)
            await config.activate()
            #expect(config["Home"]?.string(forKey: "title") == "Hello")
            #expect(log.messages.contains { $0.text.contains("left out") })
            // The bundled version does not make the server's documents look older.
            try await config.downloadNewConfig()
            await config.activate()
            #expect(config["Home"]?.string(forKey: "title") == "Newest")
            #expect(store.pendingConfiguration(forUserID: "1") == nil)
            store.persistConfiguration(try SigningServer.answer(12), forUserID: "1")
        }
    }

    @Test(arguments: policies)
    func whatWaitsIsStoredWithItsSignature(policy: ActivationPolicy) async throws {
        let store = InMemoryStore()
        store.persistConfiguration(try SigningServer.answer(12), forUserID: "1")
        store.persistPendingConfiguration(
            try SigningServer.answer(13, title: "Newer"), forUserID: "1")
        let config = server.config(
            ScriptedDownloader(.configuration(try SigningServer.answer(13, title: "Newer"))),
            store: store, activation: policy)
        try await config.downloadNewConfig()
        await config.activate()
        #expect(config["Home"]?.string(forKey: "title") == "Newer")
        #expect(config.currentConfiguration.original?.body == nil)
        let stored = store.ownConfiguration(forUserID: "1")
        #expect(stored?.original?.body == SigningServer.body(13, title: "Newer"))
        let next = server.config(ScriptedDownloader(), store: store, activation: policy)
        #expect(next["Home"]?.string(forKey: "title") == "Newer")
    }

    @Test(.onOneThread) func eachBitCounts() async throws {
        let policy = SignatureVetting(verifier: server)
        let body = SigningServer.body(12)
        let field = SigningServer.field(body, version: 12)
        let tag = "\"12\""
        func isTaken(_ body: Data, _ field: String, _ tag: String, user: String? = "1") -> Bool {
            let document = OriginalDocument(body: body, signature: field, entityTag: tag)
            let version = try? policy.version(
                of: document, for: UserID(user), at: SigningServer.now)
            return version != nil
        }
        #expect(isTaken(body, field, tag))
        for bit in 0..<body.count * 8 {
            var flipped = body
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(!isTaken(flipped, field, tag), "bit \(bit) of the body")
        }
        for bit in 0..<tag.utf8.count * 8 {
            var flipped = Array(tag.utf8)
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(!isTaken(body, field, String(decoding: flipped, as: UTF8.self)))
        }
        var taken: [String] = []
        for bit in 0..<field.utf8.count * 8 {
            var flipped = Array(field.utf8)
            flipped[bit / 8] ^= 1 << (bit % 8)
            let text = String(decoding: flipped, as: UTF8.self)
            if isTaken(body, text, tag) { taken.append(text) }
        }
        // A tab instead of a space does not change the field's meaning.
        #expect(taken.allSatisfy { $0.replacing("\t", with: " ") == field })
        #expect(isTaken(body, field, "W/\(tag)"), "a proxy may make the tag weak")
        #expect(!isTaken(body, field, tag, user: nil))
        #expect(!isTaken(body, field, tag, user: "2"))
    }

    @Test func anotherUsersOrProjectsDocumentIsRefused() async throws {
        for (user, other) in [
            ("1", "user:2"), ("1", "generic"), ("generic", "generic"), ("A", "user:a"),
            ("\u{E9}", "user:e%CC%81"), ("a/b", "user:a/b"),
        ] {
            let policy = SignatureVetting(verifier: server)
            let body = SigningServer.body(12)
            let document = OriginalDocument(
                body: body, signature: SigningServer.field(body, version: 12, user: other),
                entityTag: "\"12\"")
            #expect(throws: SignatureError.self, "\(user), \(other)") {
                try policy.version(of: document, for: UserID(user), at: SigningServer.now)
            }
        }
        let policy = SignatureVetting(verifier: server, project: "shop")
        let body = SigningServer.body(12)
        for (user, text) in [
            (nil, "generic"), ("", "user:"), ("a b/\u{E9}", "user:a%20b%2F%C3%A9"),
        ] {
            let document = OriginalDocument(
                body: body,
                signature: SigningServer.field(body, version: 12, user: text, project: "shop"),
                entityTag: "\"12\"")
            #expect(
                try policy.version(of: document, for: UserID(user), at: SigningServer.now) == 12)
            #expect(throws: SignatureError.self) {
                try SignatureVetting(verifier: server).version(
                    of: document, for: UserID(user), at: SigningServer.now)
            }
        }
    }

    @Test func anOlderDocumentIsRefusedAsReplayed() async throws {
        let store = InMemoryStore()
        #expect(try await refusal(of: SigningServer.answer(12), store: store) == nil)
        #expect(try await refusal(of: SigningServer.answer(11), store: store) == .replayed)
        #expect(
            try await refusal(of: SigningServer.answer(12, title: "other"), store: store) == nil,
            "the same version may have changed since")
        #expect(try await refusal(of: SigningServer.answer(13), store: store) == nil)
    }

    @Test func theVersionIsTheDocuments() async throws {
        let body = SigningServer.body(12)
        let field = SigningServer.field(body, version: 13, tag: "\"12\"")
        #expect(
            try await refusal(of: SigningServer.answer(12, field: field)) == .versionMismatch)
    }

    @Test func onlyAnAnswerExpires() async throws {
        let folder = TemporaryFolder()
        let store = FileDefaultsStore(directory: folder.url)
        #expect(try await refusal(of: SigningServer.answer(12), store: store) == nil)
        let year = 365 * 24 * 3600.0
        for (offset, code) in [
            (year, SignatureError.Code.expired), (3_600 + 301, .expired), (3_600 + 299, nil),
            (-year, nil),
        ] {
            let config = server.config(
                ScriptedDownloader(.configuration(try SigningServer.answer(13))),
                store: FileDefaultsStore(directory: folder.url),
                now: SigningServer.now.addingTimeInterval(offset))
            // A clock that is off by a year does not remove a stored document.
            #expect((config.currentConfiguration.templateVersion ?? 0) >= 12)
            do {
                try await config.downloadNewConfig()
                #expect(code == nil)
            } catch let error as SignatureError {
                #expect(error.code == code)
            }
            #expect((config.currentConfiguration.templateVersion ?? 0) >= 12)
        }
    }

    @Test func keysAreTakenByTheirNames() async throws {
        let rotating = SigningServer(keys: ["k1": "secret", "k2": "new"])
        let body = SigningServer.body(12)
        let field = SigningServer.field(body, version: 12, keyID: "k2", secret: "new")
        #expect(
            try await refusal(of: SigningServer.answer(12, field: field), server: rotating) == nil)
        #expect(try await refusal(of: SigningServer.answer(12), server: rotating) == nil)
        #expect(try await refusal(of: SigningServer.answer(12, field: field)) == .invalid)
        let wrong = SigningServer.field(body, version: 12, keyID: "k1", secret: "new")
        #expect(
            try await refusal(of: SigningServer.answer(12, field: wrong), server: rotating)
                == .invalid)
    }

    @Test func aConfirmationIsOfTheVeryDocument() async throws {
        let first = try SigningServer.answer(12)
        let body = SigningServer.body(12)
        func confirmation(
            _ field: String?, tag: String? = "\"12\""
        ) -> ScriptedDownloader.Answer {
            var state = first
            state.original = first.original?.withoutBody.confirmed(
                signature: field, entityTag: tag)
            return .configuration(state)
        }
        let good = SigningServer.field(body, version: 12, expires: 1_795_007_200)
        let cases: [(ScriptedDownloader.Answer, SignatureError.Code?)] = [
            (confirmation(good), nil),
            (confirmation(good, tag: "W/\"12\""), nil),
            (confirmation(good, tag: "\"13\""), .otherDocument),
            (confirmation(good, tag: nil), .otherDocument),
            (confirmation(nil), .unsigned),
            (confirmation(SigningServer.field(body, version: 12, user: "user:2")), .invalid),
            (
                confirmation(SigningServer.field(body, version: 12, expires: 1_794_000_000)),
                .expired
            ),
            (confirmation("\(good), \(good)"), .malformed),
            // An unsigned claim that nothing has changed.
            (.unchanged, .unsigned),
        ]
        for (number, (answer, code)) in cases.enumerated() {
            let store = InMemoryStore()
            let config = server.config(
                ScriptedDownloader(.configuration(first), answer), store: store)
            try await config.downloadNewConfig()
            do {
                let result = try await config.downloadNewConfig()
                #expect(code == nil, "\(number)")
                #expect(result.changedSectionNames == [])
            } catch let error as SignatureError {
                #expect(error.code == code, "\(number)")
            }
            #expect(config.currentConfiguration == first)
        }
    }

    @Test func withoutAVerifierASignatureIsNoMatter() async throws {
        let answer = try SigningServer.answer(12, field: "nonsense")
        let store = InMemoryStore()
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(answer)), store: store)
        try await config.downloadNewConfig()
        #expect(config.currentConfiguration == answer)
        #expect(store.ownConfiguration(forUserID: nil)?.original == nil)
    }

    @Test(arguments: [
        "", "keyid", "keyid=k1", #"keyid="", expires=1, version=1, sig=:AA==:"#,
        #"keyid="k1", expires=1, version=1"#, #"keyid="k1", expires=1, version=1, sig=AA"#,
        #"keyid="k1", expires=01, version=1, sig=:AA==:"#,
        #"keyid="k1", expires=1.5, version=1, sig=:AA==:"#,
        #"keyid="k1", expires=-1, version=1, sig=:AA==:"#,
        #"keyid="k1", expires=1, version=1234567890123456, sig=:AA==:"#,
        #"keyid="k1", expires=1, version=1, sig=:AB==:"#,
        #"keyid="k1", expires=1, version=1, sig=:AA==:,"#,
        #"keyid="k1", expires=1, version=1, sig=:AA==:, version=1"#,
        #"keyid="k 1", expires=1, version=1, sig=:AA==:"#,
        #"KEYID="k1", expires=1, version=1, sig=:AA==:"#,
        #"keyid="k1" expires=1, version=1, sig=:AA==:"#,
        #"keyid = "k1", expires=1, version=1, sig=:AA==:"#,
        #"keyid="k1, expires=1, version=1, sig=:AA==:"#,
        #"keyid="k1", expires=1, version=1, sig=:"#, #"keyid=", expires=1, version=1, sig=:AA==:"#,
        #"note="\", keyid="k1", expires=1, version=1, sig=:AA==:"#,
        #"keyid="k1"\#u{301}, expires=1, version=1, sig=:AA==:"#,
    ])
    func aFieldThatIsNoneIsRefused(text: String) {
        #expect(SignatureField(text) == nil)
    }

    @Test(arguments: [
        #"keyid="k1", expires=1, version=2, sig=:AA==:"#,
        #"sig=:AA==:,version=2 ,  expires=1,keyid="k1""#,
        #"alg=ed25519;x=1, keyid="k1";p, expires=1, version=2, sig=:AA==:, new=(1 "a";b ?1), on"#,
        #"note="a, version=9; \"=, sig=:AB==:\\", keyid="k1", expires=1, version=2, sig=:AA==:"#,
    ])
    func membersComeInAnyOrderAndOthersArePassedOver(text: String) {
        let field = SignatureField(text)
        #expect(field?.keyID == "k1")
        #expect(field?.expires == 1)
        #expect(field?.version == 2)
        #expect(field?.signature == Data([0]))
    }
}
