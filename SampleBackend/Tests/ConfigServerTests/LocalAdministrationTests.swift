import ConfigServer
import Foundation
import HTTPTypes
import InMemoryTemplateStore
import JSONTree
import Logging
import NIOCore
import Testing

/// Administration of a store without a server, and therefore without a store follower.
struct LocalAdministrationTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private static let path = "/v1/projects/default/remoteConfig"

    /// Administers a new store.
    private static func make() async throws -> LocalAdministration {
        try await LocalAdministration(
            store: InMemoryTemplateStore(), administratorName: "local:ada", logger: logger)
    }

    /// The title of user 1 in a preview.
    private static func title(_ administration: LocalAdministration) async throws -> JSONNode? {
        let answer = await administration.answer(
            method: .post, path: path + ":preview",
            body: ByteBuffer(string: #"{"users": [{"userID": "1"}]}"#))
        #expect(answer.status == .ok)
        let user = try JSONNode(jsonData: Data(answer.body.readableBytesView))["users"]?
            .arrayValue?.first
        return user?["settings"]?["Home"]?["title"]?["value"]
    }

    /// Publishes a template with one parameter, `Home.title`.
    private static func publish(
        _ title: String, _ administration: LocalAdministration
    ) async {
        let template: JSONNode = [
            "parameterGroups": [
                "Home": ["parameters": ["title": ["defaultValue": ["value": .string(title)]]]]
            ]
        ]
        let answer = await administration.answer(
            method: .put, path: path, headerFields: [.ifMatch: "*"],
            body: ByteBuffer(bytes: template.jsonData()))
        #expect(answer.status == .ok)
    }

    @Test func eachChangeIsSeenAtOnceInAPreview() async throws {
        let administration = try await Self.make()
        await Self.publish("one", administration)
        #expect(try await Self.title(administration) == "one")
        let overrides = "/v1/projects/default/users/1/overrides"
        let pinned = await administration.answer(
            method: .put, path: overrides,
            body: ByteBuffer(string: #"{"Home": {"title": "pinned"}}"#))
        #expect(pinned.status == .ok)
        #expect(try await Self.title(administration) == "pinned")
        let removed = await administration.answer(method: .delete, path: overrides)
        #expect(removed.status == .ok)
        #expect(try await Self.title(administration) == "one")
        await Self.publish("two", administration)
        let again = await administration.answer(
            method: .post, path: Self.path + ":rollback",
            body: ByteBuffer(string: #"{"versionNumber": "1"}"#))
        #expect(again.status == .ok)
        #expect(try await Self.title(administration) == "one")
    }
}
