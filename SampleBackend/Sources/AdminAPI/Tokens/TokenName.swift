import Foundation
import HTTPServing
import JSONTree
import TemplateStore

/// Checks the name of a token before it is made: it stands in the audit trail, on terminals too.
enum TokenName: Sendable {
    /// The most characters of a name.
    private static let maximumLength = 100

    /// Checks what a name looks like.
    ///
    /// - Throws: A ``RequestError`` with status 400.
    static func check(_ name: String) throws(RequestError) {
        guard !name.isEmpty, !name.isLonger(than: maximumLength) else {
            throw .invalidArgument(
                "name is missing or too long: send a string of 1 to \(maximumLength) characters.")
        }
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        guard isPlain, name.first?.isWhitespace == false, name.last?.isWhitespace == false else {
            throw .invalidArgument(
                "name has blanks around it, or characters that are not shown: send a plain text.")
        }
        let lowercased = name.lowercased()
        // Who has the server's environment, or opens the store, is named so.
        guard lowercased != AdministratorAccess.environmentTokenName,
            !lowercased.hasPrefix(Administrator.localNamePrefix)
        else {
            throw .invalidArgument(
                "name is \(AdministratorAccess.environmentTokenName), or begins with "
                    + "\(Administrator.localNamePrefix): the audit trail means others by that.")
        }
    }

    /// Checks that no other token that counts has a name.
    ///
    /// - Throws: A ``RequestError`` with status 400.
    static func check(
        _ name: String, isFreeAmong tokens: [StoredToken], date: Date
    ) throws(RequestError) {
        guard !tokens.contains(where: { $0.name == name && $0.isLiving(at: date) }) else {
            throw .invalidArgument(
                "name is that of another token: choose one that the audit trail can tell apart.")
        }
    }
}
