import ArgumentParser
import Foundation

/// The exit codes of the command line.
enum Exit: Sendable {
    static let failure = ExitCode(1)
    static let invalidTemplate = ExitCode(2)
    static let versionMismatch = ExitCode(3)
    static let notFound = ExitCode(4)
    /// The token is missing or invalid, or its role does not suffice.
    static let notAllowed = ExitCode(5)
    /// A file cannot be read or is not JSON.
    static let badInput = ExitCode(EX_DATAERR)
    /// The server or the store cannot be reached.
    static let unavailable = ExitCode(EX_UNAVAILABLE)

    /// The list in the help of the command line.
    static let help = """
        Exit codes: 0 all went well, 1 anything else, 2 the template has problems, 3 another version \
        is current, 4 there is no such thing, 5 the token is missing, wrong or may not, 64 the \
        command line is wrong, 65 a file cannot be read or holds no JSON, 69 the server or the store \
        cannot be reached, or the address cannot be listened on.
        """
}
