import HTTPTypes
import Templates

extension HTTPFields {
    /// Maximum number of `Warning` fields in a response.
    private static let maximumWarnings = 20

    /// Maximum total size of the `Warning` fields in a response, in bytes: proxies allow 4 to 8 KiB
    /// for the whole head.
    private static let maximumWarningBytes = 3_000

    /// Maximum length of a warning, in characters.
    private static let maximumWarningLength = 300

    /// Maximum number of doubts; the rest is left for other warnings.
    private static let maximumDoubts = 5

    /// Adds a `Warning` field (RFC 7234, 5.5) for each remark on a template; a final one counts the
    /// remarks that do not fit.
    ///
    /// - Parameters:
    ///   - template: The template.
    ///   - includingDoubts: True to include remarks on rules that probably no client satisfies.
    ///   - others: Warnings that come first, within the same limit.
    mutating func append(
        warningsAbout template: ValidatedTemplate, includingDoubts: Bool,
        after others: [String] = []
    ) {
        let doubts = includingDoubts ? template.doubts(atMost: Self.maximumDoubts) : []
        append(warnings: others + (doubts + template.warnings).map(\.description))
    }

    /// Adds a `Warning` field for each text; a final one counts those that do not fit.
    mutating func append(warnings: [String]) {
        guard let name = HTTPField.Name("Warning") else { return }
        var values = warnings.map { Self.warning($0) }
        let count = values.count
        if count > Self.maximumWarnings { values.removeLast(count - Self.maximumWarnings + 1) }
        var bytes = values.reduce(0) { $0 + $1.utf8.count }
        while bytes > Self.maximumWarningBytes, let last = values.popLast() {
            bytes -= last.utf8.count
        }
        if values.count < count {
            values.append(Self.warning("and \(count - values.count) more warnings"))
        }
        for value in values { append(HTTPField(name: name, value: value)) }
    }

    /// The value of a `Warning` field in ASCII; other characters become `?`.
    private static func warning(_ text: String) -> String {
        let plain = text.unicodeScalars.prefix(maximumWarningLength).map { scalar -> Character in
            switch scalar {
            case "\"": "'"
            case "\\": "/"
            case " "..."~": Character(scalar)
            default: "?"
            }
        }
        return "199 - \"\(String(plain))\""
    }
}
