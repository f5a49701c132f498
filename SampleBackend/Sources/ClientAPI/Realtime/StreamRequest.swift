import Rendering
import Targeting

/// A type that is what a client wants to hear of: a user's document in a project.
struct StreamRequest: Sendable {
    /// In what terms a stream tells of a change.
    enum Format: Sendable, Hashable {
        /// HTTP 2: what has changed.
        case activeConfig
        /// HTTP 4: that something has changed, for providers of OpenFeature.
        case openFeature
    }

    /// The project, the user and the signals.
    let configuration: ConfigurationRequest

    /// The value of `Last-Event-ID`: the last version that the client heard of.
    var lastEventID: String?

    /// In what terms the stream tells of a change.
    var format = Format.activeConfig
}
