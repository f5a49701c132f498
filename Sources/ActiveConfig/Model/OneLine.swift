extension StringProtocol {
    /// The text on one line, for a log or a description: what would break the line, or change the look
    /// of the text around it, is escaped, and the rest of a long text is left out.
    ///
    /// Names and values are a publisher's, who must not be able to forge lines of a log.
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
    /// Controls, line breaks and marks of direction.
    fileprivate var isDisruptive: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        return switch value {
        case 0x80...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
