import Foundation
import JSONTree

/// The reason why a user token is refused, for operators; it is not revealed to clients.
package struct UserTokenRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason as the end of a sentence, such as "it expired at 2027-01-31T12:00:00.000Z (exp)",
    /// without the token and its user.
    package let description: String

    private init(_ description: String) { self.description = description }

    static let absent = UserTokenRefusal("none was sent")

    static let unreadable = UserTokenRefusal(
        "it is not a JWT: three Base64 parts separated by dots, whose claims have the types of RFC "
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
        "its signature is invalid: another key signed it")

    static func issuer(_ found: String?, expected: String) -> UserTokenRefusal {
        UserTokenRefusal(
            "its issuer (iss) is \(found.map(Self.quoted) ?? "missing"), but must be "
                + Self.quoted(expected))
    }

    static func audience(_ found: [String], expected: String) -> UserTokenRefusal {
        let names = found.prefix(10).map(Self.quoted).joined(separator: ", ")
        return UserTokenRefusal(
            "its audience (aud) is \(found.isEmpty ? "missing" : names), but must contain "
                + Self.quoted(expected))
    }

    static func tooEarly(_ begin: Date) -> UserTokenRefusal {
        UserTokenRefusal("it is not valid before \(Self.timestamp(begin)) (nbf)")
    }

    static let noExpiration = UserTokenRefusal(
        "it has no expiry (exp), which this server requires")

    static func expired(_ end: Date) -> UserTokenRefusal {
        UserTokenRefusal("it expired at \(Self.timestamp(end)) (exp)")
    }

    /// A text of the token as one shortened line.
    private static func quoted(_ text: String) -> String {
        JSONNode.string(text.shortened).description
    }

    private static func timestamp(_ date: Date) -> String {
        // Timestamps end with the year 9999.
        min(max(date, .distantPast), Date(timeIntervalSince1970: 253_402_300_799)).timestamp
    }
}
