import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

struct ReconnectDelayTests {
    private static func delay(seed: UInt64 = 1, maximum: Duration = .seconds(60)) -> ReconnectDelay
    {
        ReconnectDelay(maximum: maximum, random: SeededGenerator(seed: seed))
    }

    @Test func waitsDoubleUpToTheMaximumHalfOfThemRandom() {
        var delay = Self.delay()
        for limit in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
            let wait = delay.next(afterOpen: .zero, asked: nil)
            #expect((Duration.seconds(limit) / 2 ... .seconds(limit)).contains(wait), "\(wait)")
        }
        for _ in 0..<1_000 {
            #expect(delay.next(afterOpen: .zero, asked: nil) <= .seconds(60))
        }
    }

    @Test(arguments: [(59, 4), (60, 1)])
    func onlyAMinuteOfConnectionStartsOver(seconds: Int, limit: Int) {
        var delay = Self.delay()
        for _ in 0..<2 { _ = delay.next(afterOpen: .zero, asked: nil) }
        let wait = delay.next(afterOpen: .seconds(seconds), asked: nil)
        #expect((Duration.seconds(limit) / 2 ... .seconds(limit)).contains(wait), "\(wait)")
    }

    @Test(arguments: [(0, 1.0), (500, 1), (4_000, 4), (1 << 62, 300), (-1, 1)])
    func aServersFirstWaitIsClamped(milliseconds: Int, seconds: Double) {
        var delay = Self.delay()
        delay.setBase(milliseconds: milliseconds)
        let wait = delay.next(afterOpen: .zero, asked: nil)
        let limit = Duration.seconds(seconds)  // deadline: a value, without a wait
        #expect((limit / 2...limit).contains(wait), "\(wait)")
    }

    @Test(
        arguments: [
            (.seconds(120), .seconds(120) ... .seconds(132)),
            (.zero, .milliseconds(500) ... .seconds(1)),
            (.seconds(-5), .milliseconds(500) ... .seconds(1)),
            (.seconds(1_000_000_000), .seconds(3_600) ... .seconds(3_960)),
        ] as [(Duration, ClosedRange<Duration>)])
    func whatAServerAsksForIsKeptAndClamped(asked: Duration, bounds: ClosedRange<Duration>) {
        var delay = Self.delay()
        let wait = delay.next(afterOpen: .zero, asked: asked)
        #expect(bounds.contains(wait), "\(wait)")
    }

    /// 10,000 clients that a server disconnected at the same moment.
    @Test(arguments: [nil, .seconds(20), .zero] as [Duration?])
    func tenThousandClientsSpread(asked: Duration?) {
        var waits: [Double] = []
        for seed in 0..<10_000 as Range<UInt64> {
            var delay = Self.delay(seed: seed)
            delay.setBase(milliseconds: 2_000)
            waits.append(delay.next(afterOpen: .seconds(600), asked: asked) / .milliseconds(10))
        }
        var counts: [Int: Int] = [:]
        for wait in waits { counts[Int(wait), default: 0] += 1 }
        // With an even distribution, each of the 100 to 200 windows of 10 ms has 50 to 100 of them.
        #expect(counts.values.max() ?? 0 < 170, "\(counts.values.max() ?? 0)")
        #expect(counts.count >= 95)
    }
}
