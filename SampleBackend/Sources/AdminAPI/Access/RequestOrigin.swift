import HTTPServing
import HTTPTypes

/// The origin of the page that caused a browser to send a request (RFC 6454, Fetch Metadata).
struct RequestOrigin: Sendable {
    /// The value of `Origin`; nil when no page caused the request, or when the request only reads.
    let origin: String?

    /// The value of `Sec-Fetch-Site`; nil from old browsers and over plain HTTP.
    let fetchSite: String?

    /// The value of `Host`: the server's name from the browser's point of view.
    let host: String?

    init(_ request: RouteRequest) {
        origin = request.headerFields[.origin]
        fetchSite = request.headerFields[named: "sec-fetch-site"]
        host = request.headerFields[named: "host"]
    }

    /// Rejects a request caused by a page of another origin; `isSecure` is true when the browser's
    /// connection is known to use TLS.
    ///
    /// - Throws: A ``RequestError`` with status 403.
    func check(isSecure: Bool) throws(RequestError) {
        if let origin, !isOwn(origin, isSecure: isSecure) {
            throw .permissionDenied(
                "The page has another origin than this server: open the console at the address "
                    + "of this server. A proxy must pass Host unchanged.")
        }
        if let fetchSite, fetchSite != "same-origin", fetchSite != "none" {
            throw .permissionDenied(
                "The request comes from a page of another site (Sec-Fetch-Site): open the console "
                    + "at the address of this server.")
        }
    }

    private func isOwn(_ origin: String, isSecure: Bool) -> Bool {
        let origin = origin.lowercased()
        for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
        where origin.hasPrefix(scheme) {
            guard var host = host?.lowercased(), !isSecure || port == ":443" else { return false }
            if host.hasSuffix(port) { host.removeLast(port.count) }
            return origin.dropFirst(scheme.count) == host
        }
        return false
    }
}
