import Foundation

#if canImport(os)
    import os
#endif

/// The framework's log: a minimum level, and a closure that writes.
///
/// The default, ``system``, writes warnings and errors, nothing less severe. With a `Logger` of swift-log,
/// whose levels have these names among others:
///
/// ```swift
/// let log = ActiveConfigLog(minimumLevel: .debug) { level, message in
///     logger.log(level: Logger.Level(rawValue: level.description) ?? .error, "\(message)")
/// }
/// ```
///
/// No message names a user or the value of a secret setting, unless the path of a URL or an error of the
/// app's own code does.
public struct ActiveConfigLog: Sendable {
    /// The severity of a message.
    public enum Level: Int, Sendable, Comparable, CaseIterable, CustomStringConvertible {
        /// Single steps, for debugging.
        case debug
        /// Events of interest to an operator: a download, a change of the user.
        case info
        /// Something is wrong and was dealt with: a download failed, a file was put aside.
        case warning
        /// Something is lost or cannot work: a configuration could not be stored.
        case error

        /// Returns a Boolean value that indicates whether `left` is less severe.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        /// The level's name, such as `warning`.
        public var description: String {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    /// In Unicode scalars; a message can quote a server.
    private static let longestMessage = 4_000

    /// The least severe level that is written.
    public let minimumLevel: Level
    private let writer: LogWriter
    /// The log that this one forwards to, once known; nil unless it is an inherited one.
    private let inherited: Locked<Inherited?>?

    /// A log held without retaining: a store may outlive its ``ActiveConfig``.
    private struct Inherited: Sendable {
        let minimumLevel: Level
        weak let writer: LogWriter?
    }

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - minimumLevel: The least severe level that is written.
    ///   - write: Writes a message, one sentence or more on one line of at most 4,000 Unicode
    ///     scalars. It is called on any thread, never while a lock of the framework is held, and never
    ///     for a message below `minimumLevel`. It may use the framework: a message caused by that is
    ///     written after the call has returned, and only once, however often it is repeated.
    public init(
        minimumLevel: Level = .warning, _ write: @escaping @Sendable (Level, String) -> Void
    ) {
        self.minimumLevel = minimumLevel
        writer = LogWriter(write)
        inherited = nil
    }

    private init(inheritedUnless standard: ActiveConfigLog) {
        minimumLevel = standard.minimumLevel
        writer = standard.writer
        inherited = Locked(nil)
    }

    /// Creates the log of the first ``ActiveConfig`` that uses the store which has this one; until then
    /// ``system``.
    static func inherited() -> ActiveConfigLog { ActiveConfigLog(inheritedUnless: .system) }

    /// Writes warnings and errors to the system's log on Apple's platforms, with the subsystem
    /// `ActiveConfig`, and elsewhere to standard error.
    public static let system: ActiveConfigLog = {
        #if canImport(os)
            let logger = Logger(subsystem: "ActiveConfig", category: "ActiveConfig")
            return ActiveConfigLog { level, message in
                let type: OSLogType =
                    switch level {
                    case .debug: .debug
                    case .info: .info
                    // It is stored, and is no error yet.
                    case .warning: .default
                    case .error: .error
                    }
                logger.log(level: type, "\(message, privacy: .public)")
            }
        #else
            return .standardError
        #endif
    }()

    /// Writes warnings and errors to standard error, a line each.
    public static let standardError = ActiveConfigLog { level, message in
        let line = "ActiveConfig \(level): \(message)\n"
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }

    /// Makes an inherited log write to another, unless it does so already.
    func inherit(from log: ActiveConfigLog) {
        inherited?.withLock { inherited in
            guard inherited?.writer == nil else { return }
            inherited = Inherited(minimumLevel: log.minimumLevel, writer: log.writer)
        }
    }

    /// Writes nothing.
    public static let disabled = ActiveConfigLog(minimumLevel: .error) { _, _ in }

    /// Creates a log that writes to this one with other words.
    ///
    /// ```swift
    /// options.log = ActiveConfigLog.system.rewritten { message in "shop: \(message)" }
    /// ```
    ///
    /// - Parameter rewrite: Returns the text of a message; called as the closure of a log is.
    /// - Returns: The log, with the same minimum level.
    public func rewritten(
        _ rewrite: @escaping @Sendable (_ message: String) -> String
    ) -> ActiveConfigLog {
        ActiveConfigLog(minimumLevel: minimumLevel) { level, message in
            self(level, rewrite(message))
        }
    }

    /// Evaluates `message` only when its level is written.
    @inline(never)  // It is called in many places.
    package func callAsFunction(_ level: Level, _ message: @autoclosure () -> String) {
        let inherited = inherited?.withLock { $0 }
        let writer = inherited?.writer
        guard level >= (writer == nil ? minimumLevel : inherited?.minimumLevel ?? minimumLevel)
        else { return }
        (writer ?? self.writer).write(
            LogMessage(level: level, text: message().oneLine(upTo: Self.longestMessage)))
    }
}
