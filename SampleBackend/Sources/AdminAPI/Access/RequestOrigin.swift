import HTTPServing
import HTTPTypes

/// The origin of the page that makes a browser send a request (RFC 6454, Fetch Metadata).
struct RequestOrigin: Sendable {
    /// Value of `Origin`; nil when no page sends the request, or when it only reads.
    let origin: String?

    /// Value of `Sec-Fetch-Site`; nil from old browsers and over plain HTTP.
    let fetchSite: String?

    /// Value of `Host`: this server's name as the browser knows it.
    let host: String?

    init(_ request: RouteRequest) {
        origin = request.headerFields[.origin]
        fetchSite = request.headerFields[named: "sec-fetch-site"]
        host = request.headerFields[named: "host"]
    }

    /// Rejects a request that a page of another origin makes the browser send; `isSecure` is true
    /// when the browser's connection is known to be TLS.
    ///
    /// - Throws: A ``RequestError`` with status 403.
    func check(isSecure: Bool) throws(RequestError) {
        if let origin, !isOwn(origin, isSecure: isSecure) {
            throw .permissionDenied(
                "The page is of another origin than this server: open the console at the address "
                    + "of this server. A proxy has to pass Host as it came.")
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
