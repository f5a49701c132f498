import Foundation
import Testing

@testable import ActiveConfig

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The redirects that are followed, and the header fields that are forwarded.
struct RedirectPolicyTests {
    private func request(
        from url: String, to newURL: String, method: String = "GET"
    ) throws -> URLRequest? {
        var request = URLRequest(url: try #require(URL(string: newURL)))
        request.httpMethod = method
        request.setValue("secret", forHTTPHeaderField: "Authorization")
        request.setValue("\"t\"", forHTTPHeaderField: "If-None-Match")
        return RedirectPolicy(url: URL(string: url)).request(following: request)
    }

    @Test(arguments: [
        ("https://a.example/x", "http://a.example/x"),
        ("https://a.example/x", "http://a.example:443/x"),
        ("HTTPS://a.example:8443/x", "http://a.example:8443/x"),
        ("https://a.example/x", "https://b.example/x"),
        ("http://a.example/x", "http://a.example.b/x"), ("http://a.example/x", "file:///x"),
        ("http://a.example/x", "ftp://a.example/x"),
    ])
    func aRedirectFromTLSToHTTPOrToAnotherHostIsRefused(url: String, newURL: String) throws {
        #expect(try request(from: url, to: newURL) == nil)
    }

    @Test(arguments: [
        ("https://a.example/x", "https://a.example/y"),
        ("http://a.example/x", "HTTP://A.example/y"),
        ("https://a.example/x", "https://a.example:443/y"),
        ("http://a.example:80/x", "http://a.example/y"),
    ])
    func aRedirectWithinTheOriginKeepsAllHeaderFields(url: String, newURL: String) throws {
        let followed = try #require(try request(from: url, to: newURL, method: "POST"))
        #expect(followed.url?.absoluteString == newURL)
        #expect(followed.value(forHTTPHeaderField: "Authorization") == "secret")
    }

    @Test(arguments: [
        ("http://a.example/x", "https://a.example/x"),
        ("https://a.example/x", "https://a.example:8443/x"),
    ])
    func aRedirectToAnotherOriginOfTheHostKeepsNoCredential(url: String, newURL: String) throws {
        let followed = try #require(try request(from: url, to: newURL))
        #expect(followed.value(forHTTPHeaderField: "Authorization") == nil)
        #expect(followed.value(forHTTPHeaderField: "If-None-Match") == "\"t\"")
        #expect(try request(from: url, to: newURL, method: "POST") == nil)
    }
}
