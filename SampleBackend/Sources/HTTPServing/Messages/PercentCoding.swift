extension String {
    /// The text as a path segment, or as a name or value in a query: every byte except the
    /// unreserved characters of RFC 3986 (2.3) is encoded as `%XX`.
    package var percentEncoded: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        for byte in utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [
                    UInt8(ascii: "%"), hexadecimalDigit(byte >> 4), hexadecimalDigit(byte & 15),
                ]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension StringProtocol {
    /// The text with every `%XX` decoded; nil when a `%` is not followed by two hexadecimal digits,
    /// or the bytes are not UTF-8.
    ///
    /// Nothing else is decoded: `+` is a plus sign in a query too, as in RFC 3986 and in
    /// `URLComponents`. (If it were a space, `a+b@example.com` would be another user.) Raw
    /// non-ASCII bytes never reach this function, since the HTTP decoder rejects them.
    package func percentDecoded() -> String? {
        let percent = UInt8(ascii: "%")
        let isEncoded =
            utf8.withContiguousStorageIfAvailable { unsafe $0.contains(percent) }
            ?? utf8.contains(percent)
        guard isEncoded else { return String(self) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == percent else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexadecimalValue),
                let low = rest.popFirst().flatMap(hexadecimalValue)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension String {
    /// A part of the text's UTF-8 with every `%XX` decoded, as ``percentDecoded()`` does.
    func percentDecoded(_ bounds: Range<Int>) -> String? {
        let plain = unsafe utf8.withContiguousStorageIfAvailable { bytes -> String? in
            let part = unsafe UnsafeBufferPointer(rebasing: bytes[bounds])
            for index in part.indices where unsafe part[index] == UInt8(ascii: "%") { return nil }
            return unsafe String(decoding: part, as: UTF8.self)
        }
        if let plain, let plain { return plain }
        let start = utf8.index(startIndex, offsetBy: bounds.lowerBound)
        return self[start..<utf8.index(start, offsetBy: bounds.count)].percentDecoded()
    }
}

extension Substring {
    /// The text before the first separator and the text after it, which is nil without a separator.
    func cut(at separator: UInt8) -> (before: Substring, after: Substring?) {
        var text = self
        let found = text.withUTF8 { bytes -> Int? in
            for index in 0..<bytes.count where unsafe bytes[index] == separator { return index }
            return nil
        }
        guard let offset = found else { return (self, nil) }
        let end = text.utf8.index(text.startIndex, offsetBy: offset)
        return (
            Substring(text.utf8[..<end]),
            Substring(text.utf8[text.utf8.index(after: end)...])
        )
    }
}

/// True for a letter or digit of ASCII, and for `-`, `.`, `_` and `~`.
private func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        true
    default: false
    }
}

/// The upper-case digit for a value below 16.
private func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
}

/// The value of a hexadecimal digit in either case; nil for any other byte.
private func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
