/// A type that tells whether a path belongs to a route, such as `/activeconfig/user/{userID}`.
struct RoutePattern: Sendable, Hashable, CustomStringConvertible {
    /// One segment of the pattern.
    private enum Segment: Sendable, Hashable {
        /// A segment that must be exactly this, once decoded.
        case literal(String)
        /// A segment that may be anything, also empty, known by this name.
        case parameter(String)
        /// The rest of the path, one segment or more with the slashes between them, known by this
        /// name.
        case rest(String)
    }

    /// The pattern as OpenAPI writes it, which calls it a path template and knows no `...`.
    let description: String

    /// The segments between the slashes.
    private let segments: [Segment]

    /// Reads a pattern.
    ///
    /// - Parameter pattern: Segments after slashes; one in braces is a parameter, and the last may
    ///   be one like `{key...}`, which takes the rest of the path.
    init(_ pattern: String) {
        description = pattern.replacing(Self.restMark, with: "}")
        segments = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            .map { segment in
                guard segment.hasPrefix("{") else { return .literal(String(segment)) }
                let name = segment.dropFirst()
                return name.hasSuffix(Self.restMark)
                    ? .rest(String(name.dropLast(Self.restMark.count)))
                    : .parameter(String(name.dropLast()))
            }
    }

    /// How a parameter ends that takes the rest of the path.
    private static let restMark = "...}"

    /// Compares a path with the pattern.
    ///
    /// - Parameter path: The decoded segments of a path.
    /// - Returns: The values of the parameters by name, or nil when the path is another route's.
    func match(_ path: [String]) -> [String: String]? {
        var parameters: [String: String] = [:]
        var path = path
        if case .rest(let name)? = segments.last {
            guard path.count >= segments.count else { return nil }
            parameters[name] = path[(segments.count - 1)...].joined(separator: "/")
            path.removeSubrange(segments.count...)
        }
        guard path.count == segments.count else { return nil }
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .rest: break
            case .literal(let literal):
                guard literal.utf8.elementsEqual(text.utf8) else { return nil }
            case .parameter(let name):
                parameters[name] = text
            }
        }
        return parameters
    }
}
