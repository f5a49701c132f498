import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Output to a person at a terminal, not to a pipe or a file.
enum Terminal {
    /// True if standard output is a terminal and colours are not disabled (https://no-color.org).
    static var showsColors: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
    }

    static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }
}
