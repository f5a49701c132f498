package import TemplateStore

/// Who administers: the holder of a token.
package struct Administrator: Sendable, Hashable {
    /// The name of the token; it stands in the audit trail.
    package let name: String

    /// What the token allows.
    package let role: StoredToken.Role

    /// Prefix of the names, in the audit trail, of administrators who open a store themselves.
    package static let localNamePrefix = "local:"

    package init(name: String, role: StoredToken.Role) {
        self.name = name
        self.role = role
    }
}
