import JSONTree
import OrderedCollections
import Targeting

/// A type that is a user of a preview: an ID and signals.
struct PreviewUser: Sendable {
    /// The user's ID; nil is the generic user.
    let userID: String?

    /// What the user's client would say about itself.
    let signals: Signals

    /// Reads a user.
    ///
    /// - Parameters:
    ///   - node: `{"userID": "1", "signals": {"device.os": "ios", "plan": "gold"}}`.
    ///   - path: The place of the node, for errors.
    /// - Throws: A ``RequestError`` with status 400.
    init(_ node: JSONNode, path: String) throws(RequestError) {
        guard case .object(let members) = node else {
            throw .invalidArgument("\(path) is \(node.kindDescription): send an object.")
        }
        switch members["userID"] ?? .null {
        case .null: userID = nil
        case .string(let text): userID = text
        case let other:
            throw .invalidArgument("\(path).userID is \(other.kindDescription): send a string.")
        }
        var signals = Signals()
        let values = members["signals"] ?? .emptyObject
        guard case .object(let values) = values else {
            throw .invalidArgument(
                "\(path).signals is \(values.kindDescription): send an object.")
        }
        for (name, value) in values {
            do throws(SignalError) {
                guard let text = value.signalText else { continue }
                try signals.setValue(text, named: name)
            } catch {
                throw .invalidArgument("In \(path).signals: \(error)")
            }
        }
        self.signals = signals
    }
}

extension JSONNode {
    /// The value as a signal's text; nil for null and for what is no single value.
    fileprivate var signalText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let value): value ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}
