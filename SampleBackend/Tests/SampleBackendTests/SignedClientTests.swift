import ActiveConfig
import ActiveConfigRealtime
import ActiveConfigReporting
import ActiveConfigTrust
import Crypto
import Foundation
import SeededRandomness
import ServerTestSupport
import Testing

/// The framework's clients verify signatures with swift-crypto, as the article *Security and
/// privacy* shows.
struct SignedClientTests {
    /// Scripted responses of a server, in order.
    private struct Answers: ActiveConfigDownloader {
        let answer: ConfigurationState

        func requestActiveConfig(
            forUserID userID: String?, lastKnown: ConfigurationState?
        ) async throws -> ConfigurationState? { answer }
    }

    private let key = Curve25519.Signing.PrivateKey()
    private let body = Data(
        #"{"meta":{"template_version":12},"config_sections":{"Home":{"settings":{"on":{"value":true}}}}}"#
            .utf8)

    /// The body, signed for a user.
    private func answer(
        to user: String, by key: Curve25519.Signing.PrivateKey,
        expires: Int = Int(Date.now.timeIntervalSince1970) + 3600
    ) throws -> ConfigurationState {
        let tag = "\"4c88e6bdef597d3791c5857098c6b0eb\""
        let digest = SHA256.hash(data: body).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }.joined()
        let lines = ["activeconfig-signature-v1", "default", user, "12", "\(expires)", digest, tag]
        let signature = try key.signature(for: Data(lines.map { "\($0)\n" }.joined().utf8))
        var state = try ConfigurationState(jsonData: body)
        state.entityTag = tag
        state.original = OriginalDocument(
            body: body,
            headerFields: [
                "ActiveConfig-Signature": "sig=:\(signature.base64EncodedString()):, "
                    + "expires=\(expires), keyid=\"2026-11\", version=12"
            ], entityTag: tag)
        return state
    }

    private func client(
        _ downloader: any ActiveConfigDownloader, store: InMemoryStore
    ) -> ActiveConfig {
        var options = ActiveConfigOptions(log: .disabled)
        options.vetting = [
            SignatureVetting(verifier: CryptoVerifier(keys: ["2026-11": key.publicKey]))
        ]
        let config = ActiveConfig(
            configDownloader: downloader, configStore: store,
            notificationCenter: NotificationCenter(),
            listenerQueue: DispatchQueue(label: "listeners"), options: options)
        config.currentUserID = "a/b"
        return config
    }

    @Test func aDocumentSignedByEd25519ComesInForceAndIsTakenFromTheStore() async throws {
        let store = InMemoryStore()
        let config = client(Answers(answer: try answer(to: "user:a%2Fb", by: key)), store: store)
        try await config.downloadNewConfig()
        #expect(config["Home"]?.bool(forKey: "on") == true)
        let restarted = client(Answers(answer: try answer(to: "user:a%2Fb", by: key)), store: store)
        #expect(restarted["Home"]?.bool(forKey: "on") == true)
    }

    @Test func aDocumentWithoutAValidSignatureForTheUserIsRefused() async throws {
        let answers = [
            try answer(to: "user:a%2Fb", by: Curve25519.Signing.PrivateKey()),
            try answer(to: "user:a/b", by: key), try answer(to: "generic", by: key),
            try answer(to: "user:a%2Fb", by: key, expires: 1_700_000_000),
        ]
        for answer in answers {
            let config = client(Answers(answer: answer), store: InMemoryStore())
            await #expect(throws: SignatureError.self) { try await config.downloadNewConfig() }
            #expect(config["Home"] == nil)
        }
    }

    /// False if the server does not sign.
    private static func canSign() async throws -> Bool {
        try await CommandRun(["serve", "--help"]).output.contains("--signing-key")
    }

    private func metrics(of backend: RunningBackend) async throws -> String {
        String(decoding: try await backend.answer("/metrics").body, as: UTF8.self)
    }

    /// Real responses of the server, 200 and 304, for users whose IDs are percent-encoded.
    @Test(.enabled { try await canSign() }, .timeLimit(.minutes(Rounds.minutes)))
    func theServersAnswersAreTakenAndAcknowledged() async throws {
        let backend = try await RunningBackend(
            ["--dev", "--acknowledgements"],
            environment: [
                "ACTIVECONFIG_SIGNING_KEY": "2026-11:\(key.rawRepresentation.base64EncodedString())"
            ])
        let address = ActiveConfigBackend(url: try #require(URL(string: backend.url)))
        let store = InMemoryStore()
        var acknowledgers: [ConfigurationAcknowledger] = []
        for user in ["1", "a/b \u{E9}", nil, "1"] {
            let config = client(JSONURLDownloader(backend: address), store: store)
            let acknowledger = ConfigurationAcknowledger(
                config, backend: address, maximumDelay: .zero)
            config.currentUserID = user
            try await config.downloadNewConfig()
            #expect(config["AppFeatures"] != nil)
            // A 304 confirms the document.
            let again = try await config.downloadNewConfig()
            #expect(again.changedSectionNames == [])
            acknowledgers.append(acknowledger)
        }
        let told = #"activeconfig_acknowledged_clients{project="default",version="1"} 3"#
        try await waitUntil { try await metrics(of: backend).contains(told) }
        for acknowledger in acknowledgers { acknowledger.stop() }
        // A client with another key accepts nothing.
        let stranger = SignedClientTests().client(
            JSONURLDownloader(backend: address), store: InMemoryStore())
        await #expect(throws: SignatureError.self) { try await stranger.downloadNewConfig() }
        _ = await backend.stop()
    }

    @Test(.enabled { try await canSign() }, .timeLimit(.minutes(Rounds.minutes)))
    func aVersionThatLeavesTheDocumentAloneIsTakenOver() async throws {
        let backend = try await RunningBackend(
            ["--dev"],
            environment: [
                "ACTIVECONFIG_SIGNING_KEY": "2026-11:\(key.rawRepresentation.base64EncodedString())"
            ])
        let address = ActiveConfigBackend(url: try #require(URL(string: backend.url)))
        let path = "/v1/projects/default/remoteConfig"
        let template = try await backend.administer("GET", path).body
        let store = InMemoryStore()
        let config = client(JSONURLDownloader(backend: address), store: store)
        try await config.downloadNewConfig()
        let first = config.currentConfiguration
        for version in 2...3 {
            let published = try await backend.administer(
                "PUT", path, ifMatch: "*", body: String(decoding: template, as: UTF8.self))
            #expect(published.status == 200)
            #expect(try await config.downloadNewConfig().outcome == .notModified)
            #expect(config.currentConfiguration.templateVersion == version)
            #expect(config.currentConfiguration.sections == first.sections)
            // As after a restart of the app.
            let next = client(JSONURLDownloader(backend: address), store: store)
            #expect(next.currentConfiguration.templateVersion == version)
            #expect(try await next.downloadNewConfig().outcome == .notModified)
        }
        _ = await backend.stop()
    }

    @Test(.enabled { try await canSign() }, .timeLimit(.minutes(Rounds.minutes)))
    func signedDocumentsComeByLongPolls() async throws {
        let backend = try await RunningBackend(
            ["--dev"],
            environment: [
                "ACTIVECONFIG_SIGNING_KEY": "2026-11:\(key.rawRepresentation.base64EncodedString())"
            ])
        let address = ActiveConfigBackend(url: try #require(URL(string: backend.url)))
        let config = client(JSONURLDownloader(backend: address), store: InMemoryStore())
        let (polls, poll) = AsyncStream.makeStream(of: Void.self)
        let updater = ActiveConfigUpdater(
            config,
            source: WithoutStreams(base: URLSessionEventSource(backend: address), polls: poll),
            activity: .always)
        let run = Task { await updater.run() }
        defer { run.cancel() }
        var answers = polls.makeAsyncIterator()
        var states = updater.updates.makeAsyncIterator()
        // Responses that confirm the document are no failures: a failure ends the connection.
        for _ in 1...3 { await answers.next() }
        var isLive = false
        while !isLive, let update = await states.next() {
            guard case .state(let state, _) = update else { continue }
            if case .waiting = state { Issue.record("\(state)") }
            if case .live = state { isLive = true }
        }
        guard case .live = updater.state(ofUserID: "a/b") else {
            Issue.record("\(updater.state(ofUserID: "a/b"))")
            return
        }
        _ = try await backend.administer(
            "PUT", "/v1/projects/default/users/a%2Fb/overrides",
            body: #"{"AppFeatures":{"RefreshInterval":7}}"#)
        for await section in config.values(ofSection: "AppFeatures")
        where section?.integer(forKey: "RefreshInterval") == 7 { break }
        _ = await backend.stop()
    }
}
