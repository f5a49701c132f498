import JSONTree

extension String {
    /// The text with control characters, bidirectional formatting and line ends escaped, such as
    /// `\u{1b}` and `\n`.
    var escapedForTerminal: String {
        escaped(keeping: [], ends: true)
    }

    /// Escapes characters that a terminal would interpret or not show.
    ///
    /// `sequences` are kept, such as the colours that this program sets; `ends` escapes line feeds
    /// and tabs too.
    func escaped(keeping sequences: [String], ends: Bool) -> String {
        guard unicodeScalars.contains(where: \.isNotShown) else { return self }
        var result = String.UnicodeScalarView()
        var rest = Substring(self).unicodeScalars
        while let scalar = rest.first {
            if let sequence = sequences.first(where: { rest.starts(with: $0.unicodeScalars) }) {
                result.append(contentsOf: sequence.unicodeScalars)
                rest.removeFirst(sequence.unicodeScalars.count)
                continue
            }
            rest.removeFirst()
            switch scalar {
            case "\n" where ends: result.append(contentsOf: #"\n"#.unicodeScalars)
            case "\t" where ends: result.append(contentsOf: #"\t"#.unicodeScalars)
            case "\n", "\t": result.append(scalar)
            case "\r": result.append(contentsOf: #"\r"#.unicodeScalars)
            case _ where scalar.isNotShown:
                result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}

extension JSONNode {
    /// JSON that is safe to print: characters that a terminal would interpret or not show are
    /// escaped inside the strings.
    func terminalText(_ layout: JSONNode.Layout) -> String {
        let text = String(decoding: jsonData(layout), as: UTF8.self)
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            // Outside strings, a line feed is the only such character.
            guard scalar.isNotShown, scalar != "\n" else {
                result.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                let zeros = String(repeating: "0", count: 4 - digits.utf8.count)
                result.append(contentsOf: "\\u\(zeros)\(digits)".unicodeScalars)
            }
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// True when a terminal interprets the character, or shows nothing for it.
    fileprivate var isNotShown: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// True for white space, and for characters that nobody sees, such as a zero-width space.
    var isInvisible: Bool {
        isNotShown || properties.isWhitespace || properties.isDefaultIgnorableCodePoint
    }
}
