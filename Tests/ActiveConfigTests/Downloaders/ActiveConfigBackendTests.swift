import ActiveConfig
import Foundation
import Testing

/// The URLs of the wire contract.
struct ActiveConfigBackendTests {
    @Test(
        arguments: [
            (nil, "/activeconfig"), ("1", "/activeconfig/user/1"),
            ("a/b c?d#e%2F", "/activeconfig/user/a%2Fb%20c%3Fd%23e%252F"),
            ("🦊", "/activeconfig/user/%F0%9F%A6%8A"), ("e\u{301}", "/activeconfig/user/e%CC%81"),
            ("a\0b", "/activeconfig/user/a%00b"), ("...", "/activeconfig/user/..."),
            ("../..", "/activeconfig/user/..%2F.."), ("", "/active_config?userID="),
            (".", "/active_config?userID=."), ("..", "/active_config?userID=.."),
        ] as [(String?, String)])
    func hasAURLForEveryUserID(userID: String?, path: String) throws {
        for base in ["http://h:1", "http://h:1/", "http://h:1/api"] {
            let backend = ActiveConfigBackend(url: try #require(URL(string: base)))
            let root = base.hasSuffix("/") ? String(base.dropLast()) : base
            #expect(backend.configurationURL(forUserID: userID).absoluteString == root + path)
        }
    }
}
