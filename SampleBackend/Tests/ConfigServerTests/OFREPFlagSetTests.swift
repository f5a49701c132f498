import Foundation
import InMemoryTemplateStore
import JSONTree
import NIOCore
import Rendering
import SeededRandomness
import ServerTestSupport
import Targeting
import TemplateStore
import Templates
import Testing

@testable import ClientAPI
@testable import ConfigServer

/// All flags at once by OpenFeature's protocol (API 4).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct OFREPFlagSetTests {
    private static let path = "/ofrep/v1/evaluate/flags"

    /// Requests all flags.
    private static func flags(
        _ context: String, _ path: String = path, fields: [String] = [], on server: RunningServer
    ) async throws -> HTTPAnswer {
        try await server.answer(
            path, method: "POST", fields: fields, body: #"{"context":\#(context)}"#)
    }

    /// Entity tag of all flags.
    private static func tag(_ context: String, on server: RunningServer) async throws -> String {
        try #require(try await flags(context, on: server).fields["etag"])
    }

    @Test func theAnswerHoldsAllFlagsSortedByKey() async throws {
        let template: JSONNode = [
            "parameterGroups": [
                "B": [
                    "parameters": [
                        "off": ["valueType": "STRING", "defaultValue": ["useInAppDefault": true]],
                        "list": ["valueType": "JSON", "defaultValue": ["value": "[]"]],
                    ]
                ],
                "A": [
                    "parameters": [
                        "one": ["valueType": "NUMBER", "defaultValue": ["value": "1.0"]]
                    ]
                ],
            ]
        ]
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(template)
            let answer = try await Self.flags(
                #"{"targetingKey":"a b","plan":"50%","app.version":"2"}"#, on: server)
            #expect(answer.status == 200)
            #expect(answer.fields["content-type"] == "application/json")
            #expect(answer.fields["cache-control"] == "private, no-cache")
            #expect(
                String(decoding: answer.body, as: UTF8.self) == #"""
                    {"flags":[{"key":"A.one","value":1.0,"reason":"STATIC","variant":"default"},\#
                    {"key":"B.list","errorCode":"GENERAL",\#
                    "errorDetails":"The value of this flag is an array, for which OpenFeature has no \#
                    type: put it into an object."},\#
                    {"key":"B.off","reason":"DEFAULT","variant":"default"}],\#
                    "metadata":{"templateVersion":1},"eventStreams":[{"type":"sse","endpoint":\#
                    {"requestUri":"/ofrep/v1/evaluate/events?targetingKey=a%20b&app.version=2&\#
                    signal.plan=50%25"},"inactivityDelaySec":120}]}
                    """#)
        }
    }

    @Test func eachKeyIsGivenOnceAndLikeTheSingleFlag() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.flags)
            try await server.administer(
                "PUT", "/v1/projects/default/users/3/overrides", body: ["A": ["b.c": "pinned"]])
            let user = #"{"targetingKey":"3"}"#
            let answer = try await Self.flags(user, on: server)
            let flags = try #require(try answer.json["flags"]?.arrayValue)
            let keys = flags.compactMap { $0["key"]?.stringValue }
            #expect(keys == Array(Set(keys)).sorted())
            #expect(keys.count == 13, "\(keys)")
            for flag in flags {
                let key = try #require(flag["key"]?.stringValue)
                var single = try await server.answer(
                    "\(Self.path)/\(key)", method: "POST", body: #"{"context":\#(user)}"#
                ).json
                single.removeMember("metadata")
                #expect(single == flag)
            }
        }
    }

    @Test func theAnswerNamesTheStreamOfTheProjectAndUser() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.flags)
            try await server.publish(.flags, project: "other")
            let long = String(repeating: "é", count: 500)
            let rows = [
                ("{}", "", "/ofrep/v1/evaluate/events"),
                (#"{"targetingKey":""}"#, "", "/ofrep/v1/evaluate/events?targetingKey="),
                (
                    #"{"targetingKey":"/&é","x=":true}"#, "/projects/other",
                    "/projects/other/ofrep/v1/evaluate/events?targetingKey=%2F%26%C3%A9&signal.x%3D=true"
                ),
                (#"{"a":"\#(long)","b":"\#(long)","c":"\#(long)"}"#, "", nil),
            ]
            for (context, prefix, uri) in rows {
                let stream = try await Self.flags(context, "\(prefix)\(Self.path)", on: server)
                    .json["eventStreams"]?.arrayValue?.first
                #expect(stream?["endpoint"]?["requestUri"]?.stringValue == uri)
            }
        }
    }

    @Test func theServerDoesNotResendFlagsThatTheClientHas() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.flags)
            let user = #"{"targetingKey":"3"}"#
            let tag = try await Self.tag(user, on: server)
            for field in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                let answer = try await Self.flags(
                    user, fields: ["If-None-Match: \(field)"], on: server)
                #expect(answer.status == 304)
                #expect(answer.body.isEmpty)
                #expect(answer.fields["etag"] == tag)
            }
            let held = ["If-None-Match: \(tag)"]
            #expect(
                try await Self.flags(#"{"targetingKey":"4"}"#, fields: held, on: server).status
                    == 200)
            // An event announced another tag, so the response must not be 304.
            let bare = tag.dropFirst().dropLast()
            let rows = [
                ("?flagConfigEtag=other", 200), ("?flagConfigEtag=%22other%22", 200),
                ("?flagConfigEtag=\(bare)&flagConfigLastModified=1", 304),
                ("?flagConfigEtag=%22\(bare)%22", 304), ("?flagConfigLastModified=x", 304),
                // A version later than any in the store.
                ("?flagConfigEtag=99", 200), ("?flagConfigEtag=W/%2299-x%22", 200),
                ("?flagConfigLastModified=4000000000", 304),
            ]
            for (query, status) in rows {
                let answer = try await Self.flags(
                    user, Self.path + query, fields: held, on: server)
                #expect(answer.status == status, "\(query)")
            }
        }
    }

    @Test func theTagChangesWithTheContextPinnedValuesAndTheVersion() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.flags)
            let user = #"{"targetingKey":"3"}"#
            let first = try await Self.tag(user, on: server)
            #expect(try await Self.tag(user, on: server) == first)
            var tags: Set<String> = [first]
            // A signal that no condition reads changes the tag as well.
            for context in ["{}", #"{"targetingKey":""}"#, #"{"targetingKey":"3","no":"1"}"#] {
                let tag = try await Self.tag(context, on: server)
                #expect(tags.insert(tag).inserted, "\(context)")
            }
            try await server.administer(
                "PUT", "/v1/projects/default/users/3/overrides", body: ["Home": ["title": "x"]])
            let pinned = try await Self.tag(user, on: server)
            #expect(tags.insert(pinned).inserted)
            try await server.publish(.flags)
            let published = try await Self.tag(user, on: server)
            #expect(tags.insert(published).inserted)
        }
        // Another server with the same version computes the same tag.
        var replicas: Set<String> = []
        for context in [#"{"b":1,"targetingKey":"3","a":2}"#, #"{"a":2,"b":1,"targetingKey":"3"}"#]
        {
            try await replicas.insert(
                RunningServer.with(store: InMemoryTemplateStore()) { server in
                    try await server.publish(.flags)
                    return try await Self.tag(context, on: server)
                })
        }
        #expect(replicas.count == 1)
    }

    @Test func theTagChangesWhenAConditionOnTheTimeDoes() throws {
        let template: JSONNode = [
            "conditions": [
                ["name": "later", "expression": "dateTime >= dateTime('2026-01-31T12:00:00')"]
            ],
            "parameters": [
                "p": [
                    "defaultValue": ["value": "before"],
                    "conditionalValues": ["later": ["value": "after"]],
                ]
            ],
        ]
        let start = try Date("2026-01-31T12:00:00Z", strategy: .iso8601)
        let project = PublishedProject(
            CompiledTemplate(
                try ValidatedTemplate(json: template),
                version: TemplateVersion(number: 1, updateTime: start)))
        let sets = [-1.0, 0, 1].map { seconds in
            OFREPFlagSet(
                project, project: "default",
                context: TargetingContext(userID: "3", date: start + seconds))
        }
        let bodies = sets.map { String(buffer: $0.jsonBytes) }
        #expect(bodies[0].contains("before") && bodies[1].contains("after"))
        #expect(sets[0].entityTag != sets[1].entityTag)
        #expect(sets[1].entityTag == sets[2].entityTag)
    }
}
