import HTTPServing
import JSONTree

/// Checks texts that pages and terminals show on a single line, such as names.
enum ShownText: Sendable {
    /// Checks that a text has 1 to `maximumLength` visible characters and no surrounding
    /// whitespace; `name` is the member of the request.
    ///
    /// - Throws: A ``RequestError`` with status 400.
    static func check(
        _ text: String, named name: String, maximumLength: Int
    ) throws(RequestError) {
        guard !text.isEmpty, !text.isLonger(than: maximumLength) else {
            throw .invalidArgument(
                "\(name) is missing or too long: send a string of 1 to \(maximumLength) "
                    + "characters.")
        }
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        guard isPlain, text.first?.isWhitespace == false, text.last?.isWhitespace == false else {
            throw .invalidArgument(
                "\(name) has surrounding whitespace or invisible characters: send plain text.")
        }
    }
}
