import NIOCore
import Testing

@testable import ClientAPI
@testable import ConfigServer

/// Allowance for rendering earlier versions for reconnecting clients.
@Suite struct EarlierVersionsTests {
    /// Number of templates of 1 MB that the allowance permits at a time.
    private func count(_ allowance: inout EarlierVersions.Allowance, at now: NIODeadline) -> Int {
        var count = 0
        while count < 1_000, allowance.isLeft(at: now) {
            allowance.spend(1_000_000)
            count += 1
        }
        return count
    }

    @Test func theAllowancePermitsSomeTemplatesAtOnceAndThenOneASecond() {
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
        var allowance = EarlierVersions.Allowance(now: start)
        let first = count(&allowance, at: start)
        #expect(first == 9)
        for second in 1...10 {
            let next = count(&allowance, at: start + .seconds(Int64(second)))
            #expect(next == 1, "second \(second)")
        }
        // A long pause does not exceed the initial allowance, and a time in the past grants
        // nothing.
        let later = count(&allowance, at: start + .hours(10))
        #expect(later == 9)
        let earlier = count(&allowance, at: start)
        #expect(earlier == 0)
    }
}
