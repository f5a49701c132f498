import HTTPServing
import JSONTree
import Targeting

/// The event stream that tells a client to fetch its flags again, as a bulk evaluation announces
/// it.
enum OFREPEventStream {
    /// Time that an inactive client keeps the stream open, in seconds.
    static let inactivityDelay = 120

    /// Maximum length of an announced URI in bytes: what every proxy accepts.
    static let maximumURILength = 8_000

    /// The path and query of a user's stream, deterministic for the same arguments.
    ///
    /// Signals are in the query by the names of PROTOCOL 1, the user ID as `targetingKey`; a nil user
    /// ID, the generic user, is left out. An example is
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
