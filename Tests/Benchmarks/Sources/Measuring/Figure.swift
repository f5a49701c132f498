import Foundation

/// Figures rounded for reading, with at most two decimals.
public enum Figure: Sendable {
    /// Text of a number, such as `0.94`, `24.1` or `1,234`.
    public static func text(of number: Double) -> String {
        let size = abs(number)
        let decimals = size >= 99.95 || size == number.rounded() ? 0 : size >= 9.995 ? 1 : 2
        return number.formatted(
            .number.precision(.fractionLength(0...decimals)).locale(Locale(identifier: "en_US")))
    }

    /// Text of a time, such as `77 ns`, `4.5 µs` or `1.2 ms`.
    public static func text(ofNanoseconds time: Double) -> String {
        for (unit, size) in [("s", 1e9), ("ms", 1e6), ("µs", 1e3)] where time >= 0.9995 * size {
            return "\(text(of: time / size)) \(unit)"
        }
        return "\(text(of: time)) ns"
    }
}
