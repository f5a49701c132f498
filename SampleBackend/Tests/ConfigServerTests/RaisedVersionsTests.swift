import ActiveConfig
import ActiveConfigEventStream
import ActiveConfigRealtime
import Foundation
import HTTPServing
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer

/// Clients with a version at or below the version floor may have other content under its number than
/// the store, which was brought back to an earlier state (PROTOCOL 2).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RaisedVersionsTests {
    private static let serviceKey = "a-key-of-a-service"

    /// Runs a server with versions 1 and 2, and a raised floor.
    private func with(
        _ body: @Sendable (RunningServer, _ next: Int) async throws -> Void
    ) async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { server in
            try await publish("one", on: server)
            try await publish("two", on: server)
        }
        let next = try await store.raiseVersions(VersionRaise(reason: "test"))
        var options = ConfigServerOptions()
        options.serviceKeys = [SecretHash(of: Self.serviceKey)]
        try await RunningServer.with(store: store, options: options) { server in
            try await body(server, next)
        }
    }

    private func publish(_ title: String, on server: RunningServer) async throws {
        var template = JSONNode.sample
        template.setTitle(of: nil, to: title)
        #expect(try await server.publish(template).status == 200)
    }

    private func documentTag(of user: String, _ server: RunningServer) async throws -> String {
        let answer = try await server.answer("/activeconfig/user/\(user)")
        return try #require(answer.fields["etag"])
    }

    /// The client may have pinned values or content that the store has lost.
    @Test(arguments: [1, 2]) func aStreamOfALowerVersionSendsAReset(version: Int) async throws {
        try await with { server, next in
            let fields = ["Last-Event-ID: \(version)"]
            for user in ["1", nil] {
                try await server.stream(ofUser: user, fields: fields) { stream in
                    let reset = try await stream.next()
                    #expect(reset.name == "reset")
                    #expect(reset.id == "2")
                }
            }
            try await publish("three", on: server)
            try await server.stream(ofUser: "1", fields: fields) { stream in
                let reset = try await stream.next()
                #expect(reset.name == "reset")
                #expect(reset.id == "\(next)")
            }
        }
    }

    @Test func aStreamAboveTheFloorSendsTheChanges() async throws {
        try await with { server, next in
            try await publish("three", on: server)
            try await publish("four", on: server)
            try await server.stream(ofUser: "1", fields: ["Last-Event-ID: \(next)"]) { stream in
                let update = try await stream.next()
                #expect(update.name == "update")
                #expect(update.id == "\(next + 1)")
            }
        }
    }

    @Test func aClientWithTheCurrentDocumentIsNotDisturbed() async throws {
        try await with { server, next in
            let tag = try await documentTag(of: "1", server)
            let fields = ["Last-Event-ID: 2", "If-None-Match: \(tag)"]
            try await server.stream(ofUser: "1", fields: fields) { stream in
                try await publish("three", on: server)
                let update = try await stream.next()
                #expect(update.name == "update")
                #expect(update.id == "\(next)")
            }
            let other = ["Last-Event-ID: 2", "If-None-Match: W/\"0\""]
            try await server.stream(ofUser: "1", fields: other) { stream in
                let reset = try await stream.next()
                #expect(reset.name == "reset")
            }
        }
    }

    /// The names of the events that the framework's connection receives until a publish.
    private func eventNames(_ server: RunningServer) async throws -> [String] {
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
        let source = URLSessionEventSource(backend: ActiveConfigBackend(url: url))
        let connection = source.connection(forUserID: "1")
        defer { connection.close() }
        let document = try await connection.document(lastKnown: nil, wait: nil)
        let version = try #require(document.configuration?.templateVersion)
        try await connection.openEvents(lastEventID: "\(version)")
        try await publish("three", on: server)
        var names: [String] = []
        while names.last != "update", let next = try await connection.nextEvent() {
            if case .event(let event) = next.element { names.append(event.name) }
        }
        return names
    }

    @Test func theFrameworkSendsTheTagOfItsDocument() async throws {
        try await with { server, _ in
            let names = try await eventNames(server)
            #expect(names == ["hello", "update"])
        }
    }

    @Test func eachUserOfAStreamIsComparedByTheTag() async throws {
        try await with { server, _ in
            let tag = try await documentTag(of: "1", server)
            let users: [JSONNode] = [
                ["user_id": "1", "last_event_id": "2", "etag": .string(tag)],
                ["user_id": "2", "last_event_id": "2"],
            ]
            try await EventStreamClient.open(
                port: server.port, "/activeconfig/events", method: "POST",
                fields: ["X-API-Key: \(Self.serviceKey)"],
                content: (["users": .array(users)] as JSONNode).description
            ) { stream in
                for _ in users {
                    let hello = try await stream.next()
                    #expect(hello.name == "hello")
                }
                let reset = try await stream.next()
                #expect(reset.name == "reset")
                #expect(reset.data?["user_id"] == "2")
                try await publish("three", on: server)
                let updates = [try await stream.next(), try await stream.next()]
                #expect(updates.allSatisfy { $0.name == "update" })
            }
        }
    }

    /// They were compared with stored versions before the raise; no change may come before the
    /// `reset`, since its tag would hide the difference.
    @Test func openStreamsSendAResetBeforeTheNextPublish() async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { server in
            try await publish("one", on: server)
            try await server.stream(ofUser: "1", fields: ["Last-Event-ID: 1"]) { stream in
                let next = try await store.raiseVersions(VersionRaise(reason: "test"))
                try await publish("two", on: server)
                let reset = try await stream.next()
                #expect(reset.name == "reset")
                let update = try await stream.next()
                #expect(update.name == "update")
                #expect(update.id == "\(next)")
                #expect(update.data?["event_number"] == 2)
            }
        }
    }

    @Test func aProjectCreatedAboveTheFloorIsPublishedFirstWithTheTagZero() async throws {
        try await with { server, next in
            let created = try await server.administer(
                "POST", "/v1/projects", body: ["project": "shop"])
            #expect(try created.json["versionNumber"] == .string("\(next)"))
            let first = try await server.publish(.sample, project: "shop", ifMatch: "etag-shop-0")
            #expect(first.status == 200)
            #expect(try first.json["version"]?["versionNumber"] == .string("\(next + 1)"))
            let second = try await server.publish(.sample, project: "shop", ifMatch: "etag-shop-0")
            #expect(second.status == 412)
        }
    }
}
