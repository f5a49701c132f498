import Rendering
import Targeting

/// A request for a stream: a user's document in a project, and the format of its events.
struct StreamRequest: Sendable {
    /// The format of a stream's events.
    enum Format: Sendable, Hashable {
        /// HTTP 2: the changed content.
        case activeConfig
        /// HTTP 4: the fact that something changed, for OpenFeature providers.
        case openFeature
    }

    let configuration: ConfigurationRequest

    /// The value of `Last-Event-ID`: the last version whose events the client received.
    var lastEventID: String?

    var format = Format.activeConfig
}
