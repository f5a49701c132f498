import ActiveConfig
import ActiveConfigRealtime
import ClientAPI
import ConfigServer
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

extension SettingKey<String> {
    fileprivate static let title = SettingKey("Home", "title", default: "none")
}

/// An evaluator beside a real server.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct TemplateEvaluatorTests {
    private static func template(_ title: String, forJapan: String = "日本") -> JSONNode {
        [
            "conditions": [["name": "japan", "expression": "device.country in ['JP']"]],
            "parameterGroups": [
                "Home": [
                    "parameters": [
                        "title": [
                            "defaultValue": ["value": .string(title)],
                            "conditionalValues": ["japan": ["value": .string(forJapan)]],
                        ]
                    ]
                ]
            ],
        ]
    }

    private static let japan: EvaluationSignals = ["device.country": "JP"]

    /// Creates a token with the role evaluator.
    private static func token(_ server: RunningServer, _ name: String = "service") async throws -> (
        text: String, id: String
    ) {
        let created = try await server.administer(
            "POST", "/v1/tokens", body: ["name": .string(name), "role": "evaluator"]
        ).json
        return (
            try #require(created["token"]?.stringValue), try #require(created["id"]?.stringValue)
        )
    }

    private static func evaluator(
        port: Int, token: String, project: String = "default", folder: URL? = nil,
        _ options: TemplateEvaluator.Options = .init()
    ) throws -> TemplateEvaluator {
        var options = options
        options.folder = folder
        options.log = .disabled
        options.maximumDelay = .seconds(1)
        return TemplateEvaluator(
            backend: try #require(URL(string: "http://127.0.0.1:\(port)")), project: project,
            credentials: .bearerToken { _ in token }, options: options)
    }

    /// Follows the server while `body` runs.
    private static func following(
        _ evaluator: TemplateEvaluator, _ body: () async throws -> Void
    ) async throws {
        let run = Task { await evaluator.run() }
        do { try await body() } catch {
            run.cancel()
            await run.value
            throw error
        }
        run.cancel()
        await run.value
    }

    @Test func usersHaveTheDocumentsThatTheServerSends() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            var generator = EvaluationGenerator(.printingItsSeed())
            let token = try await Self.token(server).text
            for round in 0..<Rounds.count(3, nightly: 30) {
                try await server.publish(generator.template())
                for userID in ["1", "a b", "caf\u{e9}"] {
                    let encoded = ActiveConfigBackend.percentEncoded(userID)
                    let pinned = try await server.administer(
                        "PUT", "/v1/projects/default/users/\(encoded)/overrides",
                        body: generator.pins())
                    #expect([200, 400].contains(pinned.status))
                }
                let evaluator = try Self.evaluator(port: server.port, token: token)
                try await evaluator.load()
                let backend = ActiveConfigBackend(
                    url: try #require(URL(string: "http://127.0.0.1:\(server.port)")))
                for userID in EvaluationGenerator.users + ["7", nil] {
                    let signals = generator.signals()
                    let url = backend.configurationURL(forUserID: userID, signals: signals)
                    let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
                    let answer = try await server.answer(url.path(percentEncoded: true) + query)
                    let context = TargetingContext(
                        userID: userID, signals: try EvaluationSignals(signals).signals,
                        date: Date())
                    let own = evaluator.vetting.active?.project.rendered(for: context).document
                    let bytes = try #require(own?.jsonBytes)
                    #expect(Array(bytes.readableBytesView) == Array(answer.body), "\(round)")
                    let snapshot = evaluator.configuration(
                        forUserID: userID, signals: try EvaluationSignals(signals))
                    #expect(snapshot.document == (try ConfigurationState(jsonData: answer.body)))
                }
            }
        }
    }

    @Test func aPublishAndAPinArriveWhileItRuns() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template("first"))
            let evaluator = try Self.evaluator(
                port: server.port, token: try await Self.token(server).text)
            #expect(evaluator.configuration(forUserID: "1")[.title] == "none")
            #expect(evaluator.status.templateVersion == nil)
            try await Self.following(evaluator) {
                try await waitUntil { evaluator.status.templateVersion == 1 }
                #expect(evaluator.configuration(forUserID: "1")[.title] == "first")
                #expect(
                    evaluator.configuration(forUserID: "1", signals: Self.japan)[.title] == "日本")
                let old = evaluator.configuration(forUserID: "1")
                try await server.publish(Self.template("second"))
                try await waitUntil { evaluator.status.templateVersion == 2 }
                #expect(evaluator.configuration(forUserID: "1")[.title] == "second")
                #expect(old[.title] == "first")
                try await server.administer(
                    "PUT", "/v1/projects/default/users/1/overrides",
                    body: ["Home": ["title": "pinned"]])
                try await waitUntil {
                    evaluator.configuration(forUserID: "1")[.title] == "pinned"
                }
                #expect(evaluator.configuration(forUserID: "2")[.title] == "second")
                #expect(evaluator.status.confirmationDate != nil)
            }
        }
    }

    /// They are about the template, not about a user and sections.
    @Test func logAndUpdatesSpeakOfTheTemplate() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template("first"))
            let token = try await Self.token(server).text
            let lines = Mutex<[String]>([])
            let isRevoked = Mutex(false)
            var options = TemplateEvaluator.Options()
            options.maximumDelay = .seconds(1)
            options.log = ActiveConfigLog(minimumLevel: .debug) { _, line in
                lines.withLock { $0.append(line) }
            }
            let evaluator = TemplateEvaluator(
                backend: try #require(URL(string: "http://127.0.0.1:\(server.port)")),
                credentials: .bearerToken { _ in
                    if isRevoked.withLock({ $0 }) { throw CocoaError(.fileReadNoSuchFile) }
                    return token
                }, options: options)
            var updates = evaluator.updates.makeAsyncIterator()
            try await Self.following(evaluator) {
                var names: [String] = []
                while let update = await updates.next() {
                    names.append("\(update)")
                    if update == .template(version: 1) {
                        try await server.publish(Self.template("a"))
                    }
                    if update == .template(version: 2) { isRevoked.withLock { $0 = true } }
                    if case .template(2) = update { try await server.publish(Self.template("b")) }
                    if case .connection(.waiting) = update { break }
                }
                #expect(names.contains("version 1 of the template is active"))
                #expect(names.allSatisfy { !$0.contains("user") && !$0.contains("section") })
            }
            let log = lines.withLock { $0 }
            #expect(log.contains { $0.contains("the template of the project \"default\"") })
            #expect(log.allSatisfy { !$0.contains("generic user") }, "\(log)")
            #expect(log.contains { $0.contains("NSCocoaErrorDomain, code 260") }, "\(log)")
            await #expect {
                try await Self.evaluator(port: server.port, token: "").load()
            } throws: { "\($0)".contains("is empty") }
        }
    }

    @Test func pinnedValuesKeepTheCompiledTemplateAndItsDocuments() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template("first"))
            let evaluator = try Self.evaluator(
                port: server.port, token: try await Self.token(server).text)
            try await Self.following(evaluator) {
                try await waitUntil { evaluator.status.templateVersion == 1 }
                let compiled = try #require(evaluator.vetting.active?.project.compiled)
                for user in ["2", "3"] {
                    #expect(evaluator.configuration(forUserID: user)[.title] == "first")
                }
                try await server.administer(
                    "PUT", "/v1/projects/default/users/1/overrides",
                    body: ["Home": ["title": "pinned"]])
                try await waitUntil {
                    evaluator.configuration(forUserID: "1")[.title] == "pinned"
                }
                #expect(evaluator.vetting.active?.project.compiled === compiled)
                #expect(evaluator.vetting.active?.cachedCount == 1)
                #expect(evaluator.configuration(forUserID: "2")[.title] == "first")
                try await server.administer(
                    "DELETE", "/v1/projects/default/users/1/overrides")
                try await waitUntil {
                    evaluator.configuration(forUserID: "1")[.title] == "first"
                }
                #expect(evaluator.vetting.active?.project.compiled === compiled)
                try await server.publish(Self.template("second"))
                try await waitUntil { evaluator.status.templateVersion == 2 }
                #expect(evaluator.vetting.active?.project.compiled !== compiled)
            }
        }
    }

    /// The server answers such a user with 400, so there is nothing to explain.
    @Test func explainHasNothingForAnIDThatIsTooLong() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template("${user.id}"))
            let evaluator = try Self.evaluator(
                port: server.port, token: try await Self.token(server).text)
            try await evaluator.load()
            #expect(evaluator.explain(forUserID: "1").settings.count == 1)
            let long = String(repeating: "x", count: 5 << 20)
            let explanation = evaluator.explain(forUserID: long)
            #expect(explanation.templateVersion == 1)
            #expect(explanation.settings.isEmpty)
            #expect(evaluator.configuration(forUserID: long)[.title] == "none")
        }
    }

    @Test func aFolderHasATemplateForEachProject() async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template("of default"))
            try await server.publish(Self.template("of Shop"), project: "Shop")
            let token = try await Self.token(server).text
            for project in ["default", "Shop"] {
                let evaluator = try Self.evaluator(
                    port: server.port, token: token, project: project, folder: folder.url)
                try await evaluator.load()
                #expect(evaluator.configuration(forUserID: "1")[.title] == "of \(project)")
            }
        }
        // The server is gone.
        for project in ["default", "Shop"] {
            let evaluator = try Self.evaluator(
                port: 1, token: "none", project: project, folder: folder.url)
            try await evaluator.load()
            #expect(evaluator.configuration(forUserID: "1")[.title] == "of \(project)")
        }
        let other = try Self.evaluator(
            port: 1, token: "none", project: "shop", folder: folder.url)
        await #expect(throws: DownloadError.self) { try await other.load() }
        #expect(other.configuration(forUserID: "1")[.title] == "none")
    }

    @Test func explainNamesTheConditionAndThePin() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template("first"))
            try await server.administer(
                "PUT", "/v1/projects/default/users/1/overrides",
                body: ["Home": ["title": "pinned"]])
            let evaluator = try Self.evaluator(
                port: server.port, token: try await Self.token(server).text)
            #expect(evaluator.explain(forUserID: "1").templateVersion == nil)
            try await evaluator.load()
            let path = SettingPath("Home", "title")
            #expect(evaluator.explain(forUserID: "1")[path]?.source == .pinned)
            let japan = evaluator.explain(forUserID: "2", signals: Self.japan)
            #expect(japan[path]?.source == .condition("japan"))
            #expect(japan[path]?.value == .string("日本"))
            let other = evaluator.explain(forUserID: "2")
            #expect(other[path]?.source == .defaultValue)
            #expect(other[path]?.falseConditions == ["japan"])
            #expect(other.conditions.map(\.isTrue) == [false])
            #expect(other.description.contains("no signal device.country was sent"))
        }
    }

    @Test func itAnswersWithoutTheServerAndAfterARestart() async throws {
        let folder = try TemporaryFolder()
        let (evaluator, port) = try await RunningServer.with(store: InMemoryTemplateStore()) {
            server in
            try await server.publish(Self.template("first"))
            let evaluator = try Self.evaluator(
                port: server.port, token: try await Self.token(server).text, folder: folder.url)
            try await evaluator.load()
            return (evaluator, server.port)
        }
        // The server is gone.
        try await Self.following(evaluator) {
            try await waitUntil { evaluator.status.connection.waitReason != nil }
            #expect(evaluator.configuration(forUserID: "1")[.title] == "first")
        }
        let restarted = try Self.evaluator(port: port, token: "none", folder: folder.url)
        try await restarted.load()
        #expect(restarted.configuration(forUserID: "1", signals: Self.japan)[.title] == "日本")
        #expect(restarted.status.templateVersion == 1)
        let empty = try Self.evaluator(port: port, token: "none")
        await #expect(throws: DownloadError.self) { try await empty.load() }
        #expect(empty.configuration(forUserID: "1")[.title] == "none")
    }

    @Test func aRevokedTokenIsReportedAndAnotherOneGoesOn() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template("first"))
            let first = try await Self.token(server)
            let tokens = TokenBox(first.text)
            var options = TemplateEvaluator.Options()
            (options.log, options.maximumDelay) = (.disabled, .seconds(1))
            let evaluator = TemplateEvaluator(
                backend: try #require(URL(string: "http://127.0.0.1:\(server.port)")),
                credentials: .bearerToken { _ in tokens.text }, options: options)
            try await Self.following(evaluator) {
                try await waitUntil { evaluator.status.connection.isLive }
                try await server.administer("DELETE", "/v1/tokens/\(first.id)")
                try await server.publish(Self.template("second"))
                try await waitUntil {
                    let error = evaluator.status.connection.waitReason?.error
                    return (error as? DownloadError)?.status == 401
                }
                #expect(evaluator.configuration(forUserID: "1")[.title] == "first")
                tokens.text = try await Self.token(server, "another").text
                try await waitUntil {
                    evaluator.configuration(forUserID: "1")[.title] == "second"
                }
            }
        }
    }

    /// Wherever the file is cut or damaged, the last good template is read whole or not at all.
    @Test func aDamagedFileIsNoTemplate() async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template("first"))
            let evaluator = try Self.evaluator(
                port: server.port, token: try await Self.token(server).text, folder: folder.url)
            try await evaluator.load()
        }
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
            .map { folder.url.appendingPathComponent($0) }
            .filter { (try? Data(contentsOf: $0).contains(Data("parameterGroups".utf8))) ?? false }
        let file = try #require(files.first)
        #expect(files.count == 1)
        let whole = try Data(contentsOf: file)
        let cuts = Rounds.sample(Array(0..<whole.count), oneIn: 16, from: 3)
        for (round, cut) in cuts.enumerated() {
            var damaged = whole.prefix(cut)
            if round % 2 == 0 {
                damaged = whole
                damaged[damaged.startIndex + cut] ^= 0x04
            }
            try Data(damaged).write(to: file)
            let evaluator = try Self.evaluator(port: 1, token: "t", folder: folder.url)
            try? await evaluator.load()
            #expect(evaluator.status.templateVersion == nil, "\(round), \(cut)")
            #expect(evaluator.configuration(forUserID: "1")[.title] == "none")
        }
        try whole.write(to: file)
        let evaluator = try Self.evaluator(port: 1, token: "t", folder: folder.url)
        try await evaluator.load()
        #expect(evaluator.configuration(forUserID: "1")[.title] == "first")
    }
}

extension ActiveConfigUpdateState {
    fileprivate var isLive: Bool {
        if case .live = self { return true }
        return false
    }

    fileprivate var waitReason: WaitReason? {
        if case .waiting(_, let reason) = self { return reason }
        return nil
    }
}

/// A token that a test changes.
private final class TokenBox: @unchecked Sendable {  // Guarded by `lock`.
    private let lock = NSLock()
    private var value: String

    init(_ text: String) { value = text }

    var text: String {
        get { lock.withLock { value } }
        set { lock.withLock { value = newValue } }
    }
}
