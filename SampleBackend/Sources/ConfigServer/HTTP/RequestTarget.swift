/// A type that holds what a request line asks for: the decoded segments of the path, and the query.
///
/// The path is split at its slashes before anything is decoded, so that `%2F` is a character of a
/// user ID and no separator. Nothing is normalized: `..` and an empty segment are user IDs like any
/// other (HTTP 1).
struct RequestTarget: Sendable {
    /// The path as it came, percent-encoded, without the query.
    let path: Substring

    /// The decoded segments; `/a//b` has three, `/` has one, an empty one.
    let segments: [String]

    /// The query's parameters; none without a query.
    let query: QueryParameters

    /// Reads the target of a request line.
    ///
    /// - Parameter target: The target in origin or absolute form.
    /// - Throws: A ``RequestError`` with status 400 when it has no path, or when the path is not
    ///   percent-encoded UTF-8.
    init(_ target: String) throws(RequestError) {
        guard let form = TargetParts(target) else { throw Self.noPath }
        let bytes = form.pathAndQuery.utf8
        let path = bytes.prefix { $0 != UInt8(ascii: "?") }
        var segments: [String] = []
        let parts = path.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for part in parts {
            guard let segment = Substring(part).percentDecoded() else {
                throw .invalidArgument(
                    "The path is not percent-encoded UTF-8: encode what stands between "
                        + "its slashes again.")
            }
            segments.append(segment)
        }
        self.path = Substring(path)
        self.segments = segments
        self.query = QueryParameters(Substring(bytes[path.endIndex...].dropFirst()))
    }

    /// 400: the target is in neither form.
    static let noPath = RequestError.invalidArgument(
        "The request has no path: send one that begins with a slash.")
}
