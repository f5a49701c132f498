/// A type that tells whether a path belongs to a route, such as `/activeconfig/user/{userID}`.
struct RoutePattern: Sendable, Hashable, CustomStringConvertible {
    /// One segment of the pattern.
    private enum Segment: Sendable, Hashable {
        /// A segment that must be exactly this, once decoded.
        case literal(String)
        /// A segment that may be anything, also empty, known by this name.
        case parameter(String)
    }

    /// The pattern as written: what OpenAPI calls a path template.
    let description: String

    /// The segments between the slashes.
    private let segments: [Segment]

    /// Reads a pattern.
    ///
    /// - Parameter pattern: Segments after slashes; one in braces is a parameter.
    init(_ pattern: String) {
        description = pattern
        segments = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            .map { segment in
                segment.hasPrefix("{")
                    ? .parameter(String(segment.dropFirst().dropLast()))
                    : .literal(String(segment))
            }
    }

    /// Compares a path with the pattern.
    ///
    /// - Parameter path: The decoded segments of a path.
    /// - Returns: The values of the parameters by name, or nil when the path is another route's.
    func match(_ path: [String]) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var parameters: [String: String] = [:]
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .literal(let literal):
                guard literal.utf8.elementsEqual(text.utf8) else { return nil }
            case .parameter(let name):
                parameters[name] = text
            }
        }
        return parameters
    }
}
