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
    /// The parser or the server rejected the command line.
    static let usage = ExitCode(EX_USAGE)
    /// A file cannot be read or is not JSON.
    static let badInput = ExitCode(EX_DATAERR)
    /// The server or the store cannot be reached.
    static let unavailable = ExitCode(EX_UNAVAILABLE)
    /// The reader of the output has closed the pipe: what a shell reports for SIGPIPE.
    static let outputClosed = ExitCode(128 + SIGPIPE)

    /// The list in the help of the command line.
    static let help = """
        Exit codes: 0 success, 1 other failure, 2 the template has problems, 3 another version is \
        current, 4 not found, 5 the token is missing or invalid, or its role does not suffice, 64 \
        the command line is invalid, 65 a file cannot be read or is not JSON, 69 the server or the \
        store cannot be reached, or the address cannot be listened on, 74 the output cannot be \
        written, 130 interrupted by Ctrl-C, 141 the reader of the output has closed it.
        """
}
