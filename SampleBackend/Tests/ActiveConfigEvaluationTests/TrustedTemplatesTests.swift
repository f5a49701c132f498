import ActiveConfig
import ActiveConfigReporting
import ActiveConfigTrust
import ClientAPI
import ConfigServer
import Crypto
import Foundation
import InMemoryTemplateStore
import JSONTree
import NIOCore
import Rendering
import SeededRandomness
import ServerTestSupport
import Synchronization
import Targeting
import TemporaryFolders
import Testing

@testable import ActiveConfigEvaluation

extension SettingKey<Int> {
    fileprivate static let limit = SettingKey("Home", "limit", default: 0)
}

/// Templates that an evaluator does not use, signed ones, and the reads of its users.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct TrustedTemplatesTests {
    private struct Verifier: SignatureVerifier {
        let key: Curve25519.Signing.PublicKey

        func isValidSignature(_ signature: Data, of message: Data, keyID: String) -> Bool {
            keyID == "k" && key.isValidSignature(signature, for: message)
        }
    }

    /// Serves one document to everybody.
    private final class Source: DocumentSource {
        private let document: Mutex<RenderedDocument>

        init(_ document: String) { self.document = Mutex(Self.rendered(document, version: 1)) }

        private static func rendered(_ text: String, version: Int) -> RenderedDocument {
            RenderedDocument(jsonBytes: ByteBuffer(string: text), version: version)
        }

        func serve(_ text: String, version: Int) {
            document.withLock { $0 = Self.rendered(text, version: version) }
        }

        func document(
            inProject project: String, forUserID userID: String?, signals: Signals
        ) throws -> RenderedDocument? { document.withLock { $0 } }

        func checkReadiness() async throws {}
    }

    private static func document(version: Int, format: Int = 1, template: String) -> String {
        let settings: JSONNode = [
            "format": ["value": .number("\(format)")], "pins": ["value": "{}"],
            "template": ["value": .string(template)],
        ]
        let document: JSONNode = [
            "config_sections": ["Evaluation": ["settings": settings]],
            "meta": [
                "creation_time": "2026-01-01T00:00:00.000Z", "format_version_string": "1.0",
                "template_version": .number("\(version)"),
            ],
        ]
        return document.description
    }

    private static func template(limit: Int) -> JSONNode {
        [
            "parameterGroups": [
                "Home": [
                    "parameters": [
                        "limit": [
                            "valueType": "NUMBER", "defaultValue": ["value": .string("\(limit)")],
                        ]
                    ]
                ]
            ]
        ]
    }

    private static func evaluator(
        address: String, verifier: (any SignatureVerifier)? = nil, folder: URL? = nil
    ) throws -> TemplateEvaluator {
        var options = TemplateEvaluator.Options()
        (options.verifier, options.folder, options.log) = (verifier, folder, .disabled)
        return TemplateEvaluator(
            address: try #require(URL(string: address)), project: "default",
            credentials: .bearerToken { _ in RunningServer.administratorToken }, options: options,
            now: { Date() })
    }

    @Test(arguments: [
        (2, "{}", "format"), (1, #"{"parameters": 5}"#, "cannot be read"),
        (1, #"{"conditions": [{"name": "a", "expression": "planet == 'M'"}]}"#, "cannot be read"),
    ])
    func aTemplateThatCannotBeReadLeavesTheLastGoodOne(
        format: Int, template: String, reason: String
    ) async throws {
        let folder = try TemporaryFolder()
        let good = Self.document(version: 1, template: Self.template(limit: 7).description)
        let source = Source(good)
        try await RunningServer.with(source: source) { server in
            let address = "http://127.0.0.1:\(server.port)"
            let evaluator = try Self.evaluator(address: address, folder: folder.url)
            try await evaluator.load()
            #expect(evaluator.configuration(forUserID: "1")[.limit] == 7)
            source.serve(
                Self.document(version: 2, format: format, template: template), version: 2)
            let run = Task { await evaluator.run() }
            try await waitUntil { evaluator.status.refusal != nil }
            #expect(evaluator.status.refusal?.templateVersion == 2)
            #expect(evaluator.status.refusal?.reason.contains(reason) == true)
            #expect(evaluator.status.templateVersion == 1)
            #expect(evaluator.configuration(forUserID: "1")[.limit] == 7)
            run.cancel()
            await run.value
            // A restart has it from the file.
            let restarted = try Self.evaluator(address: "http://127.0.0.1:1", folder: folder.url)
            try await restarted.load()
            #expect(restarted.configuration(forUserID: "1")[.limit] == 7)
        }
        // A first start with such a template fails.
        try await RunningServer.with(source: source) { server in
            let evaluator = try Self.evaluator(address: "http://127.0.0.1:\(server.port)")
            await #expect(throws: (any Error).self) { try await evaluator.load() }
            #expect(evaluator.status.templateVersion == nil)
        }
    }

    @Test func aSignedTemplateIsVerifiedAndNoUsersDocumentPassesForOne() async throws {
        let key = try SigningKey.generate(id: "k")
        let seed = try #require(Data(base64Encoded: key.privateText))
        let publicKey = try Curve25519.Signing.PrivateKey(rawRepresentation: seed).publicKey
        var options = ConfigServerOptions()
        options.documentSigner = DocumentSigner(key: key)
        try await RunningServer.with(store: InMemoryTemplateStore(), options: options) { server in
            try await server.publish(Self.template(limit: 7))
            let address = "http://127.0.0.1:\(server.port)"
            let path = "\(address)/v1/projects/default/evaluation"
            let evaluator = try Self.evaluator(address: path, verifier: Verifier(key: publicKey))
            try await evaluator.load()
            #expect(evaluator.configuration(forUserID: "1")[.limit] == 7)
            let stranger = Verifier(key: Curve25519.Signing.PrivateKey().publicKey)
            let distrustful = try Self.evaluator(address: path, verifier: stranger)
            await #expect(throws: SignatureError.self) { try await distrustful.load() }
            #expect(distrustful.configuration(forUserID: "1")[.limit] == 0)
            // A document of the generic user, signed by the same key.
            let confused = try Self.evaluator(
                address: "\(address)/projects/default", verifier: Verifier(key: publicKey))
            await #expect(throws: SignatureError.self) { try await confused.load() }
            // And an app does not take a template for its configuration.
            var vetting = ActiveConfigOptions(log: .disabled)
            vetting.vetting = [SignatureVetting(verifier: Verifier(key: publicKey))]
            let backend = ActiveConfigBackend(
                url: try #require(URL(string: path)),
                credentials: .bearerToken { _ in RunningServer.administratorToken })
            let app = ActiveConfig(
                configDownloader: JSONURLDownloader(backend: backend), options: vetting)
            await #expect(throws: SignatureError.self) { try await app.downloadNewConfig() }
        }
    }

    @Test func theReadsOfEachUserAreExposures() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template(limit: 7))
            let evaluator = try Self.evaluator(
                address: "http://127.0.0.1:\(server.port)/v1/projects/default/evaluation")
            try await evaluator.load()
            let exposures = Mutex<[Exposure]>([])
            let recorder = ExposureRecorder(evaluator.config) { batch in
                exposures.withLock { $0 += batch }
            }
            for userID in ["1", "2", "1"] {
                #expect(evaluator.configuration(forUserID: userID)[.limit] == 7)
            }
            try await waitUntil {
                await recorder.flush()
                return exposures.withLock { $0.count } >= 2
            }
            let found = exposures.withLock { $0 }
            #expect(found.map(\.userID) == ["1", "2"])
            #expect(found.map(\.value) == [.integer(7), .integer(7)])
            #expect(found.map(\.templateVersion) == [1, 1])
        }
    }

    @Test func inAppDefaultsAreBeneathTheDocument() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template(limit: 7))
            var options = TemplateEvaluator.Options()
            options.defaults = ["Home": ["limit": 3, "other": 4]]
            options.log = .disabled
            let evaluator = TemplateEvaluator(
                backend: try #require(URL(string: "http://127.0.0.1:\(server.port)")),
                credentials: .bearerToken { _ in RunningServer.administratorToken },
                options: options)
            #expect(evaluator.configuration(forUserID: "1")[.limit] == 3)
            try await evaluator.load()
            let snapshot = evaluator.configuration(forUserID: "1")
            #expect(snapshot[.limit] == 7)
            #expect(snapshot["Home"]?.integer(forKey: "other") == 4)
        }
    }

    @Test func theMemoryDependsOnTheTemplateAlone() throws {
        let config = ActiveConfig(options: ActiveConfigOptions(log: .disabled))
        let text = Self.document(version: 1, template: Self.template(limit: 7).description)
        let project = try EvaluationDocument.project(
            in: ConfigurationState(jsonData: Data(text.utf8)),
            cache: RenderCache(maximumBytes: 1 << 20))
        let template = LoadedTemplate(project, of: config, cacheBytes: 1 << 20)
        let first = template.snapshot(
            for: TargetingContext(userID: "0", signals: Signals(), date: Date()))
        let section = try #require(first?["Home"])
        for number in 1...1_000 {
            let snapshot = template.snapshot(
                for: TargetingContext(userID: "\(number)", signals: Signals(), date: Date()))
            #expect(snapshot?["Home"] == section)
        }
        #expect(template.cachedCount == 1)
    }
}
