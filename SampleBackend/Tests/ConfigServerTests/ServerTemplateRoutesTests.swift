import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

/// The template for Firebase's server libraries (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ServerTemplateRoutesTests {
    private static func path(_ project: String = "default") -> String {
        "/v1/projects/\(project)/namespaces/firebase-server/serverRemoteConfig"
    }

    /// The header fields of `getServerTemplate`, recorded for Python, and from the sources of the
    /// others.
    static let clients: [NamedRow<[String]>] = [
        .init(
            "firebase-admin for Python 7.7.0",
            [
                "User-Agent: python-requests/2.34.2", "Accept-Encoding: gzip, deflate",
                "Accept: */*", "Connection: keep-alive",
                "X-FIREBASE-CLIENT: fire-admin-python/7.7.0",
                "x-goog-api-client: gl-python/3.11.7 fire-admin/7.7.0 cred-type/u",
            ]),
        .init(
            "firebase-admin for Node 14.3.0",
            [
                "X-Firebase-Client: fire-admin-node/14.3.0", "Accept-Encoding: gzip",
                "X-Goog-Api-Client: gl-node/22.12.0 fire-admin/14.3.0",
                "x-goog-user-project: quota", "Connection: keep-alive",
            ]),
        .init(
            "firebase-admin for Go 4.21.0",
            [
                "User-Agent: Go-http-client/1.1", "Accept-Encoding: gzip",
                "X-Firebase-Client: fire-admin-go/4.21.0", "X-Firebase-Etag: true",
                "X-Goog-Api-Client: gl-go/1.24 fire-admin/4.21.0",
            ]),
        .init(
            "firebase-admin for Java 9.10.0",
            [
                "X-Firebase-Client: fire-admin-java/9.10.0", "Accept-Encoding: gzip",
                "User-Agent: Google-HTTP-Java-Client/1.47.0 (gzip)", "Connection: keep-alive",
            ]),
    ]

    @Test(arguments: clients)
    func theServerAnswersGetServerTemplateOfEachLibrary(row: NamedRow<[String]>) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let answer = try await server.administer("GET", Self.path(), fields: row.value)
            #expect(answer.status == 200)
            #expect(answer.fields["content-type"] == "application/json")
            let tag = try #require(answer.fields["etag"])
            #expect(tag.hasPrefix(#""etag-default-firebase-server-1-"#), "\(tag)")
            let json = try answer.json
            let names = json["conditions"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
            #expect(names == ["third", "tokyo", "half"])
            #expect(
                json["parameters"]?.objectValue.map { Array($0.names) } == [
                    "isNew", "title", "size",
                ])
            #expect(
                json["parameters"]?["title"]?["conditionalValues"]?["tokyo"]?["value"]
                    == "Konnichiwa")
            #expect(json["version"]?["versionNumber"] == "1")
        }
    }

    @Test func aCallerWithTheTagGetsNoBody() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let answer = try await server.administer("GET", Self.path())
            let tag = try #require(answer.fields["etag"])
            let again = try await server.administer(
                "GET", Self.path(), fields: ["If-None-Match: \(tag)"])
            #expect(again.status == 304)
            #expect(again.body.isEmpty)
            try await server.publish(["parameters": ["a": ["defaultValue": ["value": "1"]]]])
            let changed = try await server.administer(
                "GET", Self.path(), fields: ["If-None-Match: \(tag)"])
            #expect(changed.status == 200)
            #expect(changed.fields["etag"] != tag)
        }
    }

    @Test func anEvaluatorReadsItAndNoClientDoes() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let created = try await server.administer(
                "POST", "/v1/tokens", body: ["name": "service", "role": "evaluator"])
            let token = try #require(try created.json["token"]?.stringValue)
            let answer = try await server.administer("GET", Self.path(), token: token)
            #expect(answer.status == 200)
            let others = [
                try await server.administer("GET", Self.path(), token: nil),
                try await server.administer("GET", Self.path(), token: "wrong"),
            ]
            for other in others {
                #expect(other.status == 401)
                #expect(other.error?.status == "UNAUTHENTICATED")
            }
        }
    }

    @Test func anUnknownProjectOrNamespaceIsNotFound() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            for path in [
                Self.path("none"), "/v1/projects/default/namespaces/firebase/serverRemoteConfig",
            ] {
                let answer = try await server.administer("GET", path)
                #expect(answer.status == 404)
                #expect(answer.error?.status == "NOT_FOUND")
            }
        }
    }

    @Test func theLibrariesDifferencesAreWarnings() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish([
                "parameters": ["a": ["defaultValue": ["value": "Hello ${user.id}"]]]
            ])
            let answer = try await server.administer("GET", Self.path())
            #expect(
                answer.fields["warning"]
                    == #"199 - "Default.a has ${user.id}, which the libraries do not replace.""#)
            try await server.publish(["parameters": ["a": ["defaultValue": ["value": "1"]]]])
            try await server.administer(
                "PUT", "/v1/projects/default/users/7/overrides", body: ["Default": ["a": "x"]])
            let pinned = try await server.administer("GET", Self.path())
            #expect(
                pinned.fields["warning"]
                    == #"199 - "The values pinned for users, 1 at present, are no part of it.""#)
        }
    }
}
