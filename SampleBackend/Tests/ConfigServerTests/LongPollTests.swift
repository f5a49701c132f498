import Foundation
import InMemoryTemplateStore
import JSONTree
import SQLiteTemplateStore
import SeededRandomness
import ServerTestSupport
import TemplateStore
import TemporaryFolders
import Testing

@testable import ConfigServer

/// Requests for a document that wait until it changes (PROTOCOL 2).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct LongPollTests {
    private static let target = "/activeconfig/user/1"

    @Test(arguments: [
        "/activeconfig", "/activeconfig/user/1", "/active_config?userID=1",
        "/projects/default/activeconfig", "/projects/default/activeconfig/user/1",
    ])
    func aPublishAnswersAWaitingRequest(target: String) async throws {
        try await RunningServer.withSample { server in
            try await server.poll(target) { connection in
                try await server.publish(.titled("Hi"))
                let answer = try await connection.receive()
                #expect(answer.status == 200)
                #expect(answer.fields["preference-applied"] == "wait=60")
                #expect(try answer.json.setting("title", in: "Home") == "Hi")
                let document = try await server.answer(target)
                #expect(document.body == answer.body)
                #expect(document.fields["etag"] == answer.fields["etag"])
                #expect(try await server.connections()["connections"] == 0)
            }
        }
    }

    @Test func aFileOfTemplatesThatAnotherProcessChangesAnswersIt() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("test.sqlite")
        let store = try await SQLiteTemplateStore(path: path)
        let other = try await SQLiteTemplateStore(path: path)
        try await RunningServer.withSample(store: store) { server in
            try await server.poll(Self.target) { connection in
                try await RunningServer.with(store: other) { other in
                    _ = try await other.publish(.titled("Hi"))
                }
                let answer = try await connection.receive()
                #expect(try answer.json.setting("title", in: "Home") == "Hi")
            }
        }
        await other.close()
        await store.close()
    }

    @Test func theTimeOverIsAnsweredWithTheSameTag() async throws {
        try await RunningServer.withSample { server in
            let tag = try await server.tag(of: Self.target)
            let start = ContinuousClock.now
            let answer = try await server.answer(
                Self.target, fields: ["If-None-Match: \(tag)", "Prefer: wait=1"])
            #expect(start.duration(to: .now) >= .seconds(1))  // deadline: a lower bound
            #expect(answer.status == 304)
            #expect(answer.body.isEmpty)
            #expect(answer.fields["etag"] == tag)
            #expect(answer.fields["preference-applied"] == "wait=1")
            #expect(answer.fields["retry-after"] == nil)
        }
    }

    @Test func aPublishThatChangesNothingForTheUserWakesNoPoll() async throws {
        try await RunningServer.withSample { server in
            let tag = try await server.tag(of: Self.target)
            try await server.poll(Self.target) { connection in
                try await server.publish(.titled("Others", of: "third"))
                var found: JSONNode = [:]
                try await waitUntil {
                    found = try await server.connections()
                    return found["versions"] == ["2": 1] || found["connections"] == 0
                }
                // The poll knows the version, and waits.
                #expect(found["versions"] == ["2": 1])
                #expect(found["connections"] == 1)
                try await connection.finishSending()
                let answer = try await connection.receive()
                #expect(answer.status == 304)
                #expect(answer.fields["etag"] == tag)
                #expect(answer.fields["activeconfig-template-version"] == "2")
            }
        }
    }

    @Test func aPublishThatChangesAnExperimentAloneAnswersAWaitingRequest() async throws {
        @Sendable func template(share: Int) -> JSONNode {
            var template = JSONNode.sample
            template.setMember(
                "conditions",
                [
                    ["name": "third", "expression": "user.id == '3'"],
                    ["name": "tokyo", "expression": "false"],
                    ["name": "half", "expression": .string("percent <= \(share)")],
                ])
            return template
        }
        try await RunningServer.withSample { server in
            try await server.publish(template(share: 0))
            try await server.poll(Self.target) { connection in
                try await server.publish(template(share: 100))
                var found: JSONNode = [:]
                try await waitUntil {
                    found = try await server.connections()
                    return found["versions"] == ["3": 1] || found["connections"] == 0
                }
                #expect(found["connections"] == 0)
                let answer = try await connection.receive()
                #expect(answer.status == 200)
                #expect(try answer.json["meta"]?["experiments"] == ["half": true])
            }
        }
    }

    @Test func theTimeoutNamesTheVersionThatWokeNoPoll() async throws {
        try await RunningServer.withSample { server in
            let tag = try await server.tag(of: Self.target)
            // Retries with longer waits, for a machine that publishes too late.
            for (version, seconds) in [(2, 1), (3, 5), (4, 25)] {
                let answer = try await HTTPConnection.open(port: server.port) { connection in
                    let start = ContinuousClock.now
                    connection.send(
                        target: Self.target,
                        fields: ["If-None-Match: \(tag)", "Prefer: wait=\(seconds)"])
                    try await waitUntil {
                        try await server.connections()["connections"] == 1
                            // deadline: retries with a longer wait if the poll is over already
                            || start.duration(to: .now) > .seconds(seconds)
                    }
                    try await server.publish(.titled("Others \(seconds)", of: "third"))
                    let answer = try await connection.receive()
                    // deadline: a lower bound
                    #expect(start.duration(to: .now) >= .seconds(seconds))
                    return answer
                }
                #expect(answer.status == 304)
                #expect(answer.fields["etag"] == tag)
                if answer.fields["activeconfig-template-version"] == "\(version)" { return }
            }
            Issue.record("No publish came while a poll was waiting.")
        }
    }

    @Test func pinnedValuesAnswerTheRequestsOfTheirUserAlone() async throws {
        try await RunningServer.withSample { server in
            try await server.poll(Self.target) { connection in
                try await server.poll("/activeconfig/user/2") { _ in
                    try await server.administer(
                        "PUT", "/v1/projects/default/users/1/overrides",
                        body: ["Home": ["title": "pinned"]])
                    let answer = try await connection.receive()
                    #expect(try answer.json.setting("title", in: "Home") == "pinned")
                    try await server.waitForConnections(1)
                }
            }
        }
    }

    @Test func aTimeThatAConditionWaitsForAnswersIt() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let date = Date(
                timeIntervalSince1970: (Date().timeIntervalSince1970 + 3).rounded(.down))
            let text = date.formatted(
                .iso8601.year().month().day().time(includingFractionalSeconds: false))
            var template = JSONNode.sample
            template.setMember(
                "conditions",
                [["name": "third", "expression": .string("dateTime >= dateTime('\(text)')")]])
            template.setMember("parameterGroups", [:])
            try await server.publish(template)
            var answer = try await server.answer(Self.target)
            while try answer.json.setting("isNew", in: "Default") == false {
                answer = try await server.answer(
                    Self.target,
                    fields: ["If-None-Match: \(answer.fields["etag"] ?? "")", "Prefer: wait=60"])
                #expect(answer.status == 200)
            }
            #expect(Date() >= date)  // deadline: a lower bound
        }
    }

    /// Publishes race with reads of the tag: a poll that misses one waits for 60 s.
    @Test func noPublishIsMissed() async throws {
        try await RunningServer.withSample { server in
            let last = 60
            // The time of the last publish.
            let end = Locked<ContinuousClock.Instant?>(nil)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for user in 0..<8 {
                    tasks.addTask {
                        try await HTTPConnection.open(port: server.port) { connection in
                            var tag = "\"\""
                            var title = ""
                            while title != "\(last)" {
                                connection.send(
                                    target: "/activeconfig/user/\(user)",
                                    fields: ["If-None-Match: \(tag)", "Prefer: wait=60"])
                                let answer = try await connection.receive()
                                try #require(answer.status == 200)
                                tag = answer.fields["etag"] ?? ""
                                title =
                                    try answer.json.setting("title", in: "Home")?.stringValue ?? ""
                            }
                            // deadline: a missed publish is found after 60 s
                            let late = end.withLock { $0?.duration(to: .now) } ?? .zero
                            #expect(late < .seconds(50))
                        }
                    }
                }
                tasks.addTask {
                    for number in 1...last {
                        var template = JSONNode.sample
                        template.setTitle(of: nil, to: "\(number)")
                        template.setTitle(of: "third", to: "\(number)")
                        template.setTitle(of: "tokyo", to: "\(number)")
                        try await server.publish(template)
                    }
                    end.withLock { $0 = .now }
                }
                try await tasks.waitForAll()
            }
        }
    }
}
