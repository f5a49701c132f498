import ClientAPI
import Foundation
import InMemoryTemplateStore
import JSONTree
import NIOCore
import OrderedCollections
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer
@testable import HTTPServing

/// Streams of a user's changes (PROTOCOL 2).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct EventStreamTests {
    @Test func aStreamBeginsWithHello() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await EventStreamClient.open(
                port: server.port, "/activeconfig/user/1/events"
            ) { stream in
                #expect(stream.head.hasPrefix("HTTP/1.1 200 OK\r\n"))
                #expect(stream.head.contains("Content-Type: text/event-stream\r\n"))
                #expect(stream.head.contains("Cache-Control: no-store\r\n"))
                let hello = try await stream.next()
                #expect(hello.name == "hello")
                #expect(hello.id == "1")
                #expect(hello.retry != nil)
                #expect(hello.data == ["template_version": 1])
            }
        }
    }

    @Test func theServerNotifiesOnlyClientsWhoseDocumentChanges() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await server.stream(ofUser: "1") { first in
                try await server.stream(ofUser: "3") { third in
                    var changed = JSONNode.sample
                    changed.setTitle(of: "third", to: "New for ${user.id}")
                    try await server.publish(changed)
                    let update = try await third.next()
                    #expect(update.name == "update")
                    #expect(update.id == "2")
                    #expect(update.data?["template_version"] == 2)
                    let sections = try #require(update.data?["sections"]?.objectValue)
                    #expect(Array(sections.keys) == ["Home"])
                    #expect(sections["Home"]?["settings"]?["title"]?["value"] == "New for 3")
                    #expect(sections["Home"]?["settings"]?["size"]?["value"] == .number("1.0"))

                    // If the first user had received version 2, that event would come first.
                    changed.setTitle(of: nil, to: "All")
                    try await server.publish(changed)
                    #expect(try await first.next().id == "3")
                }
            }
        }
    }

    @Test func anUpdateContainsExactlyTheChangesOfTheDocument() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let target = "/activeconfig/user/3"
            var document = try await server.document(target)
            try await server.stream(ofUser: "3") { stream in
                var changed = JSONNode.sample
                changed.setTitle(of: "third", to: "\"é\n\u{2028}</script> ${user.id}")
                changed.removeMember("parameters")
                for template in [changed, .sample, changed] {
                    try await server.publish(template)
                    document.apply(try #require(try await stream.next().data))
                    let answer = try await server.answer(target)
                    #expect(try answer.json == document)
                }
                let last = try await server.answer(target)
                try await server.publish(.sample)
                let update = try await stream.next()
                let next = try await server.answer(target)
                #expect(update.data?["etag"]?.stringValue == next.fields["etag"])
                #expect(next.fields["etag"] != last.fields["etag"])
            }
        }
    }

    @Test func anUpdateNamesASectionThatIsGone() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await server.stream(ofUser: nil) { stream in
                var changed = JSONNode.sample
                changed.removeMember("parameterGroups")
                try await server.publish(changed)
                #expect(try await stream.next().data?["sections"] == ["Home": .null])
            }
        }
    }

    @Test func aUserWhoseIDIsTooLongForTheDocumentGetsAReset() async throws {
        let shown = String(repeating: "${user.id}", count: 1_000)
        let user = String(repeating: "u", count: 5_000)
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await server.stream(ofUser: user) { stream in
                var changed = JSONNode.sample
                changed.setTitle(of: nil, to: shown)
                try await server.publish(changed)
                #expect(try await stream.next().name == "reset")
            }
            try await server.stream(ofUser: user, fields: ["Last-Event-ID: 1"]) { stream in
                let event = try await stream.next()
                #expect(event.name == "reset")
            }
            let document = try await server.answer("/activeconfig/user/\(user)")
            #expect(document.status == 400)
        }
    }

    @Test func aStreamIsEvaluatedWithTheClientsSignals() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let target = "/activeconfig/user/1/events?signal.city="
            try await EventStreamClient.open(port: server.port, target + "Tokyo") { tokyo in
                try await EventStreamClient.open(port: server.port, target + "Rome") { rome in
                    _ = (try await tokyo.next(), try await rome.next())
                    var changed = JSONNode.sample
                    changed.setTitle(of: "tokyo", to: "Hai")
                    try await server.publish(changed)
                    #expect(try await tokyo.next().id == "2")
                    try await server.publish(["parameters": ["a": ["defaultValue": ["value": "b"]]]]
                    )
                    #expect(try await rome.next().id == "3")
                }
            }
        }
    }

    @Test func aStreamTellsOfPinnedValuesAndOfTheirRemoval() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await server.stream(ofUser: "a/b") { stream in
                let path = "/v1/projects/default/users/a%2Fb/overrides"
                try await server.administer("PUT", path, body: ["Home": ["title": "Pinned"]])
                let pinned = try await stream.next()
                #expect(pinned.id == "1")
                let settings = pinned.data?["sections"]?["Home"]?["settings"]
                #expect(settings?["title"]?["value"] == "Pinned")
                #expect(settings?["size"]?["value"] == .number("1.0"))
                try await server.administer("DELETE", path)
                let loose = try await stream.next().data?["sections"]?["Home"]?["settings"]
                #expect(loose?["title"]?["value"] == "Hello a/b")
            }
        }
    }

    @Test func aStreamTellsOfAConditionThatBecomesTrueWithTime() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.streamBeforeADate { stream in
                let update = try await stream.next()
                #expect(update.name == "update")
                #expect(
                    update.data?["sections"]
                        == ["Default": ["settings": ["isNew": ["value": true]]]])
            }
        }
    }

    @Test func aStreamIsKeptAliveByComments() async throws {
        var options = ConfigServerOptions()
        // deadline: the comments arrive, however late
        options.clientLimits.heartbeatInterval = .milliseconds(150)
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await server.publish(.sample)
            try await server.stream(ofUser: "1") { stream in
                for _ in 0..<3 {
                    let event = try await stream.nextOrComment()
                    #expect(event.comment == "")
                }
            }
        }
    }

    @Test func theServerForgetsAClientThatLeft() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await server.stream(ofUser: "1") { _ in
                #expect(try await server.connections() == ["connections": 1, "versions": ["1": 1]])
                try await server.stream(ofUser: nil) { _ in
                    let counts = try await server.connections()
                    #expect(counts["connections"] == 2)
                }
            }
            try await server.waitForConnections(0)
            #expect(try await server.connections() == ["connections": 0, "versions": [:]])
        }
    }

    @Test func theServerCountsTheClientsThatHaveTheNewestVersion() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await server.stream(ofUser: "1") { _ in
                try await server.stream(ofUser: "3") { third in
                    var changed = JSONNode.sample
                    changed.setTitle(of: "third", to: "New")
                    try await server.publish(changed)
                    _ = try await third.next()
                    // Clients whose document did not change count under the newest version, too.
                    try await waitUntil { try await server.connections()["versions"] == ["2": 2] }
                }
            }
        }
    }

    @Test func theServerTellsClientsWhenToReconnectAsItEnds() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await server.stream(ofUser: "1") { stream in
                await server.shutDown()
                let goodbye = try await stream.next()
                #expect(goodbye.name == "retry")
                let delay = try #require(goodbye.data?["after_ms"]?.integerValue)
                #expect((0..<1_000).contains(delay))
                #expect(goodbye.retry == delay)
                #expect(try await stream.receiveEnd().isEmpty)
            }
        }
    }

    @Test func aRequestThatOpensNoStreamGetsAnOrdinaryAnswer() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            #expect(try await server.answer("/activeconfig/events").status == 404)
            try await server.publish(.sample)
            let tooLong = String(repeating: "x", count: 501)
            let rows: [(method: String, target: String, status: Int)] = [
                ("HEAD", "/activeconfig/events", 200), ("PUT", "/activeconfig/events", 405),
                ("POST", "/activeconfig/user/1/events", 405),
                ("GET", "/projects/no/activeconfig/events", 404),
                ("GET", "/activeconfig/events?signal.a=\(tooLong)", 400),
                ("GET", "/activeconfig/user/1/events/", 404),
            ]
            for row in rows {
                let status = try await server.answer(row.target, method: row.method).status
                #expect(status == row.status, "\(row)")
            }
        }
    }

    @Test func eachEventIsOneChunk() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(target: "/activeconfig/user/1/events")
                let head = try await connection.receive(through: "\r\n\r\n")
                #expect(head.contains("\r\ntransfer-encoding: chunked\r\n"))
                #expect(head.lowercased().components(separatedBy: "\r\ndate: ").count == 2)
                #expect(!head.lowercased().contains("content-length"))
                for name in ["hello", "update"] {
                    // Swift treats CR LF as one character.
                    let size = try await connection.receive(through: "\r\n").dropLast()
                    let event = try await connection.receive(through: "\r\n").dropLast()
                    #expect(Int(size, radix: 16) == event.utf8.count)
                    #expect(event.hasPrefix("event: \(name)\n") && event.hasSuffix("\n\n"))
                    try await server.publish(["parameters": [:]])
                }
            }
        }
    }

    @Test func aClientOfHTTP10GetsTheEventsAlone() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send("GET /activeconfig/user/1/events HTTP/1.0\r\nHost: a\r\n\r\n")
                let head = try await connection.receive(through: "\r\n\r\n")
                #expect(!head.lowercased().contains("transfer-encoding"))
                #expect(try await connection.receive(through: "\n\n").hasPrefix("event: hello\n"))
                try await server.publish(["parameters": [:]])
                #expect(try await connection.receive(through: "\n\n").hasPrefix("event: update\n"))
            }
        }
    }

    @Test func aStreamMayFollowOtherRequestsOnItsConnection() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await HTTPConnection.open(port: server.port) { connection in
                // The first request needs a task; the second does not.
                for target in ["/health/ready", "/activeconfig/user/1"] {
                    connection.send(target: target)
                    #expect(try await connection.receive().status == 200)
                }
                connection.send(target: "/activeconfig/user/1/events")
                let head = try await connection.receive(through: "\n\n")
                #expect(head.contains("event: hello\nid: 1\n"))
                connection.send("whatever else comes is not read")
                try await server.publish(["parameters": [:]])
                #expect(try await connection.receive(through: "\n\n").contains("id: 2\n"))
            }
        }
    }

    @Test func aStreamReceivesPublishesThroughAnotherServer() async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { one in
            try await RunningServer.with(store: store) { other in
                try await other.publish(.sample)
                try await waitUntil { try await one.answer("/activeconfig").status == 200 }
                try await one.stream(ofUser: "3") { stream in
                    var changed = JSONNode.sample
                    changed.setTitle(of: "third", to: "New")
                    try await other.publish(changed)
                    #expect(try await stream.next().id == "2")
                }
            }
        }
    }

    @Test func anOpenFeatureStreamTellsTheProviderToEvaluateAgain() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await EventStreamClient.open(
                port: server.port, "/projects/default/ofrep/v1/evaluate/events?targetingKey=3"
            ) { stream in
                #expect(try await stream.next().name == "hello")
                var changed = JSONNode.sample
                changed.setTitle(of: "third", to: "New")
                try await server.publish(changed)
                let message = try await stream.next()
                #expect(message.name == "message")
                #expect(message.id == "2")
                #expect(message.data?["type"] == "refetchEvaluation")
                #expect(message.data?["lastModified"]?.integerValue != nil)
            }
        }
    }
}
