import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Templates
import Testing

@testable import ConfigServer

/// Versions that a server cannot read, such as those of a newer program (PROTOCOL 1).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UnreadableVersionTests {
    private static let document = "/activeconfig/user/1"
    private static let flags = "/ofrep/v1/evaluate/flags"
    private static let context = #"{"context": {"targetingKey": "1"}}"#

    /// Publishes a version as a newer program would.
    private static func publishUnreadable(
        in store: InMemoryTemplateStore, project: String = "default"
    ) async throws {
        _ = try await store.publish(
            TemplateSubmission(
                project: project, content: Data(#"{"parameters": 5}"#.utf8), expectation: .any,
                date: Date(), user: TemplateVersion.User(name: "newer")))
    }

    @Test func aClientThatHasItIsNotSentBack() async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { server in
            try await server.publish(.sample)
            try await Self.publishUnreadable(in: store)
            let seen = "ActiveConfig-Template-Version: 2"
            for fields in [[seen], [seen, "If-None-Match: \"a\"", "Prefer: wait=60"]] {
                let answer = try await server.answer(Self.document, fields: fields)
                #expect(answer.status == 503)
                #expect(answer.fields["retry-after"] != nil)
            }
            let flags = try await server.answer(
                Self.flags, method: "POST", fields: ["If-None-Match: \"2-abc\""],
                body: Self.context)
            #expect(flags.status == 503)
            // The client reconnects, possibly to another server.
            try await EventStreamClient.open(
                port: server.port, "\(Self.document)/events", fields: ["Last-Event-ID: 2"]
            ) { stream in
                #expect(try await stream.next().name == "hello")
                let event = try await stream.next()
                #expect(event.name == "retry")
                #expect(event.data?["after_ms"] != nil)
            }
            // Other clients receive the newest readable version, and so does a client whose version
            // no store has.
            for fields in [
                [], ["ActiveConfig-Template-Version: 1"], ["ActiveConfig-Template-Version: 9"],
            ] {
                let answer = try await server.answer(Self.document, fields: fields)
                #expect(answer.status == 200)
                #expect(answer.fields["activeconfig-template-version"] == "1")
            }
            try await server.publish(.sample)
            let answer = try await server.answer(Self.document, fields: [seen])
            #expect(answer.fields["activeconfig-template-version"] == "3")
        }
    }

    @Test func aServerThatStartsServesTheNewestThatCanBeRead() async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { _ = try await $0.publish(.sample) }
        for _ in 0..<2 { try await Self.publishUnreadable(in: store) }
        try await RunningServer.with(store: store) { server in
            let answer = try await server.answer(Self.document)
            #expect(answer.status == 200)
            #expect(answer.fields["activeconfig-template-version"] == "1")
            let seen = try await server.answer(
                Self.document, fields: ["ActiveConfig-Template-Version: 3"])
            #expect(seen.status == 503)
        }
    }

    @Test func aProjectOfWhichNothingCanBeReadIsNotMissing() async throws {
        let store = InMemoryTemplateStore()
        try await Self.publishUnreadable(in: store)
        var options = ConfigServerOptions()
        options.acknowledgedShare = 1
        try await RunningServer.with(store: store, options: options) { server in
            let answers = [
                try await server.answer(Self.document),
                try await server.answer(Self.flags, method: "POST", body: Self.context),
                try await server.answer("\(Self.document)/events"),
                try await server.answer(
                    "\(Self.document)/acknowledgement", method: "POST",
                    body: #"{"template_version": 1}"#),
            ]
            for answer in answers {
                #expect(answer.status == 503)
                #expect(answer.fields["retry-after"] != nil)
            }
            #expect(await server.status("/projects/unknown/activeconfig") == 404)
        }
    }
}
