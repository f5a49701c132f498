/// The rules of Prometheus for the names of metrics and labels.
enum MetricName {
    /// Gives the name that a metric has in the text.
    ///
    /// - Parameters:
    ///   - label: The label that the code gives the metric.
    ///   - suffix: What the name ends in; it is not written twice.
    /// - Returns: A name of ASCII letters, digits, `_` and `:` that begins with no digit.
    static func metric(_ label: String, suffix: String = "") -> String {
        let name = sanitized(label, allowsColon: true)
        return name.hasSuffix(suffix) ? name : name + suffix
    }

    /// Gives the name that a label has in the text.
    ///
    /// Two underscores at the beginning are Prometheus's own and become one; `le`, which names a
    /// histogram's bucket, becomes `exported_le`.
    ///
    /// - Parameter dimension: The name that the code gives the dimension.
    /// - Returns: A name of ASCII letters, digits and `_` that begins with no digit.
    static func label(_ dimension: String) -> String {
        let name = sanitized(dimension, allowsColon: false)
        if name == "le" { return "exported_le" }
        return name.hasPrefix("__") ? "_" + name.drop { $0 == "_" } : name
    }

    /// Replaces each character that is not allowed by `_`.
    private static func sanitized(_ text: String, allowsColon: Bool) -> String {
        // Nearly every name is right already, and metrics may be made for each request.
        if isAllowed(text, allowsColon: allowsColon) { return text }
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

    /// Whether Prometheus takes a name as it is.
    private static func isAllowed(_ text: String, allowsColon: Bool) -> Bool {
        guard let first = text.utf8.first, !(48...57).contains(first) else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, 65...90, 95, 97...122: true  // 0–9, A–Z, _, a–z
            case 58: allowsColon
            default: false
            }
        }
    }
}
