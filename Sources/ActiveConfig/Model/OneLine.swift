extension StringProtocol {
    /// The text on one line, for a log or a description: characters that would break the line or
    /// change the look of the surrounding text are escaped, and a long text is truncated.
    ///
    /// A publisher controls names and values, and must not be able to forge log lines.
    package func oneLine(upTo limit: Int = .max) -> String {
        let scalars = unicodeScalars
        let isLong = limit < utf8.count && scalars.dropFirst(limit).first != nil
        if !isLong, !scalars.contains(where: \.isDisruptive) { return String(self) }
        var line = ""
        for scalar in scalars.prefix(limit) {
            if scalar.isDisruptive {
                line += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
        return isLong ? line + "…" : line
    }
}

extension Unicode.Scalar {
    /// Controls, line breaks and bidirectional marks.
    fileprivate var isDisruptive: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        return switch value {
        case 0x80...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
