import ClientAPI
import HTTPServing
import JSONTree
import Targeting

/// A user of a preview: an ID and signals.
struct PreviewUser: Sendable {
    /// Nil means the generic user.
    let userID: String?

    /// The signals that the user's client would send.
    let signals: Signals

    /// Reads `{"userID": "1", "signals": {"device.os": "ios", "plan": "gold"}}`.
    ///
    /// `path` is the position of the node in error messages.
    ///
    /// - Throws: A ``RequestError`` with status 400.
    init(_ node: JSONNode, path: String) throws(RequestError) {
        guard case .object(let members) = node else {
            throw .invalidArgument("\(path) is \(node.kindDescription): send an object.")
        }
        try members.checkMembers(known: ["userID", "signals"], in: path + ".")
        switch members["userID"] ?? .null {
        case .null: userID = nil
        case .string(let text): userID = text
        case let other:
            throw .invalidArgument("\(path).userID is \(other.kindDescription): send a string.")
        }
        let values = members["signals"] ?? .emptyObject
        guard case .object(let values) = values else {
            throw .invalidArgument(
                "\(path).signals is \(values.kindDescription): send an object.")
        }
        do throws(SignalError) {
            signals = try Signals(members: values)
        } catch {
            throw .invalidArgument("In \(path).signals: \(error)")
        }
    }
}
