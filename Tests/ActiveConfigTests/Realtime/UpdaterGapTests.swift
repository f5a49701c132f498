import ActiveConfig
import ActiveConfigRealtime
import ActiveConfigTesting
import Foundation
import Testing

/// Events that are lost, repeated or reordered.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UpdaterGapTests {
    private static func sections(_ home: Int, _ other: Int) -> [String: ActiveConfigSection] {
        ["Home": ["n": .integer(home)], "Other": ["n": .integer(other)]]
    }

    /// Pairs of values that are active when a section changes.
    private final class Pairs: Sendable {
        private let seen = Locked<[[Int?]]>([])

        var all: [[Int?]] { seen.withLock { $0 } }

        func note(_ configuration: ConfigurationState) {
            let pair = ["Home", "Other"].map { configuration[$0]?.integer(forKey: "n") }
            seen.withLock { $0.append(pair) }
        }
    }

    private func listen(_ fixture: UpdaterFixture, _ pairs: Pairs) -> [ActiveConfigSubscription] {
        ["Home", "Other"].map { name in
            fixture.config.observe(sectionNamed: name) { [config = fixture.config] _ in
                pairs.note(config.currentConfiguration)
            }
        }
    }

    /// Version 2 changes one section and version 3 the other, so 3 without 2 would be a mix.
    @Test func aLostEventCausesADownloadAndNoMixIsShown() async throws {
        let fixture = UpdaterFixture.make(ScriptedBackend(sections: Self.sections(1, 1)))
        fixture.backend.setNetwork { message in
            String(decoding: message.bytes, as: UTF8.self).contains("id: 2\n")
                ? [] : [.intact(message)]
        }
        let pairs = Pairs()
        let tokens = listen(fixture, pairs)
        try await fixture.run {
            try await fixture.waitUntilLive()
            fixture.backend.publish(Self.sections(1, 2))
            fixture.backend.publish(Self.sections(3, 2))
            try await fixture.advance {
                fixture.config["Home"]?.integer(forKey: "n") == 3
            }
            #expect(fixture.config["Other"]?.integer(forKey: "n") == 2)
            #expect(fixture.documentRequests.count == 2)
            // The next change is again applied without a request.
            fixture.backend.publish(Self.sections(4, 2))
            try await fixture.advance {
                fixture.config["Home"]?.integer(forKey: "n") == 4
            }
            #expect(fixture.documentRequests.count == 2)
        }
        fixture.queue.sync {}
        #expect(!pairs.all.contains([3, 1]), "\(pairs.all)")
        for token in tokens { token.cancel() }
    }

    @Test func anEventThatArrivesTooEarlyCausesADownload() async throws {
        let fixture = UpdaterFixture.make(ScriptedBackend(sections: Self.sections(1, 1)))
        fixture.backend.setNetwork { message in
            let isEarly = String(decoding: message.bytes, as: UTF8.self).contains("id: 3\n")
            return [isEarly ? .early(message) : .intact(message)]
        }
        let pairs = Pairs()
        let tokens = listen(fixture, pairs)
        try await fixture.run {
            try await fixture.waitUntilLive()
            fixture.backend.publish(Self.sections(1, 2))
            fixture.backend.publish(Self.sections(3, 2))
            try await fixture.advance {
                fixture.config["Home"]?.integer(forKey: "n") == 3
            }
            #expect(fixture.config["Other"]?.integer(forKey: "n") == 2)
        }
        fixture.queue.sync {}
        #expect(!pairs.all.contains([3, 1]), "\(pairs.all)")
        for token in tokens { token.cancel() }
    }

    /// Pinned values change without changing the version.
    @Test func aRepeatedEventOfTheSameVersionIsSkipped() async throws {
        let fixture = UpdaterFixture.make()
        func event(_ number: Int, _ title: String) -> String {
            "event: update\nid: 1\ndata: {\"template_version\":1,\"event_number\":\(number),"
                + "\"etag\":\"\\\"pin \(title)\\\"\",\"sections\":{\"Home\":{\"settings\":"
                + "{\"title\":{\"value\":\"\(title)\"}}}},\"meta\":{\"template_version\":1}}\n\n"
        }
        try await fixture.run {
            try await fixture.waitUntilLive()
            fixture.backend.send(event(1, "a"))
            fixture.backend.send(event(2, "b"))
            fixture.backend.send(event(1, "a"))
            fixture.backend.send(event(2, "b"))
            fixture.backend.send(event(3, "c"))
            try await fixture.waitForTitle("c")
            #expect(fixture.documentRequests.count == 1)
        }
    }

    /// Changes in quick succession are verified by one request, not by one each.
    @Test func oneRequestVerifiesAllChangesBeforeIt() async throws {
        var options = ActiveConfigUpdater.Options()
        options.verification = .seconds(30) ... .seconds(30)
        // The backend sends no heartbeats.
        options.maximumSilence = .seconds(3_600)
        let fixture = UpdaterFixture.make(
            ScriptedBackend(sections: Self.sections(1, 1)), options: options)
        try await fixture.run {
            try await fixture.waitUntilLive()
            for value in 2...4 {
                fixture.backend.publish(Self.sections(value, 1))
                try await fixture.advance {
                    fixture.config["Home"]?.integer(forKey: "n") == value
                }
            }
            try await fixture.advance { fixture.documentRequests.count == 2 }
            let end = fixture.clock.now.advanced(by: .seconds(90))
            try await fixture.advance { fixture.clock.now >= end }
            #expect(fixture.documentRequests.count == 2)
            fixture.backend.publish(Self.sections(5, 1))
            try await fixture.advance { fixture.documentRequests.count == 3 }
        }
    }

    /// A resumed stream continues from its last event, not from the document that was downloaded
    /// since.
    @Test func aResumedStreamsChangeIsNotAppliedToAnotherDocument() async throws {
        var options = ActiveConfigUpdater.Options()
        options.verification = .seconds(1) ... .seconds(2)
        let fixture = UpdaterFixture.make(
            ScriptedBackend(sections: Self.sections(1, 1)), options: options)
        try await fixture.run {
            try await fixture.waitUntilLive()
            fixture.backend.publish(Self.sections(2, 1))
            try await fixture.advance(by: .milliseconds(50)) {
                fixture.config["Home"]?.integer(forKey: "n") == 2
            }
            // The verification downloads version 3, whose event is lost.
            fixture.backend.setNetwork { _ in [] }
            fixture.backend.publish(Self.sections(2, 9))
            try await fixture.advance(by: .milliseconds(50)) {
                fixture.config["Other"]?.integer(forKey: "n") == 9
            }
            fixture.backend.publish(Self.sections(4, 1))
            fixture.backend.setNetwork { [.intact($0)] }
            // The change from version 2 to 4, between which `Other` is the same.
            fixture.backend.send(
                "event: hello\nid: 4\ndata: {}\n\nevent: update\nid: 4\n"
                    + "data: {\"template_version\":4,\"event_number\":1,\"etag\":\"\\\"v4\\\"\","
                    + "\"sections\":{\"Home\":{\"settings\":{\"n\":{\"value\":4}}}},"
                    + "\"meta\":{\"template_version\":4}}\n\n")
            try await fixture.advance { fixture.config["Home"]?.integer(forKey: "n") == 4 }
            #expect(fixture.config["Other"]?.integer(forKey: "n") == 1)
        }
    }
}
