import ActiveConfig
import ActiveConfigRealtime
import ActiveConfigTesting
import Foundation
import Testing

/// Fallbacks where streams do not get through, and servers that send nothing usable.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UpdaterFallbackTests {
    @Test(arguments: [ScriptedBackend.Service.Streams.none, .heldBack])
    func longPollsTakeThePlaceOfStreams(streams: ScriptedBackend.Service.Streams) async throws {
        let fixture = UpdaterFixture.make()
        fixture.backend.setService { $0.streams = streams }
        try await fixture.run {
            try await fixture.advance { fixture.documentRequests.count >= 3 }
            #expect(fixture.clock.now.offset < .seconds(20))
            #expect(
                fixture.documentRequests.last?.kind
                    == .document(entityTag: "\"v1\"", wait: .seconds(25)))
            fixture.backend.publish(.titled("New"))
            try await fixture.waitForTitle("New")
            let count = fixture.documentRequests.count
            try await fixture.advance { fixture.documentRequests.count > count + 1 }
            #expect(
                fixture.documentRequests.last?.kind
                    == .document(entityTag: "\"v2\"", wait: .seconds(25)))
        }
    }

    @Test func streamsAreTriedAgainAfterHalfAnHour() async throws {
        let fixture = UpdaterFixture.make()
        fixture.backend.setService { $0.streams = .none }
        try await fixture.run {
            try await fixture.advance { fixture.documentRequests.count >= 3 }
            fixture.backend.setService { $0.streams = .open }
            try await fixture.advance(by: .seconds(20)) { fixture.backend.streamCount == 1 }
            #expect(fixture.clock.now.offset > .seconds(30 * 60))
        }
    }

    @Test(
        arguments: [
            (nil, 300), (.integer(60), 60), (.integer(1), 15), (.string("x"), 300),
            (.double(-1e21), 15), (.string("-1e300"), 15),
        ] as [(SettingValue?, Int)])
    func aServerWithoutEitherIsAskedAtAnInterval(meta: SettingValue?, seconds: Int) async throws {
        let fixture = UpdaterFixture.make()
        fixture.backend.setService {
            $0.streams = .none
            $0.hasLongPolls = false
        }
        if let meta { fixture.backend.setMeta(["poll_interval_seconds": meta]) }
        try await fixture.run {
            try await fixture.advance { fixture.updater.state(ofUserID: "1").isPolling }
            #expect(fixture.updater.state(ofUserID: "1") == .polling(every: .seconds(seconds)))
            let first = fixture.documentRequests.count
            // Steps of a hundredth of the interval that is measured.
            try await fixture.advance(by: .seconds(seconds) / 100) {
                fixture.documentRequests.count >= first + 3
            }
            let times = fixture.documentRequests.suffix(3).map(\.time)
            for (before, after) in zip(times, times.dropFirst()) {
                let share = (after - before) / .seconds(seconds)
                #expect((0.85...1.15).contains(share), "\(share)")
            }
        }
    }

    @Test func acceptingAndClosingIsBoundedPerMinute() async throws {
        let fixture = UpdaterFixture.make()
        fixture.backend.setService { $0.streams = .closedAtOnce }
        try await fixture.run {
            try await fixture.advance(by: .seconds(1)) {
                fixture.clock.now.offset >= .seconds(60)
            }
            #expect((4...8).contains(fixture.documentRequests.count))
            let count = fixture.documentRequests.count
            try await fixture.advance(by: .seconds(1)) {
                fixture.clock.now.offset >= .seconds(360)
            }
            #expect((5...11).contains(fixture.documentRequests.count - count))
        }
    }

    @Test(arguments: [400, 401, 403, 404, 410, 429, 500, 503])
    func noStatusStopsIt(status: Int) async throws {
        let fixture = UpdaterFixture.make()
        fixture.backend.setService { $0.refusal = status }
        try await fixture.run {
            try await fixture.advance(by: .seconds(2)) { fixture.documentRequests.count >= 10 }
            fixture.backend.setService { $0.refusal = nil }
            try await fixture.advance { fixture.backend.streamCount == 1 }
            #expect(fixture.title() == "Hello")
        }
    }

    @Test func retryAfterIsKept() async throws {
        let fixture = UpdaterFixture.make()
        fixture.backend.setService {
            $0.refusal = 429
            $0.retryAfter = .seconds(120)
        }
        try await fixture.run {
            try await fixture.advance(by: .seconds(1)) { fixture.documentRequests.count >= 3 }
            let times = fixture.documentRequests.map(\.time)
            for (before, after) in zip(times, times.dropFirst()) {
                #expect((Duration.seconds(120)...Duration.seconds(134)).contains(after - before))
            }
            guard case .waiting(_, let reason) = fixture.updater.state(ofUserID: "1") else {
                Issue.record("it does not wait")
                return
            }
            #expect(reason == .askedByServer)
            #expect((reason.error as? DownloadError)?.status == 429)
        }
    }

    @Test func anUnreachableServerIsAStateAndItsReturnIsNoticed() async throws {
        let fixture = UpdaterFixture.make()
        fixture.backend.setService { $0.isReachable = false }
        try await fixture.run {
            try await fixture.waitForState { $0.isWaiting }
            fixture.backend.setService { $0.isReachable = true }
            try await fixture.advance { fixture.backend.streamCount == 1 }
            try await fixture.waitUntilLive()
        }
    }

    @Test(arguments: [":\n\n", "d"])
    func aSilentStreamIsReplaced(heartbeat: String) async throws {
        let fixture = UpdaterFixture.make()
        try await fixture.run {
            try await fixture.waitUntilLive()
            // A stream with heartbeats stays open, and so does one on which an event arrives
            // slowly.
            for _ in 0..<10 {
                try await fixture.settle()
                fixture.clock.advance(by: .seconds(15))
                fixture.backend.send(heartbeat)
                try await fixture.settle()
            }
            #expect(fixture.documentRequests.count == 1)
            try await fixture.advance { fixture.documentRequests.count == 2 }
            #expect(fixture.clock.now.offset >= .seconds(195))
        }
    }
}
