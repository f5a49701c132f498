import HTTPServing
import JSONTree
import Targeting

/// The stream of events that tells a client when its flags have to be fetched again.
enum OFREPEventStream {
    /// How long a client that is not in use keeps the stream open, in seconds.
    static let inactivityDelay = 120

    /// The longest URI that is offered, in bytes: what every proxy lets through.
    static let maximumURILength = 8_000

    /// The path and query of a user's stream.
    ///
    /// - Parameters:
    ///   - project: The project's name.
    ///   - userID: The user's ID; nil is the generic user, whose query has no `targetingKey`.
    ///   - signals: The signals, which stand in the query by the names of HTTP 1.
    /// - Returns: Such as `/ofrep/v1/evaluate/events?targetingKey=3&app.version=2.1`, the same for
    ///   the same arguments.
    static func uri(project: String, userID: String?, signals: Signals) -> String {
        let prefix = project == "default" ? "" : "/projects/\(project.percentEncoded)"
        let user = userID.map { [(name: "targetingKey", value: $0)] } ?? []
        let query = (user + signals.namedValues)
            .map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }
            .joined(separator: "&")
        return "\(prefix)/ofrep/v1/evaluate/events" + (query.isEmpty ? "" : "?\(query)")
    }

    /// The streams as a bulk evaluation lists them: the user's, or none when its URI is too long.
    ///
    /// - Parameter uri: What ``uri(project:userID:signals:)`` gives.
    /// - Returns: An array, or nil.
    static func list(uri: String) -> JSONNode? {
        guard uri.utf8.count <= maximumURILength else { return nil }
        return [
            [
                "type": "sse", "endpoint": ["requestUri": .string(uri)],
                "inactivityDelaySec": .number("\(inactivityDelay)"),
            ]
        ]
    }
}
