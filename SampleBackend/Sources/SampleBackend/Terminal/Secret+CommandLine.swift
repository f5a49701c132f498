public import ArgumentParser
import Foundation
public import HTTPServing

/// Accepts secrets as option values; help and error messages never show them.
///
/// An empty secret protects nothing, and is usually a variable that a script failed to fill. So it
/// is refused instead of counting as none.
extension Secret: ExpressibleByArgument {
    /// Accepts any text with a visible character.
    public init?(argument: String) {
        if argument.unicodeScalars.allSatisfy(\.isInvisible) { return nil }
        self.init(argument)
    }

    /// A secret from the environment that a command sends to a server; nil when it is unset or empty.
    ///
    /// An empty one cannot leave anything unprotected: the server refuses the request.
    static func sent(fromEnvironment name: String) -> Secret? {
        ProcessInfo.processInfo.environment[name].flatMap { Secret(argument: $0) }
    }

    /// A secret of a server from the environment; nil when it is unset.
    ///
    /// - Parameters:
    ///   - name: The variable.
    ///   - form: What to give it, for the error.
    /// - Returns: The secret; nil when the variable is unset.
    /// - Throws: `ValidationError` when it is empty or has only invisible characters.
    static func environment(
        _ name: String,
        form: String = "a long, random text, such as that of \"openssl rand -hex 32\""
    ) throws -> Secret? {
        guard let text = ProcessInfo.processInfo.environment[name] else { return nil }
        guard let secret = Secret(argument: text) else {
            throw ValidationError(
                "The environment variable \(name) is empty, or has only invisible characters: give "
                    + "it \(form), or remove it.")
        }
        return secret
    }
}
