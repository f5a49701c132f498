import ActiveConfig
import JSONTree
import Targeting

/// The signals of a request that conditions of a template test: of the app, of the device, and custom
/// ones (*Client protocol*, section 1).
///
/// ```swift
/// let signals: EvaluationSignals = ["device.country": "JP", "signal.plan": "gold"]
/// ```
///
/// Make one value for all evaluations with the same signals, so that they are read once.
public struct EvaluationSignals: Sendable, Hashable {
    let signals: Signals

    /// No signals.
    public static let none = EvaluationSignals(signals: Signals())

    private init(signals: Signals) { self.signals = signals }

    /// Reads signals by the names that clients send: `app.id`, `app.version`, `app.build`, `device.os`,
    /// `device.country`, `device.language`, and `signal.<name>`.
    ///
    /// Other names are ignored, as the server ignores other query parameters.
    ///
    /// - Parameter values: The values by name.
    /// - Throws: ``EvaluationSignalError`` for a value, a name or a number of custom signals over the
    ///   limits of `ClientSignals`, with which the server refuses a request.
    public init(_ values: [String: String]) throws(EvaluationSignalError) {
        var signals = Signals()
        // Sorted, so that of two names that are equal as Swift strings always the same is refused.
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let signal = SignalName(queryName: name) else { continue }
            do {
                try signals.setValue(value, of: signal, named: name)
            } catch {
                throw EvaluationSignalError(description: error.message(for: "signal"))
            }
        }
        self.signals = signals
    }
}

extension EvaluationSignals: ExpressibleByDictionaryLiteral {
    /// Creates signals by their names; those over a limit are left out, so that rules on them are false.
    public init(dictionaryLiteral elements: (String, String)...) {
        var signals = Signals()
        for (name, value) in elements {
            guard let signal = SignalName(queryName: name) else { continue }
            var next = signals
            if (try? next.setValue(value, of: signal, named: name)) != nil { signals = next }
        }
        self.signals = signals
    }
}

/// A signal that the server would refuse.
public struct EvaluationSignalError: Error, Sendable, CustomStringConvertible {
    /// One sentence with the signal's name and the limit.
    public let description: String
}
