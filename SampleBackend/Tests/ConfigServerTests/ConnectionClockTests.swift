import NIOCore
import NIOEmbedded
import ServerTestSupport
import Testing

@testable import HTTPServing

struct ConnectionClockTests {
    /// A phase of a connection with a time limit.
    struct LimitedPhase: Sendable {
        let phase: ConnectionStateMachine.Phase
        /// Limits in which only the argument restricts this phase.
        let limits: @Sendable (_ limit: Duration) -> ServerLimits
    }

    /// Limits of an hour, except the changed ones.
    private static func limits(_ change: (inout ServerLimits) -> Void) -> ServerLimits {
        var limits = ServerLimits()
        limits.idleTime = .seconds(3_600)
        limits.bodyTime = .seconds(3_600)
        limits.lingerTime = .seconds(3_600)
        change(&limits)
        return limits
    }

    /// The phases with a limit.
    static let limitedPhases: [NamedRow<LimitedPhase>] = [
        NamedRow(
            "awaiting a request",
            LimitedPhase(phase: .awaitingRequest) { time in limits { $0.idleTime = time } }),
        NamedRow(
            "reading a body",
            LimitedPhase(phase: .readingBody) { time in limits { $0.bodyTime = time } }),
        NamedRow(
            "lingering",
            LimitedPhase(phase: .lingering) { time in limits { $0.lingerTime = time } }),
    ]

    /// The deadline that has expired in a phase.
    private func expiry(
        _ phase: ConnectionStateMachine.Phase, _ limits: ServerLimits,
        _ change: (inout ConnectionClock) -> Void = { _ in }
    ) -> ConnectionClock.Expiry? {
        var clock = ConnectionClock()
        let isNew = clock.enter(phase, limits: limits)
        #expect(isNew)
        change(&clock)
        return clock.expired()
    }

    @Test(arguments: limitedPhases)
    func aPhaseEndsAtItsOwnLimit(row: NamedRow<LimitedPhase>) {
        #expect(expiry(row.value.phase, row.value.limits(.zero)) == .phase)
        #expect(expiry(row.value.phase, row.value.limits(.seconds(3_600))) == nil)
    }

    @Test(arguments: limitedPhases)
    func aPhaseThatGoesOnKeepsItsDeadline(row: NamedRow<LimitedPhase>) {
        let found = expiry(row.value.phase, row.value.limits(.seconds(3_600))) { clock in
            let isNew = clock.enter(row.value.phase, limits: row.value.limits(.zero))
            #expect(!isNew)
        }
        #expect(found == nil)
    }

    @Test(arguments: [ConnectionStateMachine.Phase.answering, .sending])
    func aPhaseWithoutALimitGoesOn(phase: ConnectionStateMachine.Phase) {
        let limits = Self.limits { limits in
            limits.idleTime = .zero
            limits.bodyTime = .zero
            limits.lingerTime = .zero
        }
        #expect(expiry(phase, limits) == nil)
    }

    @Test(arguments: [
        ConnectionStateMachine.Phase.awaitingRequest, .readingBody, .answering, .sending,
        .lingering,
    ])
    func aConnectionEndsAtItsDeadlinesInAnyPhase(phase: ConnectionStateMachine.Phase) {
        let limits = Self.limits { _ in }
        #expect(expiry(phase, limits) { $0.unreadDeadline = .now() } == .connection)
        #expect(expiry(phase, limits) { $0.unreadDeadline = .now() + .hours(1) } == nil)
        #expect(expiry(phase, limits) { $0.shutdownDeadline = .now() } == .connection)
        #expect(expiry(phase, limits) { $0.shutdownDeadline = .now() + .hours(1) } == nil)
    }

    @Test func theTimerFiresAtTheEarliestDeadline() {
        let eventLoop = EmbeddedEventLoop()
        let start = NIODeadline.now()
        eventLoop.advanceTime(to: start)
        var clock = ConnectionClock()
        var count = 0
        clock.shutdownDeadline = start + .seconds(7)
        clock.schedule(on: eventLoop) { count += 1 }
        clock.unreadDeadline = start + .seconds(3)
        clock.schedule(on: eventLoop) { count += 1 }
        eventLoop.advanceTime(to: start + .milliseconds(2_999))
        #expect(count == 0)
        eventLoop.advanceTime(to: start + .seconds(3))
        #expect(count == 1)
        // The later timer was cancelled.
        eventLoop.advanceTime(to: start + .seconds(8))
        #expect(count == 1)
    }
}
