/// A user ID as a key: nil is the generic user, and IDs are compared byte by byte, so composed and
/// decomposed letters are different users.
///
/// `package` for `ActiveConfigTesting`.
package struct UserID: Sendable, Hashable {
    package let string: String?

    package init(_ string: String?) { self.string = string }

    package static let generic = UserID(nil)

    package static func == (left: UserID, right: UserID) -> Bool {
        switch (left.string, right.string) {
        case (nil, nil): true
        case (let left?, let right?): left.utf8.elementsEqual(right.utf8)
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(string == nil)
        guard var string else { return }
        string.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension UserID: CustomStringConvertible {
    /// For reports and tests: shortened, quoted, control characters escaped.
    package var description: String {
        guard let string else { return "the generic user" }
        let shown = string.count > 40 ? string.prefix(40) + "…" : string[...]
        return "user \(String(shown).debugDescription)"
    }
}
