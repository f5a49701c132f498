import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a person at a terminal sees, and a pipe or a file does not get.
enum Terminal {
    /// Whether standard output shows colours (https://no-color.org).
    static var showsColors: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
    }

    /// Whether standard error is a terminal.
    static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }
}
