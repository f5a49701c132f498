public import ActiveConfig

/// A log that records its messages.
///
/// ```swift
/// let recorder = RecordingLog()
/// let config = ActiveConfig(configDownloader: downloader, options: ActiveConfigOptions(log: recorder.log))
/// recorder.messages(ofLevel: .error)
/// ```
public final class RecordingLog: Sendable {
    /// A line of the log.
    public struct Message: Sendable, Hashable {
        /// The severity.
        public let level: ActiveConfigLog.Level
        /// The text.
        public let text: String
    }

    private let recorded = AwaitableState<[Message]>([])

    /// Creates an empty recorder.
    public init() {}

    /// The log to pass to the framework; it records every level.
    public var log: ActiveConfigLog {
        ActiveConfigLog(minimumLevel: .debug) { [recorded] level, text in
            recorded.withLock { $0.append(Message(level: level, text: text)) }
        }
    }

    /// The messages so far, in order.
    public var messages: [Message] { recorded.value }

    /// The texts of one level, in order.
    public func messages(ofLevel level: ActiveConfigLog.Level) -> [String] {
        recorded.value.filter { $0.level == level }.map(\.text)
    }
}
