import Foundation
package import HTTPServing
import JSONTree
package import Targeting

/// A request for a user's document or stream: a project, a user and signals (PROTOCOL 1).
package struct DocumentRequest: Sendable {
    /// The paths of a user's document.
    static let patterns = [
        "/activeconfig",
        "/activeconfig/user/{userID}",
        "/active_config",
        "/projects/{project}/activeconfig",
        "/projects/{project}/activeconfig/user/{userID}",
    ]

    /// The paths of the stream for a user's document (PROTOCOL 2).
    static let streamPatterns = [
        "/activeconfig/events",
        "/activeconfig/user/{userID}/events",
        "/projects/{project}/activeconfig/events",
        "/projects/{project}/activeconfig/user/{userID}/events",
    ]

    /// The paths of streams for many users (PROTOCOL 2).
    static let manyUsersPatterns = [
        "/activeconfig/events", "/projects/{project}/activeconfig/events",
    ]

    /// The paths for acknowledgements of a user's document (PROTOCOL 2).
    static let acknowledgementPatterns = [
        "/activeconfig/acknowledgement",
        "/activeconfig/user/{userID}/acknowledgement",
        "/active_config/acknowledgement",
        "/projects/{project}/activeconfig/acknowledgement",
        "/projects/{project}/activeconfig/user/{userID}/acknowledgement",
    ]

    /// The paths of the stream for OpenFeature providers (API 4).
    static let openFeatureStreamPatterns = [
        "/ofrep/v1/evaluate/events",
        "/projects/{project}/ofrep/v1/evaluate/events",
    ]

    package let project: String
    /// Nil means the generic user.
    package let userID: String?
    package let signals: Signals

    /// Parses a request whose path matches one of the patterns.
    ///
    /// - Throws: A ``RequestError`` with status 400 when a signal exceeds its limit.
    package init(_ request: RouteRequest) throws(RequestError) {
        project = request.project
        userID = try Self.userID(request)
        signals = try Signals(query: request.target.query)
    }

    init(project: String, userID: String?, signals: Signals) {
        self.project = project
        self.userID = userID
        self.signals = signals
    }

    /// The user of a request whose path matches one of the patterns; nil means the generic user.
    ///
    /// Only literal segments of the pattern determine where the ID is read from, never the ID
    /// itself.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is not percent-encoded UTF-8.
    package static func userID(_ request: RouteRequest) throws(RequestError) -> String? {
        if let userID = request.parameters["userID"] { return userID }
        let prefix = request.parameters["project"] == nil ? 0 : 2
        let name =
            switch request.target.segments.dropFirst(prefix).first {
            case "active_config": "userID"
            case "ofrep": "targetingKey"
            default: nil as String?
            }
        guard let name else { return nil }
        return try request.target.query.lastValue(named: name)
    }
}

extension RouteRequest {
    /// The project of the path; `default` on paths without one.
    ///
    /// A name that is longer than allowed is shortened, which is not a valid project name either,
    /// so metrics and errors stay small.
    package var project: String {
        let name = parameters["project"] ?? "default"
        guard name.utf8.count <= 100 else { return name.shortened }
        // Swift compares strings by canonical equivalence, by which the Kelvin sign is "K". Valid
        // names are ASCII, so encoding such a name makes it one of no project.
        let isOtherSpelling =
            !name.utf8.allSatisfy { $0 < 0x80 }
            && name.precomposedStringWithCanonicalMapping.utf8.allSatisfy { $0 < 0x80 }
        return isOtherSpelling ? name.percentEncoded : name
    }
}

extension Signals {
    /// Parses the signals of a query and checks their limits (PROTOCOL 1).
    ///
    /// Other parameters are ignored, even malformed ones. The last value of a repeated signal wins.
    ///
    /// - Parameter query: The parameters of a request, still percent-encoded.
    /// - Throws: A ``RequestError`` with status 400 that names the parameter.
    package init(query: QueryParameters) throws(RequestError) {
        self.init()
        for parameter in query {
            guard let name = parameter.name, let signal = SignalName(queryName: name) else {
                continue
            }
            guard let value = parameter.value else {
                throw .invalidArgument(
                    "The value of the query parameter \"\(name.shortened)\" is not percent-encoded "
                        + "UTF-8: encode it again.")
            }
            do throws(SignalError) {
                try setValue(value, of: signal, named: name)
            } catch {
                throw .invalidArgument(error.message(for: "query parameter"))
            }
        }
    }
}
