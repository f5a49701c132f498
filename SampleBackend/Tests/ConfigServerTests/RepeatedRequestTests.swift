import ClientAPI
import Foundation
import HTTPServing
import InMemoryTemplateStore
import JSONTree
import NIOCore
import Rendering
import ServerTestSupport
import Targeting
import TemplateStore
import Testing

@testable import ConfigServer

/// Requests that a connection repeats with the tag of their document.
struct RepeatedRequestTests {
    private static let target = "/activeconfig/user/1?app.version=1.0"

    /// Sends a request with a tag, on a connection that may have sent it before.
    private func answer(
        _ connection: HTTPConnection, _ target: String = target, tag: String,
        fields: [String] = []
    ) async throws -> HTTPAnswer {
        connection.send(target: target, fields: ["If-None-Match: \(tag)"] + fields)
        return try await connection.receive()
    }

    private func run(
        _ options: ConfigServerOptions = ConfigServerOptions(), fields: [String] = [],
        _ body: @Sendable (RunningServer, HTTPConnection, _ tag: String) async throws -> Void
    ) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore(), options: options) { server in
            try await server.publish(.sample)
            let answer = try await server.answer(Self.target, fields: fields)
            let tag = try #require(answer.fields["etag"])
            try await HTTPConnection.open(port: server.port) { connection in
                for _ in 0..<3 {
                    let answer = try await self.answer(connection, tag: tag, fields: fields)
                    #expect(answer.status == 304)
                    #expect(answer.fields["etag"] == tag)
                }
                try await body(server, connection, tag)
            }
        }
    }

    @Test func aPublishIsSeen() async throws {
        try await run { server, connection, tag in
            var template = JSONNode.sample
            template.setTitle(of: nil, to: "Hi")
            try await server.publish(template)
            let answer = try await self.answer(connection, tag: tag)
            #expect(answer.status == 200)
            #expect(try answer.json.setting("title", in: "Home") == "Hi")
            let newTag = try #require(answer.fields["etag"])
            #expect(try await self.answer(connection, tag: newTag).status == 304)
            #expect(try await self.answer(connection, tag: tag).status == 200)
        }
    }

    @Test func aVersionThatLeavesTheDocumentAloneIsNamed() async throws {
        try await run { server, connection, tag in
            var template = JSONNode.sample
            for version in 2...4 {
                template.setTitle(of: "third", to: "Others \(version)")
                try await server.publish(template)
                for _ in 0..<3 {
                    let answer = try await self.answer(connection, tag: tag)
                    #expect(answer.status == 304)
                    #expect(answer.fields["activeconfig-template-version"] == "\(version)")
                }
            }
        }
    }

    @Test func aPinnedValueIsSeen() async throws {
        try await run { server, connection, tag in
            try await server.administer(
                "PUT", "/v1/projects/default/users/1/overrides",
                body: ["Home": ["title": "pinned"]])
            let answer = try await self.answer(connection, tag: tag)
            #expect(answer.status == 200)
            #expect(try answer.json.setting("title", in: "Home") == "pinned")
        }
    }

    @Test func anotherTargetHasItsOwnDocument() async throws {
        try await run { server, connection, tag in
            try await server.administer(
                "PUT", "/v1/projects/default/users/2/overrides",
                body: ["Home": ["title": "pinned"]])
            for target in ["/activeconfig/user/2?app.version=1.0", "/activeconfig/user/2"] {
                let answer = try await self.answer(connection, target, tag: tag)
                #expect(answer.status == 200)
                #expect(try answer.json.setting("title", in: "Home") == "pinned")
            }
            #expect(try await self.answer(connection, tag: tag).status == 304)
        }
    }

    @Test func anotherTagGetsTheDocument() async throws {
        try await run { _, connection, tag in
            let other = try await self.answer(connection, tag: "\"other\"")
            #expect(other.status == 200)
            let strong = try await self.answer(connection, tag: "\(tag.dropFirst(2)), \"x\"")
            #expect(strong.status == 304)
        }
    }

    @Test func everyRequestNeedsTheKey() async throws {
        var options = ConfigServerOptions()
        options.clientAccess = ClientAccess(keys: ["key"], userTokens: nil)
        try await run(options, fields: ["X-API-Key: key"]) { _, connection, tag in
            let missing = try await self.answer(connection, tag: tag)
            #expect(missing.status == 401)
            let wrong = try await self.answer(connection, tag: tag, fields: ["X-API-Key: other"])
            #expect(wrong.status == 401)
        }
    }

    /// A source that counts the requests for an identity.
    private final class CountingSource: DocumentSource {
        static let tag = EntityTag(ofContent: ByteBuffer(string: "x"))
        let count = Locked(0)
        let currentStamp = Locked<DocumentStamp?>(DocumentStamp())

        func document(
            inProject project: String, forUserID userID: String?, signals: Signals
        ) throws -> RenderedDocument? { RenderedDocument(jsonBytes: ByteBuffer(string: "x")) }

        func identity(
            inProject project: String, forUserID userID: String?, signals: Signals
        ) -> DocumentIdentity? {
            count.withLock { $0 += 1 }
            return DocumentIdentity(entityTag: Self.tag, version: 1)
        }

        func stamp(ofProject project: String) -> DocumentStamp? { currentStamp.withLock { $0 } }

        func checkReadiness() {}
    }

    @Test func anIdentityIsAskedForOnceWhileTheStampStays() async throws {
        let source = CountingSource()
        let long = "/activeconfig?x=" + String(repeating: "x", count: 1_024)
        try await RunningServer.with(source: source) { server in
            try await HTTPConnection.open(port: server.port) { connection in
                /// Requests a target three times, and returns the number of identity requests so
                /// far.
                func ask(_ target: String) async throws -> Int {
                    for _ in 0..<3 {
                        let answer = try await self.answer(
                            connection, target, tag: "\(CountingSource.tag)")
                        #expect(answer.status == 304)
                    }
                    return source.count.withLock { $0 }
                }
                var counts = [try await ask("/activeconfig/user/1")]
                counts.append(try await ask("/activeconfig/user/2"))
                source.currentStamp.withLock { $0 = DocumentStamp() }
                counts.append(try await ask("/activeconfig/user/2"))
                // Too long for an idle connection to keep.
                counts.append(try await ask(long))
                source.currentStamp.withLock { $0 = nil }
                counts.append(try await ask("/activeconfig/user/2"))
                #expect(counts == [1, 2, 3, 6, 9])
            }
        }
    }
}
