import Foundation
import JSONTree

/// The result of one check of `doctor`.
struct DoctorFinding: Sendable, Hashable {
    enum State: String, Sendable, Hashable {
        case fine = "ok"
        /// It works, but needs attention.
        case warning = "warn"
        case failed = "FAIL"
    }

    /// The checked part of the system.
    let subject: String

    let state: State

    /// The observation and the advice.
    let message: String

    init(_ subject: String, _ state: State, _ message: String) {
        self.subject = subject
        self.state = state
        self.message = message
    }

    /// The finding in text output.
    var line: String {
        let color: Terminal.Color =
            switch state {
            case .fine: .green
            case .warning: .yellow
            case .failed: .red
            }
        let name = state.rawValue.padding(toLength: 4, withPad: " ", startingAt: 0)
        return "\(Terminal.colored(name, color))  \(subject): \(message)"
    }

    /// The finding in JSON output.
    var json: JSONNode {
        [
            "subject": .string(subject), "state": .string(state.rawValue.lowercased()),
            "message": .string(message),
        ]
    }
}
