import Foundation
import JSONTree

/// The reason why a user's token is refused, for the operator: the client is not told.
package struct UserTokenRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason as the end of a sentence, such as "it has expired at 2027-01-31T12:00:00.000Z (exp)"; without the
    /// token and its user.
    package let description: String

    private init(_ description: String) { self.description = description }

    static let absent = UserTokenRefusal("none was sent")

    static let unreadable = UserTokenRefusal(
        "it is no JWT: three parts in Base64 with dots between them, whose claims have the types of RFC "
            + "7519")

    static let extended = UserTokenRefusal(
        "its header has \"crit\": this server knows no extensions of JWT")

    static let noSubject = UserTokenRefusal("it has no subject (sub), which is the user's ID")

    static func unknownKey(algorithm: String, id: String?) -> UserTokenRefusal {
        let name = id.map { " and the kid \(Self.quoted($0))" } ?? ""
        return UserTokenRefusal(
            "the server has no key for the algorithm \(Self.quoted(algorithm))\(name)")
    }

    static let wrongSignature = UserTokenRefusal(
        "its signature does not fit: another key has signed it")

    static func issuer(_ found: String?, expected: String) -> UserTokenRefusal {
        UserTokenRefusal(
            "its issuer (iss) is \(found.map(Self.quoted) ?? "missing"), and has to be "
                + Self.quoted(expected))
    }

    static func audience(_ found: [String], expected: String) -> UserTokenRefusal {
        let names = found.prefix(10).map(Self.quoted).joined(separator: ", ")
        return UserTokenRefusal(
            "its audience (aud) is \(found.isEmpty ? "missing" : names), and has to have "
                + Self.quoted(expected))
    }

    static func tooEarly(_ begin: Date) -> UserTokenRefusal {
        UserTokenRefusal("it is not valid before \(Self.timestamp(begin)) (nbf)")
    }

    static let noExpiration = UserTokenRefusal(
        "it has no expiry (exp), which this server needs")

    static func expired(_ end: Date) -> UserTokenRefusal {
        UserTokenRefusal("it has expired at \(Self.timestamp(end)) (exp)")
    }

    /// A text of the token on one line, shortened.
    private static func quoted(_ text: String) -> String {
        JSONNode.string(text.shortened).description
    }

    private static func timestamp(_ date: Date) -> String {
        // Later years have no timestamp.
        min(max(date, .distantPast), Date(timeIntervalSince1970: 253_402_300_799)).timestamp
    }
}
