package import TemplateStore

/// Who administers: the holder of a token.
package struct Administrator: Sendable, Hashable {
    /// The name of the token; it stands in the audit trail.
    package let name: String

    /// What the token allows.
    package let role: StoredToken.Role

    /// Whether they use the console, by its session.
    var usesConsole = false

    /// Makes an administrator.
    package init(name: String, role: StoredToken.Role) {
        self.name = name
        self.role = role
    }
}
