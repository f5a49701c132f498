import Foundation
import HTTPServing
import JSONTree

/// Checks the names of new tokens, which the audit trail and terminals show.
enum TokenName: Sendable {
    /// In characters.
    private static let maximumLength = 100

    /// In characters: an issuer and a subject.
    private static let maximumOwnerLength = 2_048 + 1 + 255

    /// The owner of a new token in a request, without surrounding spaces; nil for a token of a
    /// program.
    ///
    /// - Throws: A ``RequestError`` with status 400 for anything but a text that can be a name.
    static func owner(in node: JSONNode?) throws(RequestError) -> String? {
        guard let node, node != .null else { return nil }
        guard let text = node.stringValue else {
            throw .invalidArgument(
                "owner is \(node.kindDescription): send the name of a person, or leave it out.")
        }
        let owner = text.trimmingCharacters(in: .whitespacesAndNewlines)
        try ShownText.check(owner, named: "owner", maximumLength: maximumOwnerLength)
        // Signed-in people have the names of their addresses, which are in lower case, or of issuer
        // and subject.
        return owner.contains("@") && !owner.contains("://") ? owner.lowercased() : owner
    }

    /// Checks length and characters, and rejects reserved names.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - person: The person who creates the token, and whose name it may have; nil for a program.
    /// - Throws: A ``RequestError`` with status 400.
    static func check(_ name: String, by person: String?) throws(RequestError) {
        try ShownText.check(name, named: "name", maximumLength: maximumLength)
        // Normalized, since other spaces and letter forms look the same.
        let lowercased = name.precomposedStringWithCompatibilityMapping.lowercased()
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        // The audit trail uses these names for the environment's token, for administrators who open
        // the store directly, and for sessions.
        guard lowercased != AdministratorAccess.environmentTokenName,
            !lowercased.hasPrefix(Administrator.localNamePrefix),
            !lowercased.hasPrefix(AdministratorSession.namePrefix.lowercased())
        else {
            throw .invalidArgument(
                "name is \"\(AdministratorAccess.environmentTokenName)\", or begins with "
                    + "\"\(Administrator.localNamePrefix)\" or "
                    + "\"\(AdministratorSession.namePrefix)\": the audit trail reserves these names."
            )
        }
        // Versions and the audit trail name people who sign in by an address, or by issuer and
        // subject.
        guard
            !["@", "://"].contains(where: lowercased.contains)
                || person?.hasSameBytes(as: name) ?? false
        else {
            throw .invalidArgument(
                "name contains \"@\" or \"://\", as the names of people who sign in do: give the "
                    + "token another name, and put the person into owner.")
        }
    }
}
