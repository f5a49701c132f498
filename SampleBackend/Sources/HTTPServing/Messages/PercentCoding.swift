extension String {
    /// The text for a segment of a path, or a name or value of a query: every byte but the
    /// unreserved characters of RFC 3986 (2.3) as `%XX`.
    package var percentEncoded: String {
        var result = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}

extension StringProtocol {
    /// The text with every `%XX` replaced by its byte, or nil when it cannot be decoded.
    ///
    /// Nothing else is replaced: `+` is a plus sign, in a query too, as RFC 3986 has it and as
    /// `URLComponents` writes it. (Were it a space, `a+b@example.com` would be another user.)
    ///
    /// - Returns: nil when a `%` is not followed by two hexadecimal digits, or when the bytes are
    ///   no UTF-8. (Bytes beyond ASCII never come this far: the decoder refuses them.)
    package func percentDecoded() -> String? {
        guard utf8.contains(UInt8(ascii: "%")) else { return String(self) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
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

/// The value of a hexadecimal digit of either case, or nil for any other byte.
private func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
