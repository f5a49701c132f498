/// The parts of a request line's target, in origin form (`/path?query`) or absolute form
/// (`http://host/path?query`), which proxies are sent (RFC 9112, 3.2).
struct TargetParts: Sendable {
    /// The host of the absolute form; nil of the origin form.
    let authority: String?

    /// The path and the query; it begins with a slash.
    let pathAndQuery: Substring

    /// Splits a target, or gives nil when it has neither form.
    init?(_ target: String) {
        let bytes = target.utf8
        if bytes.first == UInt8(ascii: "/") {
            authority = nil
            pathAndQuery = target[...]
            return
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            ["http", "https"].contains(target[..<colon].lowercased()),
            bytes[bytes.index(after: colon)...].starts(with: "//".utf8)
        else { return nil }
        let rest = bytes[bytes.index(colon, offsetBy: 3)...]
        let authority = rest.prefix { ![UInt8(ascii: "/"), UInt8(ascii: "?")].contains($0) }
        self.authority = String(Substring(authority))
        let path = Substring(rest[authority.endIndex...])
        pathAndQuery = path.hasPrefix("/") ? path : "/" + path
    }
}
