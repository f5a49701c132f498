import ArgumentParser
import Foundation

/// A type that has the exit codes of the command line.
enum Exit: Sendable {
    /// Anything else went wrong.
    static let failure = ExitCode(1)
    /// The template has problems.
    static let invalidTemplate = ExitCode(2)
    /// Another version is current.
    static let versionMismatch = ExitCode(3)
    /// There is no such thing.
    static let notFound = ExitCode(4)
    /// The token is missing, wrong or of a role that may not.
    static let notAllowed = ExitCode(5)
    /// A file cannot be read, or holds no JSON.
    static let badInput = ExitCode(EX_DATAERR)
    /// The server or the store cannot be reached.
    static let unavailable = ExitCode(EX_UNAVAILABLE)

    /// The codes, for the help of the command line.
    static let help = """
        Exit codes: 0 all went well, 1 anything else, 2 the template has problems, 3 another version \
        is current, 4 there is no such thing, 5 the token is missing, wrong or may not, 64 the \
        command line is wrong, 65 a file cannot be read or holds no JSON, 69 the server or the store \
        cannot be reached, or the address cannot be listened on.
        """
}
