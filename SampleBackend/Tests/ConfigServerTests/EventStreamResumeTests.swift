import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Templates
import Testing

@testable import ConfigServer

/// Clients that reconnect with `Last-Event-ID` (PROTOCOL 2).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct EventStreamResumeTests {
    @Test func aResumedStreamImmediatelySendsTheMissedChanges() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let target = "/activeconfig/user/3"
            var document = try await server.document(target)
            var changed = JSONNode.sample
            changed.setTitle(of: "third", to: "Second")
            try await server.publish(changed)
            changed.removeMember("parameters")
            try await server.publish(changed)
            try await server.stream(ofUser: "3", fields: ["Last-Event-ID: 1"]) { stream in
                let update = try await stream.next()
                #expect(update.name == "update")
                #expect(update.id == "3")
                document.apply(try #require(update.data))
                #expect(try await server.document(target) == document)
                #expect(update.data?["sections"]?["Default"] == .null)
            }
        }
    }

    @Test func aResumedStreamTellsNothingWhenNothingWasMissed() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            var changed = JSONNode.sample
            changed.setTitle(of: "third", to: "Second")
            try await server.publish(changed)
            for (user, version) in [("1", 1), ("1", 2), ("3", 2)] {
                let fields = ["Last-Event-ID: \(version)"]
                try await server.stream(ofUser: user, fields: fields) { stream in
                    try await server.publish(changed)
                    changed.setTitle(of: nil, to: UUID().uuidString)
                    changed.setTitle(of: "third", to: UUID().uuidString)
                    let answer = try await server.publish(changed)
                    let current = try answer.json["version"]?["versionNumber"]?.stringValue
                    #expect(try await stream.next().id == current)
                    changed = .sample
                    changed.setTitle(of: "third", to: "Second")
                    try await server.publish(changed)
                }
            }
        }
    }

    /// As after a restart of a store in memory, which makes the same number again.
    @Test func aClientWithOtherContentUnderTheVersionIsReset() async throws {
        let target = "/activeconfig/user/3"
        let old = try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            return try #require(try await server.answer(target).fields["etag"])
        }
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            var other = JSONNode.sample
            other.setTitle(of: "third", to: "Other")
            try await server.publish(other)
            let tag = try #require(try await server.answer(target).fields["etag"])
            #expect(tag != old)
            let version = "Last-Event-ID: 1"
            try await server.stream(ofUser: "3", fields: [version, "If-None-Match: \(old)"]) {
                let reset = try await $0.next()
                #expect(reset.name == "reset")
                #expect(reset.id == "1")
            }
            try await server.stream(ofUser: "3", fields: [version, "If-None-Match: \(tag)"]) {
                try await server.publish(.sample)
                let update = try await $0.next()
                #expect(update.name == "update")
                #expect(update.id == "2")
            }
        }
    }

    /// A publish while the server determines the changes since the client's version is part of them.
    ///
    /// It must not be sent earlier, since it would not apply to the client's document.
    @Test func aPublishDuringTheResumeIsPartOfIt() async throws {
        // Compiling this template takes longer than a publish.
        let parameters = (0..<2_900).map {
            "\"p\($0)\": {\"defaultValue\": {\"value\": \"v\"}, \"valueType\": \"STRING\"}"
        }.joined(separator: ",")
        var first = try JSONNode(
            jsonData: Data(
                "{\"parameterGroups\": {\"Bulk\": {\"parameters\": {\(parameters)}}}}".utf8))
        first.setMember("parameters", ["a": ["defaultValue": ["value": "1"]]])
        var second = first
        second.setMember("parameterGroups", [:])
        second.setMember("parameters", ["a": ["defaultValue": ["value": "2"]]])
        var third = second
        third.setMember(
            "parameterGroups",
            ["Extra": ["parameters": ["b": ["defaultValue": ["value": "3"]]]]])
        for _ in 0..<3 {
            try await RunningServer.with(store: InMemoryTemplateStore()) {
                [first, second, third] server in
                try await server.publish(first)
                let target = "/activeconfig/user/1"
                var document = try await server.document(target)
                try await server.publish(second)
                try await server.stream(ofUser: "1", fields: ["Last-Event-ID: 1"]) { stream in
                    try await server.publish(third)
                    // The changes may arrive in one event or in several.
                    repeat {
                        let update = try await stream.next()
                        #expect(update.name == "update")
                        document.apply(try #require(update.data))
                        #expect(document["config_sections"]?["Bulk"] == nil)
                    } while document["meta"]?["template_version"] != 3
                    #expect(try await server.document(target) == document)
                }
            }
        }
    }

    @Test func theEventsOfAStreamAreNumbered() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            var changed = JSONNode.sample
            try await server.stream(ofUser: "1") { stream in
                for number in 1...3 {
                    changed.setTitle(of: nil, to: "Title \(number)")
                    try await server.publish(changed)
                    #expect(try await stream.next().data?["event_number"] == .number("\(number)"))
                }
                // Changes of pinned values keep the version.
                for number in 4...5 {
                    try await server.administer(
                        "PUT", "/v1/projects/default/users/1/overrides",
                        body: ["Home": ["title": .string("Pin \(number)")]])
                    let update = try await stream.next()
                    #expect(update.id == "4")
                    #expect(update.data?["event_number"] == .number("\(number)"))
                }
            }
            try await server.stream(ofUser: "2", fields: ["Last-Event-ID: 1"]) { stream in
                #expect(try await stream.next().data?["event_number"] == 1)
                changed.setTitle(of: nil, to: "Last")
                try await server.publish(changed)
                #expect(try await stream.next().data?["event_number"] == 2)
            }
        }
    }

    @Test(arguments: ["8", "0", "-1", "", "abc", "99999999999999999999"])
    func aStreamResumedFromAnUnknownVersionIsReset(lastEventID: String) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let fields = ["Last-Event-ID: \(lastEventID)"]
            try await server.stream(ofUser: "1", fields: fields) { stream in
                let reset = try await stream.next()
                #expect(reset.name == "reset")
                #expect(reset.id == "1")
                #expect(reset.data == ["template_version": 1])
            }
        }
    }

    @Test func aStreamResumedFromAVersionNoLongerKeptIsReset() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(["parameters": [:]])
            for _ in 1..<TemplateStoreLimits.keptVersions { try await server.publish(.sample) }
            try await server.publish(["parameters": [:]])
            for (version, name) in [(1, "reset"), (2, "update")] {
                let fields = ["Last-Event-ID: \(version)"]
                try await server.stream(ofUser: "1", fields: fields) { stream in
                    let event = try await stream.next()
                    #expect(event.name == name)
                    #expect(event.id == "\(TemplateStoreLimits.keptVersions + 1)")
                    // The document may still be that of the client's version.
                    if name == "reset" { #expect(event.data == ["template_version": 1]) }
                }
            }
        }
    }

    @Test func aResumedStreamTellsOfValuesPinnedAndRemovedMeanwhile() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let path = "/v1/projects/default/users/1/overrides"
            try await server.administer("PUT", path, body: ["Home": ["title": "Pinned"]])
            try await server.stream(ofUser: "1", fields: ["Last-Event-ID: 1"]) { stream in
                let settings = try await stream.next().data?["sections"]?["Home"]?["settings"]
                #expect(settings?["title"]?["value"] == "Pinned")
            }
            try await server.administer("DELETE", path)
            try await server.stream(ofUser: "1", fields: ["Last-Event-ID: 1"]) { stream in
                let settings = try await stream.next().data?["sections"]?["Home"]?["settings"]
                #expect(settings?["title"]?["value"] == "Hello 1")
            }
        }
    }

    @Test func aResumedStreamIsResetWhenValuesWerePinnedOrRemovedWhileTheServerWasDown()
        async throws
    {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { server in
            try await server.publish(.sample)
            try await server.administer(
                "PUT", "/v1/projects/default/users/1/overrides", body: ["Home": ["title": "Pinned"]]
            )
        }
        try await store.setOverrides(
            OverridesChange(
                project: "default", userID: "1", content: nil, date: Date(), actor: "test"))
        try await RunningServer.with(store: store) { server in
            try await server.stream(ofUser: "1", fields: ["Last-Event-ID: 1"]) { stream in
                let event = try await stream.next()
                #expect(event.name == "reset")
            }
            // Nothing changed for other users.
            try await server.stream(ofUser: "2", fields: ["Last-Event-ID: 1"]) { stream in
                try await server.publish(["parameters": [:]])
                #expect(try await stream.next().name == "update")
            }
        }
    }

    @Test func aResumedStreamIsResetWhenAConditionDependsOnTheTime() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.streamBeforeADate { stream in
                let version = try #require(try await stream.next().id)
                let fields = ["Last-Event-ID: \(version)"]
                try await server.stream(ofUser: "1", fields: fields) { again in
                    let event = try await again.next()
                    #expect(event.name == "reset")
                }
            }
        }
    }

    /// The version was published by a server whose clock is an hour ahead.
    @Test func aResumedStreamIsResetByATimeBeforeThatOfItsVersion() async throws {
        let store = InMemoryTemplateStore()
        let text = Date(timeIntervalSinceNow: -60).formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: false))
        var template = JSONNode.sample
        template.setMember(
            "conditions",
            [
                ["name": "third", "expression": .string("dateTime >= dateTime('\(text)')")],
                ["name": "tokyo", "expression": "false"],
            ])
        _ = try await store.publish(
            TemplateSubmission(
                project: "default", content: template.jsonData(), expectation: .any,
                date: Date(timeIntervalSinceNow: 3_500), user: .init(name: "test")))
        try await RunningServer.with(store: store) { server in
            try await server.stream(ofUser: "1", fields: ["Last-Event-ID: 1"]) { stream in
                try await server.publish(["parameters": [:]])
                #expect(try await stream.next().name == "reset")
            }
        }
    }

    @Test func aResumedOpenFeatureStreamMakesTheProviderEvaluateAgain() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await server.publish(["parameters": [:]])
            for version in ["1", "7"] {
                try await EventStreamClient.open(
                    port: server.port, "/ofrep/v1/evaluate/events?targetingKey=1",
                    fields: ["Last-Event-ID: \(version)"]
                ) { stream in
                    let events = [try await stream.next(), try await stream.next()]
                    #expect(events.map(\.name) == ["hello", "message"])
                }
            }
        }
    }

    /// Enough streams that several share a thread, which determines equal changes only once.
    private static let users = (1...8).map { "user \($0)" }

    @Test func eachUserReceivesTheirOwnValues() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            var changed = JSONNode.sample
            changed.setTitle(of: nil, to: "Bye ${user.id}")
            try await server.publish(changed)
            for user in Self.users {
                let encoded = user.replacing(" ", with: "%20")
                let fields = ["Last-Event-ID: 1"]
                try await server.stream(ofUser: encoded, fields: fields) { stream in
                    let update = try await stream.next()
                    let settings = update.data?["sections"]?["Home"]?["settings"]
                    #expect(settings?["title"]?["value"] == .string("Bye \(user)"))
                }
            }
        }
    }

    @Test func eachProtocolHasItsOwnEvents() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(["parameters": ["a": ["defaultValue": ["value": "1"]]]])
            try await server.publish(["parameters": ["a": ["defaultValue": ["value": "2"]]]])
            for (path, name) in [
                ("/activeconfig", "update"), ("/ofrep/v1/evaluate", "message"),
                ("/activeconfig", "update"),
            ] {
                for _ in Self.users {
                    try await EventStreamClient.open(
                        port: server.port, path + "/events", fields: ["Last-Event-ID: 1"]
                    ) { stream in
                        let events = [try await stream.next(), try await stream.next()]
                        #expect(events.map(\.name) == ["hello", name])
                    }
                }
            }
        }
    }
}
