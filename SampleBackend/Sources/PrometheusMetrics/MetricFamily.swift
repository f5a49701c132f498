/// A metric family in the text exposition format 0.0.4: its header and its samples.
struct MetricFamily: Sendable, Hashable {
    /// The type of a family; the raw value is written in the header.
    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// One line: a name with its suffix, labels and a value, all formatted.
    struct Sample: Sendable, Hashable {
        let name: String
        let labels: String
        let value: String

        init(name: String, labels: String = "", value: Double) {
            self.name = name
            self.labels = labels
            self.value = Self.text(of: value)
        }

        /// A sample of a count; unlike a `Double`, it is exact above 2⁵³.
        init(name: String, labels: String = "", count: UInt64) {
            self.name = name
            self.labels = labels
            value = String(count)
        }

        /// A number as Prometheus parses it: `1`, `0.25`, `+Inf`, `-Inf`, `NaN`.
        static func text(of value: Double) -> String {
            if value.isNaN { return "NaN" }
            if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
            let text = "\(value)"
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
    }

    let name: String
    let type: Kind
    /// The text of the `# HELP` line; nil omits the line.
    let help: String?
    let samples: [Sample]

    var text: String {
        var text = ""
        if let help { text += "# HELP \(name) \(Self.escaped(help, quote: "\""))\n" }
        text += "# TYPE \(name) \(type.rawValue)\n"
        for sample in samples {
            let labels = sample.labels.isEmpty ? "" : "{\(sample.labels)}"
            text += "\(sample.name)\(labels) \(sample.value)\n"
        }
        return text
    }
}

extension MetricFamily {
    /// Formatted labels, sorted and without braces: `route="/a",status="200"`.
    ///
    /// When two dimensions have the same name after sanitizing, the last one wins, since a label
    /// may occur only once. `le`, the label of histogram buckets, becomes `exported_le`. Two
    /// leading underscores, which Prometheus reserves, become one.
    static func labels(_ dimensions: [(String, String)]) -> String {
        var values: [String: String] = [:]
        for (dimension, value) in dimensions {
            var name = sanitized(dimension, allowsColon: false)
            if name == "le" { name = "exported_le" }
            if name.hasPrefix("__") { name = "_" + name.drop { $0 == "_" } }
            values[name] = value
        }
        return values.sorted { $0.key < $1.key }
            .map { "\($0.key)=\"\(escaped($0.value, quote: "\\\""))\"" }.joined(separator: ",")
    }

    /// A name of ASCII letters, digits, `_` and, if allowed, `:` that does not start with a digit.
    static func sanitized(_ text: String, allowsColon: Bool = true) -> String {
        var name = ""
        for character in text {
            switch character {
            case "0"..."9" where character.isASCII && name.isEmpty: name += "_\(character)"
            case "a"..."z" where character.isASCII, "A"..."Z" where character.isASCII,
                "0"..."9" where character.isASCII, ":" where allowsColon:
                name.append(character)
            default: name += "_"
            }
        }
        return name.isEmpty ? "_" : name
    }

    /// A text with backslashes and line feeds escaped, and each quotation mark replaced by `quote`.
    private static func escaped(_ text: String, quote: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += quote
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
