import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides whether a request may be redirected, and with which header fields.
///
/// Any header field can hold a credential, not only `Authorization`. Another origin (scheme, host
/// and port) gets only fields known to hold none.
struct RedirectPolicy {
    let url: URL?

    /// Nil refuses the redirect: to another host, from https to http, or with a body to another
    /// origin.
    func request(following request: URLRequest) -> URLRequest? {
        guard let url, let newURL = request.url, let origin = Origin(url),
            let newOrigin = Origin(newURL), newOrigin.host == origin.host,
            newOrigin.scheme == "https" || origin.scheme == "http"
        else { return nil }
        if newOrigin == origin { return request }
        guard ["GET", "HEAD"].contains(request.httpMethod ?? "GET") else { return nil }
        return withoutCredentials(request)
    }

    private func withoutCredentials(_ request: URLRequest) -> URLRequest? {
        guard let url = request.url,
            var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return nil }
        components.user = nil
        components.password = nil
        var request = request
        request.url = components.url
        request.httpBody = nil
        for name in request.credentialFields.keys {
            request.setValue(nil, forHTTPHeaderField: name)
        }
        return request
    }

    /// Scheme, host and port of an http or https URL.
    private struct Origin: Equatable {
        let scheme: String
        let host: String
        let port: Int

        init?(_ url: URL) {
            guard let scheme = url.scheme?.lowercased(), let host = url.host()?.lowercased() else {
                return nil
            }
            switch scheme {
            case "http": port = url.port ?? 80
            case "https": port = url.port ?? 443
            default: return nil
            }
            self.scheme = scheme
            self.host = host
        }
    }
}

extension URLRequest {
    /// Header fields that hold no credentials.
    private static let harmlessFields: Set = [
        "accept", "accept-encoding", "accept-language", "activeconfig-template-version",
        "cache-control", "if-modified-since", "if-none-match", "user-agent",
    ]

    /// The header fields that can hold a credential: all but those known to hold none.
    var credentialFields: [String: String] {
        (allHTTPHeaderFields ?? [:]).filter { !Self.harmlessFields.contains($0.key.lowercased()) }
    }
}
