import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

enum Terminal {
    /// True when both input and output are terminals.
    static let isInteractive = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1

    /// True on a terminal, unless `NO_COLOR` is set or the terminal is dumb.
    static let hasColors: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty
            && environment["TERM"] != "dumb"
    }()

    /// Runs `body` with each key as it is pressed, then restores the terminal.
    @MainActor
    static func withKeys(
        _ body: @MainActor (AsyncStream<Character>) async throws -> Void
    ) async throws {
        var saved = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &saved) == 0 else { return }
        var raw = saved
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        unsafe tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        defer { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &saved) }
        let (keys, continuation) = AsyncStream.makeStream(of: Character.self)
        let input = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO)
        input.setEventHandler {
            var byte: UInt8 = 0
            if unsafe read(STDIN_FILENO, &byte, 1) == 1 {
                continuation.yield(Character(Unicode.Scalar(byte)))
            } else {
                continuation.finish()
            }
        }
        input.resume()
        defer { input.cancel() }
        try await body(keys)
    }
}
