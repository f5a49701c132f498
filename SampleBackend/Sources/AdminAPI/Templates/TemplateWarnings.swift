import HTTPTypes
import Targeting
import Templates

extension HTTPFields {
    /// Maximum number of `Warning` fields in a response.
    private static let maximumWarnings = 20

    /// Maximum size of all `Warning` fields in a response, in bytes: proxies allow 4 to 8 KiB for
    /// the whole head.
    private static let maximumWarningBytes = 3_000

    /// Maximum length of a warning, in characters.
    private static let maximumWarningLength = 300

    /// Maximum number of doubts, which leaves room for the other warnings.
    private static let maximumDoubts = 5

    /// Adds a `Warning` field (RFC 7234, 5.5) for each remark on a template; a last one counts those
    /// for which there is no room.
    ///
    /// - Parameters:
    ///   - template: The template.
    ///   - includingDoubts: True for remarks on rules that probably no client satisfies, too.
    mutating func append(warningsAbout template: ValidatedTemplate, includingDoubts: Bool) {
        guard let name = HTTPField.Name("Warning") else { return }
        let doubts = includingDoubts ? Self.doubts(about: template) : []
        var values = (doubts + template.warnings).map { Self.warning($0.description) }
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

    /// Remarks on rules that probably no client satisfies, such as `device.os == 'iOS'`.
    private static func doubts(about template: ValidatedTemplate) -> [TemplateProblem] {
        var problems: [TemplateProblem] = []
        for (index, condition) in template.conditions.enumerated() {
            let room = maximumDoubts - problems.count
            guard room > 0 else { break }
            problems += condition.doubts(atMost: room).map { doubt in
                TemplateProblem(
                    path: "conditions[\(index)]",
                    message: "\(doubt.rule) is probably never true: \(doubt.message.dropLast())")
            }
        }
        return problems
    }

    /// The value of a `Warning` field: ASCII, with `?` for anything else.
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
