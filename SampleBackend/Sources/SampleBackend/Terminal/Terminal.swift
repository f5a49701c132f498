import ArgumentParser
import Foundation

/// Writes to standard output and standard error.
enum Terminal: Sendable {
    /// Prints one or several lines to standard output, unbuffered, so that a pipe receives them
    /// immediately.
    ///
    /// Escapes control characters, whatever their source.
    static func print(_ line: String) {
        write(Data((printable(line) + "\n").utf8))
    }

    /// Prints a line of a server, which goes on when its reader has closed the pipe.
    static func announce(_ line: String) {
        write(Data((printable(line) + "\n").utf8), endsWhenClosed: false)
    }

    /// Writes raw bytes to standard output.
    ///
    /// Ends the program if that fails, as on a full disk, since its output would be truncated
    /// unnoticed: quietly with ``Exit/outputClosed`` when the reader, such as "head", has closed the
    /// pipe, unless `endsWhenClosed` is false.
    static func write(_ data: Data, endsWhenClosed: Bool = true) {
        do {
            try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            if cause?.code == Int(EPIPE) {
                if endsWhenClosed { exit(Exit.outputClosed.rawValue) }
                return
            }
            let reason = cause?.localizedDescription ?? "\(error)"
            printError("Standard output cannot be written (\(reason)).")
            exit(EX_IOERR)
        }
    }

    /// Ends the program with ``Exit/outputClosed`` as soon as the reader of standard output closes
    /// the pipe, for a command that may not write for a long time.
    static func endWhenOutputCloses() {
        Thread.detachNewThread {
            // Linux reports an error and a reader that has gone whatever is asked; Darwin needs an event.
            var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLHUP), revents: 0)
            while unsafe poll(&output, 1, -1) < 0, errno == EINTR {}
            let ends = Int32(output.revents) & Int32(POLLERR | POLLHUP)
            if ends != 0 { exit(Exit.outputClosed.rawValue) }
        }
    }

    /// Prints one or several lines to standard error, with the same escapes.
    static func printError(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((printable(line) + "\n").utf8))
    }

    /// Replaces the progress line on standard error if that is a terminal; nil clears it.
    static func showProgress(_ line: String?) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        let text = "\r\u{1B}[K" + printable(line ?? "")
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    /// Asks a question on standard error; nil if input or output is not a terminal.
    static func confirm(_ question: String) -> Bool? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        let text = printable("\(question) [y/N] ")
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
        let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased()
        return answer == "y" || answer == "yes"
    }

    private static func printable(_ text: String) -> String {
        text.escaped(keeping: colorSequences, ends: false)
    }
}

extension Terminal {
    enum Color: String, Sendable, CaseIterable {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case bold = "1"
        case dim = "2"
    }

    /// True when standard output is a terminal and colours are not disabled (https://no-color.org).
    private static let hasColors =
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil

    /// Resets the colour.
    private static let plain = "\u{1B}[0m"

    /// Escape sequences that output may contain; empty without colours.
    fileprivate static let colorSequences =
        hasColors ? Color.allCases.map(\.sequence) + [plain] : []

    /// The escaped text in a colour, or without colour if colours are disabled.
    static func colored(_ text: String, _ color: Color) -> String {
        let text = text.escapedForTerminal
        return hasColors ? color.sequence + text + plain : text
    }
}

extension Terminal.Color {
    fileprivate var sequence: String { "\u{1B}[\(rawValue)m" }
}
