/// The `wait` preference of a request (RFC 7240, 4.3): how long the response may be delayed.
package struct WaitPreference: Sendable, Hashable {
    /// The allowed seconds; other values are clamped.
    package static let range = 1...60

    package let seconds: Int

    /// Parses the value of `Prefer`, where repeated fields are joined by commas; nil without a
    /// usable `wait`.
    ///
    /// The first of several `wait`s wins (RFC 7240, 2), even when it is unusable.
    package init?(_ fieldValue: String) {
        var parser = PreferenceParser(rest: fieldValue.utf8[...])
        while let preference = parser.next() {
            guard preference.name.lowercased() == "wait" else { continue }
            let digits = preference.value.utf8
            guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            let seconds = Int(preference.value) ?? Self.range.upperBound
            self.seconds = min(max(seconds, Self.range.lowerBound), Self.range.upperBound)
            return
        }
        return nil
    }

    /// The value of `Preference-Applied`.
    package var applied: String { "wait=\(seconds)" }
}

/// Parses `name=value; parameter=value, …`, where a value is a token or quoted; parameters are
/// skipped.
private struct PreferenceParser {
    var rest: Substring.UTF8View

    /// The next preference.
    ///
    /// A missing value is empty; a malformed value contains a character that is not valid in it.
    mutating func next() -> (name: String, value: String)? {
        skip(while: { Self.isSpace($0) || $0 == UInt8(ascii: ",") })
        guard !rest.isEmpty else { return nil }
        let name = word()
        skip(while: Self.isSpace)
        var value = ""
        if rest.first == UInt8(ascii: "=") {
            rest.removeFirst()
            skip(while: Self.isSpace)
            value = rest.first == UInt8(ascii: "\"") ? quoted() : word()
        }
        skip(while: Self.isSpace)
        // Text after a value makes it malformed.
        if let byte = rest.first, byte != UInt8(ascii: ","), byte != UInt8(ascii: ";") {
            value += "?"
        }
        skipParameters()
        return (name, value)
    }

    private mutating func word() -> String {
        take { !Self.isSpace($0) && !#",;=""#.utf8.contains($0) }
    }

    /// The content of a quoted string (RFC 9110, 5.6.4).
    private mutating func quoted() -> String {
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"): rest.popFirst().map { bytes.append($0) }
            default: bytes.append(byte)
            }
        }
        return "?"
    }

    /// Skips to the comma that ends the preference, ignoring commas in quotation marks.
    private mutating func skipParameters() {
        while let byte = rest.first, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") { _ = quoted() } else { rest.removeFirst() }
        }
    }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) {
        rest = rest.drop(while: isSkipped)
    }

    private mutating func take(while isTaken: (UInt8) -> Bool) -> String {
        let taken = rest.prefix(while: isTaken)
        rest = rest[taken.endIndex...]
        return String(Substring(taken))
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
