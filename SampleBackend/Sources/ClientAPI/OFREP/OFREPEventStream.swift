import HTTPServing
import JSONTree
import Targeting

/// The event stream that notifies a client to fetch its flags again, as announced in a bulk
/// evaluation.
enum OFREPEventStream {
    /// The time for which an inactive client keeps the stream open, in seconds.
    static let inactivityDelay = 120

    /// Maximum length of an announced URI in bytes; longer ones may be refused by proxies.
    static let maximumURILength = 8_000

    /// The path and query of a user's stream; deterministic for the same arguments.
    ///
    /// The query has the signals with the names of PROTOCOL 1, and the user ID as `targetingKey`,
    /// which is omitted for the generic user. An example is
    /// `/ofrep/v1/evaluate/events?targetingKey=3&app.version=2.1`.
    static func uri(project: String, userID: String?, signals: Signals) -> String {
        let prefix = project == "default" ? "" : "/projects/\(project.percentEncoded)"
        let user = userID.map { [(name: "targetingKey", value: $0)] } ?? []
        let query = (user + signals.namedValues)
            .map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }
            .joined(separator: "&")
        return "\(prefix)/ofrep/v1/evaluate/events" + (query.isEmpty ? "" : "?\(query)")
    }

    /// The `eventStreams` of a bulk evaluation; nil when the URI is too long to announce.
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
