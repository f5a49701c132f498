package import Foundation

extension Date {
    /// The milliseconds since 1970, as stores keep times.
    package var millisecondsSince1970: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
        if milliseconds.isNaN { return 0 }
        // Far outside of any calendar, and still a time that a `Date` can say.
        return Int64(min(max(milliseconds, -1e15), 1e15))
    }

    /// Makes a time of milliseconds since 1970.
    package init(millisecondsSince1970 milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }

    /// The time to the millisecond.
    package var roundedToMilliseconds: Date {
        Date(millisecondsSince1970: millisecondsSince1970)
    }
}
