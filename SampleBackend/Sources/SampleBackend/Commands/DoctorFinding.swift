import Foundation
import JSONTree

/// A type that is one thing that `doctor` looked at.
struct DoctorFinding: Sendable, Hashable {
    /// How a thing is.
    enum State: String, Sendable, Hashable {
        /// As it should be.
        case fine = "ok"
        /// It works, and should be better.
        case warning = "warn"
        /// It does not work.
        case failed = "FAIL"
    }

    /// What was looked at.
    let subject: String

    /// How it is.
    let state: State

    /// What was seen, and what to do.
    let message: String

    /// Makes a finding.
    init(_ subject: String, _ state: State, _ message: String) {
        self.subject = subject
        self.state = state
        self.message = message
    }

    /// The finding for people.
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

    /// The finding for programs.
    var json: JSONNode {
        [
            "subject": .string(subject), "state": .string(state.rawValue.lowercased()),
            "message": .string(message),
        ]
    }
}
