import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

/// Calls of Firebase's own clients, taken from their sources (API 3), except `getServerTemplate`.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct FirebaseClientsTests {
    private static let path = "/v1/projects/default/remoteConfig"

    struct Call: Sendable {
        var method = "GET"
        /// The path after that of the template.
        var suffix = ""
        var body: JSONNode?
        var fields: [String] = []
        /// True if the call sends the previous response's tag as `If-Match`.
        var sendsTag = false
        /// True if the call stores a version.
        var stores = false
    }

    private static let page = "startTime=2020-01-01T00%3A00%3A00.000Z&endVersionNumber=9"

    static let clients: [NamedRow<[Call]>] = [
        .init(
            "firebase-admin for Node",
            [
                Call(),
                Call(method: "PUT", suffix: "?validate_only=true", body: .sample, sendsTag: true),
                Call(method: "PUT", body: .sample, sendsTag: true, stores: true),
                Call(suffix: "?versionNumber=1"),
                Call(
                    method: "POST", suffix: ":rollback", body: ["versionNumber": "1"],
                    stores: true),
                Call(suffix: ":listVersions?pageSize=10&\(page)"),
            ]),
        .init(
            "firebase-admin for Java",
            [
                Call(),
                Call(method: "PUT", suffix: "?validateOnly=true", body: .sample, sendsTag: true),
                Call(method: "PUT", body: .sample, sendsTag: true, stores: true),
                Call(
                    method: "POST", suffix: ":rollback", body: ["versionNumber": "1"],
                    stores: true),
                Call(suffix: ":listVersions?pageSize=10"),
            ]),
        .init(
            "firebase-php",
            [
                Call(),
                Call(
                    method: "PUT", suffix: "?validate_only=true", body: .sample,
                    fields: ["Content-Type: application/json; UTF-8"], sendsTag: true),
                Call(method: "PUT", body: .sample, sendsTag: true, stores: true),
                Call(
                    method: "POST", suffix: ":rollback", body: ["version_number": "1"],
                    stores: true),
                Call(suffix: ":listVersions?\(page)"),
            ]),
        .init(
            "firebase-tools",
            [
                Call(suffix: "?versionNumber=1"),
                // The client reads the current tag before it deploys.
                Call(),
                Call(method: "PUT", body: .sample, sendsTag: true, stores: true),
                Call(suffix: ":listVersions?pageSize=300"),
                Call(method: "POST", suffix: ":rollback?versionNumber=1", stores: true),
            ]),
        .init(
            "google-api-python-client",
            [
                Call(suffix: "?alt=json"),
                Call(
                    method: "PUT", suffix: "?validateOnly=true&alt=json", body: .sample,
                    sendsTag: true),
                Call(
                    method: "PUT", suffix: "?alt=json", body: .sample, sendsTag: true,
                    stores: true),
                Call(
                    method: "POST", suffix: ":rollback?alt=json", body: ["versionNumber": "1"],
                    stores: true),
                Call(suffix: ":downloadDefaults?format=JSON&alt=json"),
            ]),
    ]

    @Test(arguments: clients)
    func theServerAnswersEachCallOfAClient(row: NamedRow<[Call]>) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            var tag = try #require(try await server.publish(.sample).fields["etag"])
            var count = 1
            for call in row.value {
                let answer = try await server.administer(
                    call.method, Self.path + call.suffix, body: call.body,
                    fields: call.fields + (call.sendsTag ? ["If-Match: \(tag)"] : []))
                #expect(answer.status == 200, "\(call)")
                if call.suffix.contains("alidate") {
                    #expect(answer.fields["etag"] == #""etag-default-0""#, "\(call)")
                } else if let newTag = answer.fields["etag"] {
                    tag = newTag
                }
                if call.stores { count += 1 }
                let versions = try await server.administer("GET", Self.path + ":listVersions")
                #expect(try versions.json["versions"]?.arrayValue?.count == count, "\(call)")
            }
        }
    }
}
