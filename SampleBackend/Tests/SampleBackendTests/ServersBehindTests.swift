import ConfigServer
import EtcdTemplateStore
import EtcdTestSupport
import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

/// Clients that know a newer version than the server that they ask, since that server receives no
/// changes of its store (PROTOCOL 1, API 4).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ServersBehindTests {
    private static let document = "/activeconfig/user/1?signal.plan=gold"
    private static let flags = "/ofrep/v1/evaluate/flags"
    private static let context = #"{"context": {"targetingKey": "1"}}"#

    private static func publish(_ title: String, at server: RunningServer) async throws {
        let template = AdministrationTarget.templateText(title: title)
        let answer = try await server.publish(JSONNode(jsonData: Data(template.utf8)))
        #expect(answer.status == 200)
    }

    /// Runs two servers on members of a cluster, where only the first server publishes.
    ///
    /// The member of the second server is suspended after version 1, until `body` sends it a signal.
    private static func withAServerBehind(
        options: ConfigServerOptions = .init(),
        _ body:
            @Sendable (
                _ ahead: RunningServer, _ behind: RunningServer, _ signal: @Sendable (Int32) -> Void
            ) async throws -> Void
    ) async throws {
        let cluster = try await EtcdCluster(members: 3)
        defer { cluster.end() }
        var location = cluster.location()
        location.members = Array(cluster.members[0...1])
        let first = try await EtcdTemplateStore(location)
        location.members = [cluster.members[2]]
        let second = try await EtcdTemplateStore(location)
        try await RunningServer.with(store: first, options: options) { ahead in
            try await RunningServer.with(store: second, options: options) { behind in
                try await publish("first", at: ahead)
                try await waitUntil { await behind.status("/activeconfig") == 200 }
                cluster.signal(SIGSTOP, to: 2)
                try await body(ahead, behind) { cluster.signal($0, to: 2) }
                cluster.signal(SIGCONT, to: 2)
            }
        }
        await first.close()
        await second.close()
    }

    @Test func aDocumentIsNotThatOfAnEarlierVersionThanTheClientHas() async throws {
        var options = ConfigServerOptions()
        options.acknowledgedShare = 1
        try await Self.withAServerBehind(options: options) { ahead, behind, signal in
            try await Self.publish("second", at: ahead)
            let tag = try await ahead.answer(Self.document).fields["etag"] ?? ""
            let seen = "ActiveConfig-Template-Version: 2"
            let rows = [
                [seen], [seen, "If-None-Match: \(tag)"],
                [seen, "If-None-Match: \(tag)", "Prefer: wait=60"],
            ]
            for fields in rows {
                let answer = try await behind.answer(Self.document, fields: fields)
                #expect(answer.status == 503)
                #expect(answer.fields["retry-after"] != nil)
            }
            let acknowledged = try await behind.answer(
                "/activeconfig/user/1/acknowledgement", method: "POST",
                body: #"{"template_version": 2}"#)
            #expect(acknowledged.status == 503)
            // The response contains everything that this client has received.
            let answer = try await behind.answer(
                Self.document, fields: ["ActiveConfig-Template-Version: 1"])
            #expect(answer.status == 200)
            signal(SIGCONT)
            try await waitUntil {
                let answer = try await behind.answer(Self.document, fields: [seen])
                if answer.status == 200 {
                    #expect(answer.fields["activeconfig-template-version"] == "2")
                }
                return answer.status == 200
            }
            // No store has this version.
            let other = try await behind.answer(
                Self.document, fields: ["ActiveConfig-Template-Version: 999999999999999"])
            #expect(other.status == 200)
        }
    }

    @Test func aRequestWaitsForTheVersion() async throws {
        try await Self.withAServerBehind { ahead, behind, signal in
            try await Self.publish("second", at: ahead)
            signal(SIGCONT)
            // The server may wait for its store for longer than a request waits for the server.
            for number in 2...10 {
                let fields = ["ActiveConfig-Template-Version: \(number)"]
                try await waitUntil {
                    let answer = try await behind.answer(Self.document, fields: fields)
                    if answer.status == 200 {
                        #expect(answer.fields["activeconfig-template-version"] == "\(number)")
                    }
                    return answer.status == 200
                }
                try await Self.publish("next", at: ahead)
            }
        }
    }

    @Test func aRequestThatHasWaitedForTheVersionBecomesALongPoll() async throws {
        try await Self.withAServerBehind { ahead, behind, signal in
            // Repeats this if the server was behind for longer than the request waits, or already
            // has the next version when it continues with the request.
            for version in stride(from: 2, through: 100, by: 2) {
                signal(SIGSTOP)
                try await Self.publish("title \(version)", at: ahead)
                let document = try await ahead.answer(Self.document)
                let tag = document.fields["etag"] ?? ""
                let seen = "ActiveConfig-Template-Version: \(version)"
                let answer = try await HTTPConnection.open(port: behind.port) { connection in
                    connection.send(
                        target: Self.document,
                        fields: [seen, "If-None-Match: \(tag)", "Prefer: wait=60"])
                    signal(SIGCONT)
                    try await waitUntil {
                        try await behind.answer(Self.document).body == document.body
                    }
                    try await Self.publish("title \(version + 1)", at: ahead)
                    return try await connection.receive()
                }
                guard answer.fields["preference-applied"] == "wait=60" else { continue }
                #expect(answer.status == 200)
                #expect(answer.fields["activeconfig-template-version"] == "\(version + 1)")
                return
            }
            Issue.record("The request never became a long poll.")
        }
    }

    @Test func flagsAreNotThoseOfAnEarlierVersionThanTheClientHas() async throws {
        try await Self.withAServerBehind { ahead, behind, signal in
            try await EventStreamClient.open(
                port: ahead.port, "/ofrep/v1/evaluate/events?targetingKey=1"
            ) { stream in
                _ = try await stream.next()
                try await Self.publish("second", at: ahead)
                let event = try await stream.next()
                let announced = try #require(event.data?["etag"]?.stringValue)
                let encoded = announced.replacing("\"", with: "%22")
                let query = "?flagConfigEtag=\(encoded)"
                let held = try await ahead.answer(
                    Self.flags, method: "POST", body: Self.context
                ).fields["etag"]
                let rows = [
                    (Self.flags + query, []), ("\(Self.flags)/Home.title\(query)", []),
                    (Self.flags, ["If-None-Match: \(held ?? "")"]),
                ]
                for (target, fields) in rows {
                    let answer = try await behind.answer(
                        target, method: "POST", fields: fields, body: Self.context)
                    #expect(answer.status == 503)
                    #expect(answer.fields["retry-after"] != nil)
                    #expect(try answer.json["errorCode"] == "GENERAL")
                }
                signal(SIGCONT)
                try await waitUntil {
                    let answer = try await behind.answer(
                        Self.flags + query, method: "POST", body: Self.context)
                    if answer.status == 200 {
                        #expect(try answer.json["metadata"]?["templateVersion"] == 2)
                    }
                    return answer.status == 200
                }
            }
        }
    }

    @Test func theServersThatDoNotAnswerAreNamed() async throws {
        let path = "/v1/projects/default/connections"
        try await Self.withAServerBehind { ahead, behind, signal in
            signal(SIGCONT)
            for server in [ahead, behind] {
                try await waitUntil {
                    try await server.administer("GET", path).json["replicas"]?["count"] == 2
                }
                let counts = try await server.administer("GET", path).json
                #expect(counts["replicas"]?["silentNames"] == [])
            }
            signal(SIGSTOP)
            // The store does not report which servers run.
            let counts = try await behind.administer("GET", path).json
            #expect(counts["replicas"]?["count"] == 1)
            #expect(counts["replicas"]?["silent"] == 1)
            #expect(counts["replicas"]?["isComplete"] == false)
            let name =
                "\(ProcessInfo.processInfo.hostName), process \(ProcessInfo.processInfo.processIdentifier)"
            #expect(counts["replicas"]?["silentNames"] == [.string(name)])
            // The other server does not renew its lease.
            try await waitUntil {
                try await ahead.administer("GET", path).json["replicas"]?["silentNames"]
                    == [.string(name)]
            }
        }
    }

    @Test func pinnedValuesAreNotThoseFromBeforeWhatTheClientHas() async throws {
        @Sendable func pin(_ title: String, at server: RunningServer) async throws {
            let answer = try await server.administer(
                "PUT", "/v1/projects/default/users/1/overrides",
                body: ["Home": ["title": .string(title)]])
            #expect(answer.status == 200)
        }
        try await Self.withAServerBehind { ahead, behind, signal in
            signal(SIGCONT)
            try await pin("earlier", at: ahead)
            try await waitUntil {
                String(decoding: try await behind.answer(Self.document).body, as: UTF8.self)
                    .contains("earlier")
            }
            signal(SIGSTOP)
            try await pin("later", at: ahead)
            try await EventStreamClient.open(
                port: behind.port, "/activeconfig/user/1/events", fields: ["Last-Event-ID: 1"]
            ) { stream in
                #expect(try await stream.next().name == "hello")
                signal(SIGCONT)
                let settings = try await stream.next().data?["sections"]?["Home"]?["settings"]
                #expect(settings?["title"]?["value"] == "later")
            }
        }
    }
}
