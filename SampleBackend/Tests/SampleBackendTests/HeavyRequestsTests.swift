import Foundation
import SeededRandomness
import ServerTestSupport
import Testing

/// Slow requests delay neither health checks nor documents; tested with the real process.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct HeavyRequestsTests {
    /// Kind of request that is slow with a large template.
    struct Load: Sendable {
        let method: String
        let target: String
        let isOfAdministrator: Bool
        var body = ""
        /// Number of concurrent requests.
        var count = 30
    }

    private actor Counter {
        private(set) var value = 0

        func increment() { value += 1 }
    }

    private static let path = "/v1/projects/default/remoteConfig"

    private static let diff = Load(
        method: "GET", target: path + ":diff?from=1&to=2", isOfAdministrator: true)

    static let loads: [NamedRow<Load>] = [
        NamedRow("differences", diff),
        NamedRow(
            "drafts",
            Load(method: "GET", target: "/v1/projects/default/draft", isOfAdministrator: true)),
        NamedRow(
            "previews",
            Load(
                method: "POST", target: path + ":preview", isOfAdministrator: true,
                body: #"{"template":\#(template("c")),"users":[{"userID":"1"}]}"#,
                count: 10)),
        NamedRow(
            "flags",
            Load(
                method: "POST", target: "/ofrep/v1/evaluate/flags", isOfAdministrator: false,
                body: #"{"context":{"targetingKey":"1"}}"#)),
    ]

    /// Template with 1,000 settings whose values begin with `letter`.
    private static func template(_ letter: String) -> String {
        let value = String(repeating: letter, count: 100)
        let parameters = (0..<1_000).map { index in
            #""setting\#(index)":{"defaultValue":{"value":"\#(value)"}}"#
        }
        return #"{"parameters":{\#(parameters.joined(separator: ","))}}"#
    }

    /// Server with users' tokens, two versions and a draft.
    private static func start(_ arguments: [String] = []) async throws -> RunningBackend {
        let backend = try await RunningBackend(
            arguments, environment: ["ACTIVECONFIG_USER_TOKEN_SECRET": UserToken.secret])
        for letter in ["a", "b"] {
            let published = try await backend.administer(
                "PUT", path, ifMatch: "*", body: template(letter))
            #expect(published.status == 200)
        }
        let draft = try await HTTPConnection.answer(
            port: backend.port, method: "PUT", target: "/v1/projects/default/draft",
            fields: ["Authorization: Bearer \(RunningBackend.token)", "If-None-Match: *"],
            body: #"{"baseVersion":"2","template":\#(template("d"))}"#)
        #expect(draft.status == 200)
        return backend
    }

    @Test(arguments: loads)
    func healthChecksAndDocumentsDoNotWaitForRequestsThatTakeLong(
        row: NamedRow<Load>
    ) async throws {
        let backend = try await Self.start(["--log-level", "error"])
        let user = try await UserToken.field("1")
        let load = row.value
        let count = load.count
        let field =
            load.isOfAdministrator ? "Authorization: Bearer \(RunningBackend.token)" : user
        let sent = Counter()
        let answered = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    try await HTTPConnection.open(port: backend.port) { connection in
                        connection.send(
                            method: load.method, target: load.target, fields: [field],
                            body: load.body)
                        await sent.increment()
                        let answer = try await connection.receive()
                        await answered.increment()
                        // On a slow machine some requests wait too long.
                        #expect([200, 503].contains(answer.status))
                    }
                }
            }
            try await waitUntil { await sent.value == count }
            for _ in 0..<10 {
                for target in ["/health/live", "/health/ready", "/activeconfig/user/1"] {
                    let answer = try await backend.answer(target, fields: [user])
                    #expect(answer.status == 200, "\(target)")
                }
            }
            #expect(await answered.value < count, "All that take long were answered before.")
            try await group.waitForAll()
        }
        _ = await backend.stop()
    }

    @Test func moreThanTheQueueHoldsIsRefusedUntilLater() async throws {
        let backend = try await Self.start(["--log-level", "error"])
        let answers = try await withThrowingTaskGroup(of: HTTPAnswer.self) { group in
            for _ in 0..<80 {
                group.addTask { try await backend.administer("GET", Self.diff.target) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let refused = answers.filter { $0.status == 503 }
        #expect(!refused.isEmpty)
        #expect(refused.allSatisfy { $0.error?.status == "UNAVAILABLE" })
        #expect(refused.allSatisfy { $0.fields["retry-after"].flatMap { Int($0) } ?? 0 > 0 })
        // On a slow machine some of the queued requests wait too long.
        let answered = answers.filter { $0.status == 200 }
        #expect(!answered.isEmpty)
        #expect(answered.count == answers.count - refused.count)
        #expect(try await backend.administer("GET", Self.diff.target).status == 200)
        _ = await backend.stop()
    }

    @Test func requestsWhoseClientsAreGoneAreNotBegun() async throws {
        let backend = try await Self.start()
        let request =
            "GET \(Self.diff.target) HTTP/1.1\r\nHost: localhost\r\n"
            + "Authorization: Bearer \(RunningBackend.token)\r\n\r\n"
        try await IdleConnections.open(
            Array(repeating: request, count: 20), port: backend.port
        ) { _ in }
        #expect(try await backend.administer("GET", Self.diff.target).status == 200)
        let lines = await backend.stop().filter { $0.contains(":diff") }
        #expect(lines.contains { $0.contains("status=503") })
        #expect(lines.count { $0.contains("status=200") } < 20)
    }
}
