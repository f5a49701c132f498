import Targeting

/// A type that is what a client asks for on the paths of HTTP 1: a project, a user, and signals.
struct ConfigurationRequest: Sendable {
    /// The paths of a user's document.
    static let patterns = [
        "/activeconfig",
        "/activeconfig/user/{userID}",
        "/active_config",
        "/projects/{project}/activeconfig",
        "/projects/{project}/activeconfig/user/{userID}",
    ]

    /// The paths of the stream of a user's document (HTTP 2).
    static let streamPatterns = [
        "/activeconfig/events",
        "/activeconfig/user/{userID}/events",
        "/projects/{project}/activeconfig/events",
        "/projects/{project}/activeconfig/user/{userID}/events",
    ]

    /// The paths of the stream for providers of OpenFeature (HTTP 4).
    static let openFeatureStreamPatterns = [
        "/ofrep/v1/evaluate/events",
        "/projects/{project}/ofrep/v1/evaluate/events",
    ]

    /// The project of the paths that name none.
    private static let defaultProject = "default"

    /// The project's name.
    let project: String

    /// The user's ID; nil is the generic user.
    let userID: String?

    /// What the client says about itself.
    let signals: Signals

    /// Reads a request whose path belongs to one of the patterns.
    ///
    /// - Parameters:
    ///   - target: The path and the query.
    ///   - parameters: The values of the pattern's parameters.
    /// - Throws: A ``RequestError`` with status 400 when a signal exceeds its limit.
    init(target: RequestTarget, parameters: [String: String]) throws(RequestError) {
        project = parameters["project"] ?? Self.defaultProject
        userID = try Self.userID(target: target, parameters: parameters)
        signals = try Signals(query: target.query)
    }

    /// The user of a request whose path belongs to one of the patterns; nil is the generic user.
    ///
    /// Only segments that the pattern fixes are looked at: a user's ID decides nothing but who it is.
    ///
    /// - Parameters:
    ///   - target: The path and the query.
    ///   - parameters: The values of the pattern's parameters.
    /// - Returns: The user's ID.
    /// - Throws: A ``RequestError`` with status 400 when it is not percent-encoded UTF-8.
    static func userID(
        target: RequestTarget, parameters: [String: String]
    ) throws(RequestError) -> String? {
        if let userID = parameters["userID"] { return userID }
        let name =
            switch target.segments.dropFirst(parameters["project"] == nil ? 0 : 2).first {
            case "active_config": "userID"
            case "ofrep": "targetingKey"
            default: nil as String?
            }
        guard let name else { return nil }
        return try target.query.lastValue(named: name)
    }
}
