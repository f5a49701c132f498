import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer

/// Single flags by OpenFeature's protocol (API 4).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct OFREPRoutesTests {
    private static let path = "/ofrep/v1/evaluate/flags"

    /// Runs a server with published flags.
    private static func withFlags(
        _ body: @Sendable (RunningServer) async throws -> Void
    ) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            #expect(try await server.publish(.flags).status == 200)
            try await body(server)
        }
    }

    /// Requests a flag and returns the body.
    private static func flag(
        _ key: String, _ context: String = #"{"targetingKey":"3"}"#, on server: RunningServer
    ) async throws -> String {
        let answer = try await server.answer(
            "\(path)/\(key)", method: "POST", body: #"{"context":\#(context)}"#)
        #expect(answer.status == 200, "\(key)")
        #expect(answer.fields["content-type"] == "application/json")
        #expect(answer.fields["cache-control"] == "no-store")
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// Checks the whole body of a flag's response.
    private static func expect(
        _ key: String, _ context: String = #"{"targetingKey":"3"}"#, on server: RunningServer,
        is expected: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let body = try await flag(key, context, on: server)
        #expect(body == expected, sourceLocation: sourceLocation)
    }

    /// Checks a part of the body of a flag's response.
    private static func expect(
        _ key: String, _ context: String = #"{"targetingKey":"3"}"#, on server: RunningServer,
        contains part: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let body = try await flag(key, context, on: server)
        #expect(body.contains(part), "\(body)", sourceLocation: sourceLocation)
    }

    @Test func theServerWritesValuesOfEachTypeExactly() async throws {
        let rows = [
            ("Home.title", #""Hello 3""#, "DEFAULT"), ("Home.on", "false", "DEFAULT"),
            ("Home.whole", "1", "STATIC"), ("Home.float", "1.0", "STATIC"),
            ("Home.object", #"{"a":null,"b":[1,2.0]}"#, "STATIC"),
            ("Default.plain", #""text""#, "STATIC"),
        ]
        try await Self.withFlags { server in
            for (key, value, reason) in rows {
                let expected =
                    #"{"key":"\#(key)","value":\#(value),"reason":"\#(reason)","#
                    + #""variant":"default","metadata":{"templateVersion":1}}"#
                try await Self.expect(key, on: server, is: expected)
            }
        }
    }

    @Test func theAnswerTellsWhichConditionDecided() async throws {
        try await Self.withFlags { server in
            let beta = #"{"targetingKey":"3","app.version":"2.1"}"#
            try await Self.expect(
                "Home.title", beta, on: server,
                is: #"{"key":"Home.title","value":"Beta 3","reason":"TARGETING_MATCH","#
                    + #""variant":"beta","metadata":{"templateVersion":1}}"#)
            for name in ["plan", "signal.plan"] {
                let gold = #"{"targetingKey":"3","\#(name)":"gold"}"#
                try await Self.expect(
                    "Home.on", gold, on: server,
                    is: #"{"key":"Home.on","value":true,"reason":"TARGETING_MATCH","#
                        + #""variant":"gold","metadata":{"templateVersion":1}}"#)
            }
            try await Self.expect(
                "Home.split", on: server,
                is: #"{"key":"Home.split","value":true,"reason":"SPLIT","#
                    + #""variant":"everyone","metadata":{"templateVersion":1}}"#)
        }
    }

    @Test func theAnswerOmitsTheValueWhenTheInAppDefaultCounts() async throws {
        try await Self.withFlags { server in
            try await Self.expect(
                "Home.code", on: server,
                is: #"{"key":"Home.code","reason":"DEFAULT","variant":"default","#
                    + #""metadata":{"templateVersion":1}}"#)
            let beta = try await Self.flag("Home.code", #"{"app.version":"2.1"}"#, on: server)
            #expect(beta.contains(#""value":"from the server","reason":"TARGETING_MATCH""#))
        }
    }

    @Test func pinnedValuesTakePrecedence() async throws {
        try await Self.withFlags { server in
            try await server.administer(
                "PUT", "/v1/projects/default/users/3/overrides",
                body: ["Home": ["title": "Pinned"], "New": ["size": 2]])
            try await Self.expect(
                "Home.title", on: server,
                is: #"{"key":"Home.title","value":"Pinned","reason":"TARGETING_MATCH","#
                    + #""variant":"override","metadata":{"templateVersion":1}}"#)
            try await Self.expect("New.size", on: server, contains: #""value":2,"#)
            let other = try await server.answer(
                "\(Self.path)/New.size", method: "POST", body: #"{"context":{"targetingKey":"4"}}"#)
            #expect(other.status == 404)
        }
    }

    @Test func theServerFindsFlagsByKeysWithDotsAndSlashes() async throws {
        let rows = [
            ("Home/whole", "Home/whole", "1"), ("Home%2Fwhole", "Home/whole", "1"),
            ("Home%2ewhole", "Home.whole", "1"), ("A.b", "A.b", #""A, b""#),
            ("A/b?x=1", "A/b", #""A, b""#), ("A.b.c", "A.b.c", #""A.b, c""#),
            ("A.b/c", "A.b/c", #""A.b, c""#), ("S/t.u", "S/t.u", #""S/t, u""#),
            ("S/t%2Fu", "S/t/u", #""S/t, u""#),
        ]
        try await Self.withFlags { server in
            for (target, key, value) in rows {
                let body = try await Self.flag(target, on: server)
                #expect(body.hasPrefix(#"{"key":"\#(key)","value":\#(value),"#), "\(body)")
            }
            // Pinned values can have any name: if two names match a key, the one with the shorter
            // section takes precedence.
            try await server.administer(
                "PUT", "/v1/projects/default/users/3/overrides", body: ["A": ["b.c": "pinned"]])
            try await Self.expect("A.b.c", on: server, contains: "pinned")
            try await Self.expect("A.b/c", on: server, contains: "A.b, c")
        }
    }

    @Test func aRequestWithoutATargetingKeyIsForTheGenericUser() async throws {
        try await Self.withFlags { server in
            for body in [#"{"context":{}}"#, "{}", #"{"context":null}"#] {
                let title = try await server.answer(
                    "\(Self.path)/Home.title", method: "POST", body: body)
                #expect(try title.json["value"] == "Hello ")
                let split = try await server.answer(
                    "\(Self.path)/Home.split", method: "POST", body: body)
                #expect(try split.json["value"] == false)
            }
        }
    }

    @Test func attributesOfTheContextAreReadAsSignals() async throws {
        try await Self.withFlags { server in
            // Ignores attributes that are not scalars.
            let context =
                #"{"targetingKey":"3","app.version":2.5,"plan":["gold"],"app":{"id":"x"},"no":null}"#
            try await Self.expect("Home.title", context, on: server, contains: "Beta 3")
            try await Self.expect("Home.on", context, on: server, contains: "false")
        }
    }

    @Test func theServerServesFlagsOfOtherProjects() async throws {
        try await Self.withFlags { server in
            try await server.publish(.flags, project: "other")
            let answer = try await server.answer(
                "/projects/other/ofrep/v1/evaluate/flags/Home/float", method: "POST",
                body: #"{"context":{"targetingKey":"3"}}"#)
            #expect(try answer.json["value"] == .number("1.0"))
        }
    }
}
