import Foundation
import HTTPTypes

/// The origins whose pages may read responses in a browser (CORS).
///
/// It applies to the groups with ``RouteGroup/crossOriginFields``.
public struct CrossOriginAccess: Sendable, Hashable {
    /// Allows no other origin.
    public static let none = CrossOriginAccess(origins: [])

    /// Allowed origins, such as `https://app.example`; `*` allows all.
    private let origins: Set<String>

    /// Allows origins.
    ///
    /// - Parameter origins: The origins as browsers send them, such as `https://app.example`; `*`
    ///   allows all.
    public init(origins: [String]) {
        self.origins = Set(origins)
    }

    /// True for `*`, and for a text that a browser can send as an origin: lower case, without a
    /// path and without the scheme's default port.
    package static func canAllow(_ origin: String) -> Bool {
        if origin == "*" || origin == "null" { return true }
        guard origin == origin.lowercased(), let parts = URLComponents(string: origin),
            let scheme = parts.scheme, let host = parts.host, !host.isEmpty, !host.contains("*")
        else { return false }
        let isOwnPort = ["http": 80, "https": 443][scheme].map { $0 == parts.port } ?? false
        return !isOwnPort && parts.path.isEmpty && parts.user == nil && parts.query == nil
            && parts.fragment == nil
    }

    /// Adds the CORS fields to the response to a request from `origin`, which is nil without
    /// `Origin`.
    func add(
        _ fields: CrossOriginFields, to headerFields: inout HTTPFields, isPreflight: Bool,
        origin: @autoclosure () -> String?
    ) {
        guard !origins.isEmpty else { return }
        headerFields[.vary] = "Origin"
        guard let origin = origin(), origins.contains(origin) || origins.contains("*") else {
            return
        }
        headerFields[.accessControlAllowOrigin] = origin
        headerFields[.accessControlExposeHeaders] = fields.exposed
        if isPreflight {
            headerFields[.accessControlAllowMethods] = fields.methods
            headerFields[.accessControlAllowHeaders] = fields.allowed
            headerFields[.accessControlMaxAge] = "3600"
        }
    }
}

/// What pages of other origins may send to the routes of a group and read of its responses.
package struct CrossOriginFields: Sendable {
    /// Lists as header fields have them.
    fileprivate let methods, allowed, exposed: String

    /// - Parameters:
    ///   - methods: The methods of requests.
    ///   - allowed: The names of header fields of requests.
    ///   - exposed: The names of header fields of responses.
    package init(methods: [String], allowed: [String], exposed: [String]) {
        self.methods = methods.joined(separator: ", ")
        self.allowed = allowed.joined(separator: ", ")
        self.exposed = exposed.joined(separator: ", ")
    }
}
