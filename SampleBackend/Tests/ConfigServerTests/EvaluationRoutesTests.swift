import Foundation
import HTTPServing
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

@testable import ClientAPI
@testable import ConfigServer

/// The template and pinned values for services that evaluate users themselves (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct EvaluationRoutesTests {
    private static let target = "/v1/projects/default/evaluation/activeconfig"

    private static func token(
        _ server: RunningServer, _ body: JSONNode = ["name": "service", "role": "evaluator"]
    ) async throws -> (text: String, id: String) {
        let created = try await server.administer("POST", "/v1/tokens", body: body).json
        return (
            try #require(created["token"]?.stringValue), try #require(created["id"]?.stringValue)
        )
    }

    private static func pollText(tag: String, seconds: Int, token: String) -> String {
        "GET \(target) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
            + "If-None-Match: \(tag)\r\nPrefer: wait=\(seconds)\r\n\r\n"
    }

    @Test func theDocumentHasTheTemplateAndThePins() async throws {
        try await RunningServer.withSample { server in
            let token = try await Self.token(server).text
            let first = try await server.administer("GET", Self.target, token: token)
            #expect(first.status == 200)
            let settings = try first.json["config_sections"]?["Evaluation"]?["settings"]
            let text = try #require(settings?["template"]?["value"]?.stringValue)
            #expect(try JSONNode(jsonData: Data(text.utf8))["parameterGroups"] != nil)
            #expect(settings?["pins"]?["value"] == "{}")
            #expect(first.fields["activeconfig-template-version"] == "1")
            try await server.administer(
                "PUT", "/v1/projects/default/users/a%20b/overrides",
                body: ["Home": ["title": "pinned"]])
            let second = try await server.administer("GET", Self.target, token: token)
            #expect(second.fields["etag"] != first.fields["etag"])
            let pins = try second.json["config_sections"]?["Evaluation"]?["settings"]?["pins"]
            #expect(pins?["value"] == #"{"a b":{"Home":{"title":"pinned"}}}"#)
            let tag = try #require(second.fields["etag"])
            let known = try await server.administer(
                "GET", Self.target, token: token, fields: ["If-None-Match: \(tag)"])
            #expect(known.status == 304)
            let other = try await server.administer(
                "GET", "/v1/projects/none/evaluation/activeconfig", token: token)
            #expect(other.status == 404)
        }
    }

    @Test func aWaitEndsWithAPublishAPinOrItsTime() async throws {
        try await RunningServer.withSample { server in
            let token = try await Self.token(server).text
            for change in 0..<3 {
                let tag = try #require(
                    try await server.administer("GET", Self.target, token: token).fields["etag"])
                try await HTTPConnection.open(port: server.port) { connection in
                    connection.send(
                        Self.pollText(tag: tag, seconds: change == 2 ? 1 : 60, token: token))
                    switch change {
                    case 0: try await server.publish(.titled("Hi"))
                    case 1:
                        try await server.administer(
                            "PUT", "/v1/projects/default/users/1/overrides",
                            body: ["Home": ["title": "pinned"]])
                    default: break
                    }
                    let answer = try await connection.receive(isHead: change == 2)
                    #expect(answer.status == (change == 2 ? 304 : 200))
                    if change == 2 { #expect(answer.fields["preference-applied"] == "wait=1") }
                    #expect((answer.fields["etag"] == tag) == (change == 2))
                }
            }
        }
    }

    /// A large template takes seconds to write.
    @Test func changesOfPinsDoNotWaitForTheWritingOfADocument() async throws {
        try await RunningServer.withSample { server in
            let token = try await Self.token(server).text
            let (begun, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let block: @Sendable () -> Void = {
                begun.signal()
                release.wait()
            }
            Task(executorPreference: WorkThreads.evaluation) { block() }
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "begun").async {
                    begun.wait()
                    continuation.resume()
                }
            }
            try await HTTPConnection.open(port: server.port) { connection in
                defer { release.signal() }
                connection.send(
                    "GET \(Self.target) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n"
                )
                for user in 0..<5 {
                    let pinned = try await server.administer(
                        "PUT", "/v1/projects/default/users/\(user)/overrides",
                        body: ["Home": ["title": "pinned"]])
                    #expect(pinned.status == 200)
                }
                release.signal()
                let answer = try await connection.receive()
                #expect(answer.status == 200)
                let pins = try answer.json["config_sections"]?["Evaluation"]?["settings"]?["pins"]
                #expect(pins?["value"]?.stringValue?.contains(#""4""#) == true)
            }
        }
    }

    @Test func aRevokedTokenGetsNothingFromAWaitingRequest() async throws {
        try await RunningServer.withSample { server in
            let token = try await Self.token(server)
            let tag = try #require(
                try await server.administer("GET", Self.target, token: token.text).fields["etag"])
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(Self.pollText(tag: tag, seconds: 60, token: token.text))
                try await server.administer("DELETE", "/v1/tokens/\(token.id)")
                try await server.publish(.titled("Secret"))
                #expect(try await connection.receive().status == 401)
            }
        }
    }

    @Test func anEndedSessionGetsNothingFromAWaitingRequest() async throws {
        try await RunningServer.withSample { server in
            let session = try await server.signIn()
            let first = try await server.answer(Self.target, fields: session.fields)
            let tag = try #require(first.fields["etag"])
            try await HTTPConnection.open(port: server.port) { connection in
                let fields = session.fields.map { "\($0)\r\n" }.joined()
                connection.send(
                    "GET \(Self.target) HTTP/1.1\r\nHost: a\r\n\(fields)If-None-Match: \(tag)\r\n"
                        + "Prefer: wait=60\r\n\r\n")
                let ended = try await server.answer(
                    "/console/session", method: "DELETE", fields: session.fields)
                #expect(ended.status == 204)
                try await server.publish(.titled("Secret"))
                #expect(try await connection.receive().status == 401)
            }
        }
    }

    /// Its role for calls without a project is that of its projects.
    @Test func anEvaluatorOfProjectsReadsNothingOfTheServerWhateverItsRole() async throws {
        try await RunningServer.withSample { server in
            try await server.publish(.sample, project: "shop")
            let token = try await Self.token(
                server,
                ["name": "shop", "role": "publisher", "projects": ["shop": "evaluator"]]
            ).text
            let shop = "/v1/projects/shop/evaluation/activeconfig"
            #expect(try await server.administer("GET", shop, token: token).status == 200)
            for path in ["/v1/projects", "/v1/projects/shop/remoteConfig"] {
                let answer = try await server.administer("GET", path, token: token)
                #expect(answer.status == 403, "\(path)")
            }
            let parsed = try await server.administer(
                "POST", "/v1/conditions:parse", body: ["expressions": ["true"]], token: token)
            #expect(parsed.status == 403)
        }
    }

    /// Every other endpoint of administrators and services refuses the role.
    @Test func anEvaluatorMayReadNothingElse() async throws {
        try await RunningServer.withSample { server in
            let token = try await Self.token(server).text
            var count = 0
            for endpoint in ConfigServer.endpoints where !Self.patterns.contains(endpoint.path) {
                switch endpoint.access {
                case .administrator, .service: break
                case .open, .client: continue
                }
                let path = endpoint.path.split(separator: "/", omittingEmptySubsequences: false)
                    .map {
                        $0.hasPrefix("{")
                            ? "default" + $0.drop { $0 != "}" }.dropFirst() : String($0)
                    }.joined(separator: "/")
                    .replacing("{project}", with: "default")
                let answer = try await server.administer(
                    endpoint.method, path, body: endpoint.method == "GET" ? nil : ["users": []],
                    token: token, fields: ["If-Match: *"])
                #expect(answer.status == 403, "\(endpoint.method) \(path)")
                count += 1
            }
            #expect(count > 30)
            let session = try await server.administer(
                "POST", "/console/session", body: ["token": .string(token)], token: nil)
            #expect(session.status == 403)
        }
    }

    @Test func anEvaluatorOfOneProjectHasNoOther() async throws {
        try await RunningServer.withSample { server in
            try await server.publish(.sample, project: "shop")
            let token = try await Self.token(
                server, ["name": "shop", "projects": ["shop": "evaluator"]]
            ).text
            let shop = "/v1/projects/shop/evaluation/activeconfig"
            #expect(try await server.administer("GET", shop, token: token).status == 200)
            #expect(try await server.administer("GET", Self.target, token: token).status == 404)
            let template = "/v1/projects/shop/remoteConfig"
            #expect(try await server.administer("GET", template, token: token).status == 403)
            #expect(try await server.answer(shop).status == 401)
        }
    }

    /// What a service may load to evaluate users.
    private static let patterns = [
        "/v1/projects/{project}/evaluation/activeconfig",
        "/v1/projects/{project}/namespaces/firebase-server/serverRemoteConfig",
    ]
}
