import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

@testable import ConfigServer

/// Publishes that change `meta.experiments` of a document, but none of its sections: the document
/// gets another tag, so clients are notified (PROTOCOL 2).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ExperimentChangesTests {
    private static let target = "/activeconfig/user/1"

    /// The sample with an experiment that affects no setting.
    private static func template(_ name: String = "half", share: Int) -> JSONNode {
        var template = JSONNode.sample
        template.setMember(
            "conditions",
            [
                ["name": "third", "expression": "user.id == '3'"],
                ["name": "tokyo", "expression": "false"],
                ["name": .string(name), "expression": .string("percent <= \(share)")],
            ])
        return template
    }

    private func run(_ body: @Sendable (RunningServer) async throws -> Void) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template(share: 0))
            try await body(server)
        }
    }

    @Test(arguments: [("half", 100), ("none", 0)])
    func aStreamIsNotified(name: String, share: Int) async throws {
        try await run { server in
            var document = try await server.document(Self.target)
            try await server.stream(ofUser: "1") { stream in
                try await server.publish(Self.template(name, share: share))
                let update = try await stream.next()
                #expect(update.id == "2")
                #expect(update.data?["sections"] == [:])
                document.apply(try #require(update.data))
                #expect(document["meta"]?["experiments"] == [name: .bool(share == 100)])
            }
        }
    }

    @Test func aResumedStreamIsNotified() async throws {
        try await run { server in
            try await server.publish(Self.template(share: 100))
            try await server.stream(ofUser: "1", fields: ["Last-Event-ID: 1"]) { stream in
                let update = try await stream.next()
                #expect(update.id == "2")
                #expect(update.data?["meta"]?["experiments"] == ["half": true])
            }
        }
    }
}
