package import TemplateStore

/// The holder of an administrator token.
package struct Administrator: Sendable, Hashable {
    /// The name of the token, as the audit trail shows it.
    package let name: String

    package let role: StoredToken.Role

    /// Prefix, in the audit trail, of the names of administrators who open a store directly.
    package static let localNamePrefix = "local:"

    package init(name: String, role: StoredToken.Role) {
        self.name = name
        self.role = role
    }
}
