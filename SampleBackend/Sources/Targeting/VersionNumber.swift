/// A version: numbers separated by dots; missing numbers count as 0.
struct VersionNumber: Sendable, Hashable {
    /// Maximum number of numbers in an app's version or build.
    static let maximumSegments = 8

    /// Maximum number of numbers in a custom signal's version, as in Firebase.
    static let maximumSignalSegments = 5

    /// The numbers; missing ones are 0.
    private var segments = SIMD8<Double>()

    /// Reads the version of an app: digits and dots, with a digit at each end.
    ///
    /// `1.2` and `1.2.0` are equal, and `1..2` is `1.0.2`. Nil when the text is not a version, has
    /// more than ``maximumSegments`` numbers, or a number of more than 15 digits.
    init?(appVersion text: String) {
        var count = 0
        var segment: Int64 = 0
        var digits = 0
        var last: UInt8 = UInt8(ascii: ".")
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39:
                digits += 1
                guard digits <= 15 else { return nil }
                segment = segment &* 10 &+ Int64(byte &- 0x30)
            case UInt8(ascii: "."):
                guard count < Self.maximumSegments - 1, count > 0 || digits > 0 else { return nil }
                segments[count] = Double(segment)
                count += 1
                segment = 0
                digits = 0
            default: return nil
            }
            last = byte
        }
        guard last != UInt8(ascii: ".") else { return nil }
        segments[count] = Double(segment)
    }

    /// Reads the version in a custom signal as Firebase does, with each number as JavaScript reads
    /// it.
    ///
    /// A segment that is not a number makes a comparison unknown only when the comparison reaches
    /// it. Nil when it has more than ``maximumSignalSegments`` numbers.
    init?(signal text: String) {
        // Splits bytes, not characters: a dot followed by a combining mark is a dot, too.
        var text = text
        let isShort = text.withUTF8 { bytes in
            var count = 0
            var start = 0
            for end in 0...bytes.count
            where end == bytes.count || (unsafe bytes[end] == UInt8(ascii: ".")) {
                guard count < Self.maximumSignalSegments else { return false }
                segments[count] = unsafe ScriptNumber.value(
                    of: UnsafeBufferPointer(rebasing: bytes[start..<end]))
                count += 1
                start = end + 1
            }
            return true
        }
        guard isShort else { return nil }
    }

    /// -1 when this version is older, 0 when both are equal, 1 when it is newer; nil when a segment
    /// that is not a number precedes the first difference.
    func order(to other: VersionNumber) -> Int? {
        Self.order { (segments[$0], other.segments[$0]) }
    }

    /// The order of two versions by their segments at an index; nil when one is not a number.
    @inline(__always)
    static func order(_ segments: (Int) -> (own: Double, its: Double)) -> Int? {
        for index in 0..<maximumSegments {
            let (own, its) = segments(index)
            if own < its { return -1 }
            if own > its { return 1 }
            guard own == its else { return nil }
        }
        return 0
    }

    /// The number at an index below ``maximumSegments``.
    subscript(index: Int) -> Double { segments[index] }
}
