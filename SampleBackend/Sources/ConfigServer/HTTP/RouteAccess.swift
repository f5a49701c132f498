import TemplateStore

/// Who may call an endpoint.
enum RouteAccess: Sendable {
    /// Everybody.
    case open

    /// Apps, by what ``ClientAccess`` asks for.
    case client

    /// Administrators with this role or a higher one.
    case administrator(StoredToken.Role)

    /// Administrators with a role that depends on the request.
    case administratorWithRole(@Sendable (RouteRequest) -> StoredToken.Role)
}
