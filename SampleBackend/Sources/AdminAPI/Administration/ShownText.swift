import HTTPServing
import JSONTree

/// Checks texts that pages and terminals show on a single line, such as names.
enum ShownText: Sendable {
    /// Checks that a text has 1 to `maximumLength` visible characters and no surrounding
    /// whitespace; `name` is what messages call it, such as "display name".
    ///
    /// - Throws: A ``RequestError`` with status 400.
    static func check(
        _ text: String, named name: String, maximumLength: Int
    ) throws(RequestError) {
        guard !text.isEmpty else {
            throw .invalidArgument("The \(name) is missing: give 1 to \(maximumLength) characters.")
        }
        guard !text.isLonger(than: maximumLength) else {
            throw .invalidArgument(
                "The \(name) is too long: give at most \(maximumLength) characters.")
        }
        guard text.first?.isWhitespace == false, text.last?.isWhitespace == false else {
            throw .invalidArgument("The \(name) begins or ends with a space: remove it.")
        }
        guard !text.hasInvisibleCharacters else {
            throw .invalidArgument(
                "The \(name) has invisible characters, such as a line break: remove them.")
        }
    }
}
