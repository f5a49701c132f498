import HTTPServing
import JSONTree
import Targeting

/// The evaluation context of a request: a user and signals.
///
/// A context without `targetingKey` means the generic user, as in `GET /activeconfig`: clients
/// without a known user send `{"context": {}}` and expect the defaults.
struct OFREPContext: Sendable {
    /// `targetingKey`, the user's ID; nil means the generic user.
    let userID: String?

    private let attributes: NamedValues<JSONNode>

    /// Parses a request body such as `{"context": {"targetingKey": "3", "app.version": "2.1"}}`.
    ///
    /// Throws a ``RequestError`` with status 400: `PARSE_ERROR` for a body that is not a JSON
    /// object, `INVALID_CONTEXT` for an invalid context.
    init(_ request: RouteRequest) throws(RequestError) {
        let body: JSONNode
        do {
            body = try request.jsonBody()
        } catch {
            throw .unreadableEvaluation(error.message)
        }
        let context = body["context"] ?? .null
        guard context != .null else {
            userID = nil
            attributes = [:]
            return
        }
        guard case .object(var attributes) = context else {
            throw .invalidContext("context is \(context.kindDescription): send an object.")
        }
        switch attributes.removeValue(forKey: "targetingKey") ?? .null {
        case .null: userID = nil
        case .string(let text): userID = text
        case let other:
            throw .invalidContext(
                "context.targetingKey is \(other.kindDescription): send the user's ID as a string.")
        }
        self.attributes = attributes
    }

    /// The other attributes as signals, with the names of PROTOCOL 1; values that are not scalars
    /// are skipped.
    ///
    /// - Throws: A ``RequestError`` with status 400, `INVALID_CONTEXT`, for a signal that exceeds
    ///   its limit.
    func signals() throws(RequestError) -> Signals {
        do throws(SignalError) {
            return try Signals(members: attributes)
        } catch {
            throw .invalidContext(error.message(for: "attribute"))
        }
    }
}
