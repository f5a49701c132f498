import ConfigServer
import Foundation
import HTTPServing
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Templates
import Testing

/// The server does not store a template whose response would be too large.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct StoredTemplateAnswerTests {
    private static let path = "/v1/projects/default/remoteConfig"

    /// Options of a server that sends and accepts at most 512 KiB.
    private static var smallOptions: ConfigServerOptions {
        var options = ConfigServerOptions()
        options.limits.clientBacklogBytes = 1 << 20
        return options
    }

    /// A template of the given size as text.
    private static func template(bytes: Int) -> JSONNode {
        func template(_ length: Int) -> JSONNode {
            let value = String(repeating: "v", count: length)
            return ["parameters": ["a": ["defaultValue": ["value": .string(value)]]]]
        }
        return template(bytes - template(0).jsonData().count)
    }

    private static func currentVersion(
        in store: InMemoryTemplateStore
    ) async throws -> Int? {
        try await store.template(version: nil, inProject: "default")?.version.number
    }

    @Test func aPublishIsRefusedBeforeItIsStored() async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store, options: Self.smallOptions) { server in
            let large = try await server.publish(Self.template(bytes: 512 << 10))
            #expect(large.status == 413)
            #expect(try await Self.currentVersion(in: store) == nil)
            let validated = try await server.administer(
                "PUT", "\(Self.path)?validateOnly=true", body: Self.template(bytes: 512 << 10),
                fields: ["If-Match: *"])
            #expect(validated.status == 413)
            let small = try await server.publish(Self.template(bytes: 480 << 10))
            #expect(small.status == 200)
            #expect(try await Self.currentVersion(in: store) == 1)
        }
    }

    @Test(arguments: [400 << 10, 500 << 10, 508 << 10, 511 << 10])
    func aDraftThatWasStoredCanBeRead(bytes: Int) async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store, options: Self.smallOptions) { server in
            let path = "/v1/projects/default/draft"
            // Each setting causes a problem and a difference.
            var settings = JSONNode.emptyObject
            for number in 0..<2_000 { settings.setMember("a\(number)", ["valueType": "NONE"]) }
            var template: JSONNode = ["parameters": settings, "note": ""]
            let note = String(repeating: "n", count: bytes - template.jsonData().count)
            template.setMember("note", .string(note))
            let body = #"{"baseVersion":"0","template":\#(template)}"#
            let put = try await HTTPConnection.answer(
                port: server.port, method: "PUT", target: path,
                fields: [
                    "Authorization: Bearer \(RunningServer.administratorToken)",
                    "If-None-Match: *",
                ], body: body)
            let get = try await server.administer("GET", path)
            #expect((put.status == 200) == (get.status == 200), "\(put.status) \(get.status)")
            #expect(put.status == (bytes <= 508 << 10 ? 200 : 413))
            guard get.status == 200 else { return }
            let problems = try get.json["problems"]?.arrayValue ?? []
            #expect(problems.last?["message"]?.stringValue?.contains("more problems") == true)
            #expect(try get.json["changes"]?["omitted"]?.integerValue ?? 0 > 0)
        }
    }

    @Test func aRollbackIsRefusedBeforeItIsStored() async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { server in
            for bytes in [600 << 10, 1_000, 2_000] {
                let answer = try await server.publish(Self.template(bytes: bytes))
                #expect(answer.status == 200)
            }
        }
        try await RunningServer.with(store: store, options: Self.smallOptions) { server in
            let old = try await server.administer("GET", Self.path + "?versionNumber=1")
            #expect(old.status == 413)
            for (version, status) in [("1", 413), ("2", 200)] {
                let answer = try await server.administer(
                    "POST", Self.path + ":rollback", body: ["versionNumber": .string(version)])
                #expect(answer.status == status)
            }
        }
        #expect(try await Self.currentVersion(in: store) == 4)
    }
}
