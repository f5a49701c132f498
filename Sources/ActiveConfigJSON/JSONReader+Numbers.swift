extension JSONReader {
    /// Reads a number (FORMAT 4.1); its sign or first digit is next.
    @inlinable @inline(__always)
    mutating func readNumber() throws(JSONFault) -> JSONScalar {
        let start = offset
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { offset &+= 1 }
        let firstDigit = offset
        var magnitude: UInt64 = 0
        var overflows = false
        while let digit = nextDigit {
            offset &+= 1
            // 19 digits fit any UInt64; longer numbers are rare and take the slow path.
            if offset &- firstDigit <= 19 {
                magnitude = magnitude &* 10 &+ UInt64(digit)
            } else {
                overflows = true
            }
        }
        let digits = offset &- firstDigit
        guard digits > 0 else { throw unexpected("a digit") }
        if digits > 1, unsafe bytes[firstDigit] == UInt8(ascii: "0") {
            throw leadingZero(at: firstDigit)
        }
        switch next {
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            return try readDouble(
                from: start, isNegative: isNegative, significand: overflows ? nil : magnitude)
        default: break
        }
        if !overflows {
            if isNegative, magnitude <= UInt64(Int.max) + 1 {
                return .integer(Int(truncatingIfNeeded: 0 &- magnitude))
            } else if !isNegative, magnitude <= UInt64(Int.max) {
                return .integer(Int(truncatingIfNeeded: magnitude))
            }
        }
        return .double(try makeDouble(from: start))
    }

    @inlinable @inline(__always)
    var nextDigit: UInt8? {
        guard let byte = next else { return nil }
        let digit = byte &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }

    /// Continues at the full stop or exponent of the number at `start`.
    ///
    /// `significand` is nil when the digits so far overflow.
    @usableFromInline
    mutating func readDouble(
        from start: Int, isNegative: Bool, significand: UInt64?
    ) throws(JSONFault) -> JSONScalar {
        var significand = significand
        var exponent = 0
        if next == UInt8(ascii: ".") {
            offset &+= 1
            let firstDigit = offset
            while let digit = nextDigit {
                offset &+= 1
                exponent &-= 1
                if let digits = significand {
                    significand = digits < 1 << 53 ? digits &* 10 &+ UInt64(digit) : nil
                }
            }
            guard offset > firstDigit else { throw unexpected("a digit") }
        }
        if let letter = next, letter | 0x20 == UInt8(ascii: "e") {
            offset &+= 1
            let isExponentNegative = next == UInt8(ascii: "-")
            if isExponentNegative || next == UInt8(ascii: "+") { offset &+= 1 }
            let firstDigit = offset
            var written = 0
            while let digit = nextDigit {
                offset &+= 1
                written = min(written &* 10 &+ Int(digit), Self.exponentCap)
            }
            guard offset > firstDigit else { throw unexpected("a digit") }
            exponent &+= isExponentNegative ? -written : written
            // A saturated exponent is wrong, and the digits could outweigh it.
            if written == Self.exponentCap { significand = nil }
        }
        // Both the digits and the power of ten are exact, so one operation rounds correctly.
        if let significand, significand <= 1 << 53, -22...22 ~= exponent {
            let power = Self.powersOfTen[abs(exponent)]
            let value =
                exponent < 0 ? Double(significand) / power : Double(significand) * power
            return .double(isNegative ? -value : value)
        }
        return .double(try makeDouble(from: start))
    }

    @usableFromInline @inline(never)
    func makeDouble(from start: Int) throws(JSONFault) -> Double {
        let text = text(from: start)
        guard let value = Double(text), value.isFinite else {
            throw JSONFault(
                .numberOutOfRange, at: start,
                "the number \(text.prefix(30)) is beyond the range of a 64-bit floating-point "
                    + "number, about ±1.8e308")
        }
        return value
    }

    /// Saturates the exponent, so that no number of digits overflows it.
    private static let exponentCap = 100_000

    /// The powers of ten that a `Double` holds exactly.
    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}
