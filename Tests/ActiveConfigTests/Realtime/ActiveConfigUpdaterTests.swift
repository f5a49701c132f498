import ActiveConfig
import ActiveConfigRealtime
import ActiveConfigTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ActiveConfigUpdaterTests {
    @Test func theDocumentIsFetchedBeforeTheStreamIsOpened() async throws {
        let fixture = UpdaterFixture.make()
        try await fixture.run {
            try await fixture.backend.waitForStreams(1)
            #expect(
                fixture.backend.requests.map(\.kind) == [
                    .document(entityTag: nil, wait: nil), .events(lastEventID: "1"),
                ])
            try await fixture.waitUntilLive()
            #expect(fixture.title() == "Hello")
        }
        #expect(fixture.updater.state(ofUserID: "1") == .stopped)
        #expect(fixture.backend.streamCount == 0)
    }

    @Test func aPushedChangeIsAppliedWithoutARequest() async throws {
        let fixture = UpdaterFixture.make()
        try await fixture.run {
            try await fixture.waitUntilLive()
            var updates = fixture.updater.updates.makeAsyncIterator()
            fixture.backend.publish(.titled("New"))
            try await fixture.waitForTitle("New")
            #expect(fixture.documentRequests.count == 1)
            #expect(fixture.config.currentConfiguration.entityTag == "\"v2\"")
            var applied: AppliedUpdate?
            while applied == nil {
                if case .applied(let update)? = await updates.next() { applied = update }
            }
            #expect(
                applied
                    == AppliedUpdate(
                        userID: "1", templateVersion: 2, changedSectionNames: ["Home"]))
        }
    }

    @Test func aSectionThatIsGoneIsRemoved() async throws {
        let fixture = UpdaterFixture.make(
            ScriptedBackend(sections: ["Home": ["title": "a"], "Other": ["key": 1]]))
        try await fixture.run {
            try await fixture.waitUntilLive()
            fixture.backend.publish(.titled("b"))
            try await fixture.waitForTitle("b")
            #expect(fixture.config["Other"] == nil)
        }
    }

    @Test func aPushedChangeIsVerifiedWithItsTag() async throws {
        let fixture = UpdaterFixture.make()
        try await fixture.run {
            try await fixture.waitUntilLive()
            fixture.backend.publish(.titled("New"))
            try await fixture.waitForTitle("New")
            try await fixture.advance { fixture.documentRequests.count == 2 }
            let request = try #require(fixture.documentRequests.last)
            #expect(request.kind == .document(entityTag: "\"v2\"", wait: nil))
            #expect((Duration.seconds(30)...Duration.seconds(121)).contains(request.time))
        }
    }

    @Test func aChangeThatDoesNotFollowIsFetched() async throws {
        let fixture = UpdaterFixture.make()
        // Two changes of different sections; the first one is lost.
        fixture.backend.setNetwork { message in
            String(decoding: message.bytes, as: UTF8.self).contains("id: 2\n")
                ? [] : [.intact(message)]
        }
        try await fixture.run {
            try await fixture.waitUntilLive()
            // A download made by the app, which does not affect the stream.
            fixture.backend.publish(["Home": ["title": "2"], "Other": ["key": 2]])
            let result = try await fixture.config.download(from: fixture.backend, of: "1")
            #expect(result)
            fixture.backend.publish(["Home": ["title": "3"], "Other": ["key": 2]])
            try await fixture.advance { fixture.title() == "3" }
            #expect(fixture.config["Other"]?.integer(forKey: "key") == 2)
        }
    }

    @Test func anOlderOrRepeatedChangeIsSkipped() async throws {
        let fixture = UpdaterFixture.make()
        fixture.backend.setNetwork { [.intact($0), .intact($0)] }
        let listener = RecordingListener()
        fixture.config.registerListener(listener, forSectionName: "Home")
        try await fixture.run {
            try await fixture.waitUntilLive()
            for title in ["2", "3", "4"] { fixture.backend.publish(.titled(title)) }
            try await fixture.waitForTitle("4")
            fixture.backend.send(
                "event: update\nid: 2\ndata: {\"template_version\":2,\"etag\":\"\\\"v2\\\"\","
                    + "\"sections\":{\"Home\":null},\"meta\":{}}\n\n")
            fixture.backend.publish(.titled("5"))
            try await fixture.waitForTitle("5")
            // The lower version is looked up once, although it came twice.
            #expect(fixture.documentRequests.count == 2)
        }
        fixture.queue.sync {}
        let titles = listener.deliveries.map { $0.section?.string(forKey: "title") }
        #expect(titles == ["Hello", "2", "3", "4", "5"])
    }

    @Test func aResetIsADownload() async throws {
        let fixture = UpdaterFixture.make()
        try await fixture.run {
            try await fixture.waitUntilLive()
            fixture.backend.setNetwork { message in
                message.bytes.starts(with: "event: update".utf8) ? [] : [.intact(message)]
            }
            fixture.backend.publish(.titled("New"))
            fixture.backend.send("event: reset\nid: 2\ndata: {\"template_version\": 2}\n\n")
            try await fixture.advance { fixture.title() == "New" }
            #expect(fixture.documentRequests.count == 2)
            #expect(fixture.backend.streamCount == 1)
        }
    }

    @Test func theServersTimeToComeBackIsKept() async throws {
        let fixture = UpdaterFixture.make()
        try await fixture.run {
            try await fixture.waitUntilLive()
            fixture.backend.send("event: retry\ndata: {\"after_ms\": 20000}\n\n")
            try await fixture.waitForState { $0.isWaiting }
            let start = fixture.clock.now.offset
            try await fixture.advance { fixture.documentRequests.count == 2 }
            let waited = fixture.clock.now.offset - start
            #expect((Duration.seconds(20)...Duration.seconds(23)).contains(waited), "\(waited)")
            try await fixture.backend.waitForStreams(1)
        }
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func aStreamThatIsCutAtAnyByteLosesNothing() async throws {
        let probe = ScriptedBackend()
        let length = Locked(0)
        probe.setNetwork { message in
            length.withLock { $0 = max($0, message.bytes.count) }
            return [.intact(message)]
        }
        let first = UpdaterFixture.make(probe)
        try await first.run {
            try await first.waitUntilLive()
            probe.publish(.titled("é"))
            try await first.waitForTitle("é")
        }
        let count = length.withLock { $0 }
        #expect(count > 100)
        for cut in Rounds.sample(0...count, oneIn: 8) {
            let fixture = UpdaterFixture.make(seed: UInt64(cut))
            let isCut = Locked(false)
            fixture.backend.setNetwork { message in
                let isUpdate = message.bytes.starts(with: "event: update".utf8)
                let cuts =
                    isUpdate
                    && isCut.withLock { isCut in
                        defer { isCut = true }
                        return !isCut
                    }
                return [cuts ? .cut(message, after: cut) : .intact(message)]
            }
            try await fixture.run {
                try await fixture.waitUntilLive()
                fixture.backend.publish(.titled("é"))
                try await fixture.advance { fixture.title() == "é" }
                #expect(fixture.title() == "é", "\(cut)")
            }
        }
    }

    @Test(arguments: [
        "event: update\ndata: {}\n\n", "event: update\ndata: \u{FFFD}\n\n",
        "event: update\ndata: {\"template_version\":9,\"etag\":3,\"sections\":{},\"meta\":{}}\n\n",
    ])
    func wrongBytesEndTheStreamAndNotTheUpdater(text: String) async throws {
        let fixture = UpdaterFixture.make()
        try await fixture.run {
            try await fixture.waitUntilLive()
            fixture.backend.send(text)
            try await fixture.waitForState { $0.isWaiting }
            #expect(fixture.title() == "Hello")
            fixture.backend.publish(.titled("New"))
            try await fixture.advance { fixture.title() == "New" }
        }
    }

    @Test func eightHoursOfSleepAreOneRequest() async throws {
        let fixture = UpdaterFixture.make()
        try await fixture.run {
            try await fixture.waitUntilLive()
            try await fixture.settle()
            fixture.clock.advance(by: .seconds(8 * 60 * 60))
            try await fixture.waitForState { $0.isWaiting }
            try await fixture.advance { fixture.documentRequests.count == 2 }
            try await fixture.backend.waitForStreams(1)
            try await fixture.settle()
            #expect(fixture.documentRequests.count == 2)
        }
    }

    @Test func eightHoursOfSleepAreOneRequestWhilePolling() async throws {
        let fixture = UpdaterFixture.make()
        fixture.backend.setService {
            $0.streams = .none
            $0.hasLongPolls = false
        }
        try await fixture.run {
            try await fixture.advance { fixture.updater.state(ofUserID: "1").isPolling }
            try await fixture.settle()
            let count = fixture.documentRequests.count
            fixture.clock.advance(by: .seconds(8 * 60 * 60))
            try await fixture.backend.waitForRequests(fixture.backend.requests.count + 1)
            try await fixture.settle()
            // Streams and long polls are tried again, on the connection of that one request.
            #expect(fixture.documentRequests.count <= count + 2)
        }
    }

    @Test func theBackgroundEndsTheStreamAndTheForegroundCatchesUp() async throws {
        let fixture = UpdaterFixture.make()
        try await fixture.run {
            try await fixture.waitUntilLive()
            fixture.activity.yield(.inactive)
            try await fixture.backend.waitForStreams(0)
            try await fixture.waitForState { $0 == .paused }
            fixture.backend.publish(.titled("Meanwhile"))
            fixture.activity.yield(.active)
            try await fixture.advance(by: .milliseconds(100)) { fixture.title() == "Meanwhile" }
            #expect(fixture.documentRequests.count == 2)
        }
    }

    @Test func noNetworkIsAStateAndItsReturnConnects() async throws {
        let fixture = UpdaterFixture.make()
        try await fixture.run {
            try await fixture.waitUntilLive()
            fixture.activity.yield(.networkLost)
            try await fixture.waitForState { $0 == .waiting(until: nil, reason: .offline) }
            try await fixture.backend.waitForStreams(0)
            fixture.activity.yield(.networkReturned)
            try await fixture.advance(by: .milliseconds(100)) { fixture.backend.streamCount == 1 }
            #expect(fixture.documentRequests.count == 2)
        }
    }

    @Test func stoppingAndStartingAgainGoesOn() async throws {
        let fixture = UpdaterFixture.make()
        for round in 1...20 {
            fixture.updater.start()
            fixture.updater.start()
            try await fixture.backend.waitForStreams(1)
            fixture.updater.stop()
            #expect(round > 0)
        }
        try await fixture.backend.waitForStreams(0)
    }

    @Test func aRunAfterAStopWaitsForItsEnd() async throws {
        let fixture = UpdaterFixture.make()
        for _ in 1...20 {
            fixture.updater.start()
            try await fixture.backend.waitForStreams(1)
            fixture.updater.stop()
            try await fixture.run { try await fixture.waitUntilLive() }
        }
    }

    @Test func givenUsersAreKeptFreshForTheStore() async throws {
        let users: [String?] = ["a", "b", nil]
        let backend = ScriptedBackend { ["Home": ["title": .string($0 ?? "nobody")]] }
        let fixture = UpdaterFixture.make(backend, users: .fixed(users))
        try await fixture.run {
            try await fixture.advance(by: .milliseconds(5)) { backend.streamCount == 3 }
            try await fixture.settle()
            backend.publish { ["Home": ["title": .string(($0 ?? "nobody") + "!")]] }
            let store = try #require(fixture.config.configStore)
            for user in users {
                try await fixture.advance(by: .milliseconds(5)) {
                    store.ownConfiguration(forUserID: user)?["Home"]?.string(forKey: "title")
                        == (user ?? "nobody") + "!"
                }
            }
        }
    }
}

extension ActiveConfig {
    /// Stores and brings in force what a backend has now, as a download of the app's.
    fileprivate func download(from backend: ScriptedBackend, of userID: String?) async throws
        -> Bool
    {
        try configStore?.persistConfiguration(
            backend.document(ofUserID: userID), forUserID: userID)
        return true
    }
}
