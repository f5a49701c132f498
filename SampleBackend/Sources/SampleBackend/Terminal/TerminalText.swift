import JSONTree

extension String {
    /// The text without what a terminal would obey, or would not show: control characters, those
    /// that change the direction of writing, and ends of lines are written as `\u{1b}`, `\n`.
    var escapedForTerminal: String {
        escaped(keeping: [], ends: true)
    }

    /// Escapes a text.
    ///
    /// - Parameters:
    ///   - sequences: What stays as it is, such as the colours that this program sets.
    ///   - ends: Whether line feeds and tabs are escaped as well.
    /// - Returns: The text without what is escaped.
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
    /// The value as JSON that a terminal shows as it is: what it would obey, or not show, stands in
    /// escape sequences of JSON.
    ///
    /// - Parameter layout: With or without white space.
    /// - Returns: The text.
    func terminalText(_ layout: JSONNode.Layout) -> String {
        let text = String(decoding: jsonData(layout), as: UTF8.self)
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            // Outside of strings there is nothing of the kind but line feeds.
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
    /// Whether a terminal obeys it, or shows nothing for it.
    fileprivate var isNotShown: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
