import ActiveConfig
import Synchronization

/// A log that keeps its messages.
final class LogRecorder: Sendable {
    private let recorded = Mutex<[String]>([])

    /// The messages so far, with their levels in front.
    var messages: [String] { recorded.withLock { $0 } }

    /// The log.
    var log: ActiveConfigLog {
        ActiveConfigLog(minimumLevel: .debug) { [self] level, message in
            recorded.withLock { $0.append("\(level): \(message)") }
        }
    }
}
