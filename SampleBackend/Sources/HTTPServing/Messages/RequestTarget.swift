/// The target of a request line: the decoded segments of its path and its query.
///
/// The path is split at slashes before it is decoded, so `%2F` is a character of a user ID and not
/// a separator. Nothing is normalized: `..` and the empty segment are valid user IDs (PROTOCOL 1).
package struct RequestTarget: Sendable {
    /// The decoded segments: three for `/a//b`, and one empty segment for `/`.
    package let segments: [String]

    /// The parameters of the query; empty without a query.
    package let query: QueryParameters

    /// The target as sent.
    package let text: String

    /// The host of the absolute form; nil in origin form.
    let authority: String?

    /// Parses a target in origin or absolute form.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it has no path, or when the path is not
    ///   percent-encoded UTF-8.
    package init(_ target: String) throws(RequestError) {
        guard let form = TargetParts(target) else { throw Self.noPath }
        let (path, query) = form.pathAndQuery.cut(at: UInt8(ascii: "?"))
        segments = try Self.segments(of: path)
        self.query = QueryParameters(query ?? "")
        text = target
        authority = form.authority
    }

    /// The decoded segments of a path that starts with a slash.
    private static func segments(of path: Substring) throws(RequestError) -> [String] {
        var segments: [String] = []
        segments.reserveCapacity(4)
        var rest = path.cut(at: UInt8(ascii: "/")).after
        while let text = rest {
            let (part, after) = text.cut(at: UInt8(ascii: "/"))
            rest = after
            guard let segment = part.percentDecoded() else {
                throw .invalidArgument(
                    "The path is not percent-encoded UTF-8: encode the segments between "
                        + "its slashes again.")
            }
            segments.append(segment)
        }
        return segments
    }

    /// 400: the target is neither in origin nor in absolute form.
    static let noPath = RequestError.invalidArgument(
        "The request has no path: send one that starts with a slash.")
}

/// The parts of a request target in origin form (`/path?query`) or absolute form
/// (`http://host/path?query`), which is sent to proxies (RFC 9112, 3.2).
package struct TargetParts: Sendable {
    /// The host of the absolute form; nil in origin form.
    package let authority: String?

    /// The path and the query, starting with a slash.
    package let pathAndQuery: Substring

    /// The segments of the path; one that cannot be decoded stays encoded.
    package var segments: [String] {
        pathAndQuery.utf8.prefix { $0 != UInt8(ascii: "?") }.dropFirst()
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { Substring($0).percentDecoded() ?? String(Substring($0)) }
    }

    /// Splits a target; nil when it has neither form.
    package init?(_ target: String) {
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
        // Compares bytes, since a combining mark after the slash would form one character with it.
        pathAndQuery = path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
    }
}
