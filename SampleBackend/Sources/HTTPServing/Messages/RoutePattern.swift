/// A path pattern, such as `/activeconfig/user/{userID}`.
package struct RoutePattern: Sendable, Hashable, CustomStringConvertible {
    enum Segment: Sendable, Hashable {
        /// Matches exactly this text after decoding.
        case literal(String)
        /// Matches any segment with this end; without one, also an empty segment.
        case parameter(String, end: String)
        /// Matches the rest of a path: one or more segments with the slashes between them.
        case rest(String)
    }

    /// The pattern in OpenAPI's syntax, without `...`.
    package let description: String

    let segments: [Segment]

    /// Parses a pattern.
    ///
    /// `{name}` is a parameter, and `{name}:act` one whose segment ends in `:act`; `{name...}`,
    /// allowed only as the last segment, matches the rest of the path.
    package init(_ pattern: String) {
        description = pattern.replacing(Self.restMark, with: "}")
        segments = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            .map { segment in
                guard segment.hasPrefix("{") else { return .literal(String(segment)) }
                let name = segment.dropFirst()
                return name.hasSuffix(Self.restMark)
                    ? .rest(String(name.dropLast(Self.restMark.count)))
                    : .parameter(
                        String(name.prefix { $0 != "}" }),
                        end: String(name.drop { $0 != "}" }.dropFirst()))
            }
    }

    private static let restMark = "...}"

    /// The value of a parameter in the decoded segments of a matching path; nil when there is no
    /// parameter of this name.
    fileprivate func value(of name: String, in path: [String]) -> String? {
        for (index, segment) in segments.enumerated() {
            switch segment {
            case .parameter(name, let end):
                return String(Substring(path[index].utf8.dropLast(end.utf8.count)))
            case .rest(name): return path[index...].joined(separator: "/")
            case .literal, .parameter, .rest: continue
            }
        }
        return nil
    }
}

/// The decoded values of the parameters in a request's path, by name.
package struct PathParameters: Sendable {
    private let pattern: RoutePattern?
    private let path: [String]

    /// Creates the parameters of a path that matches the pattern; none without a pattern.
    package init(_ path: [String] = [], of pattern: RoutePattern? = nil) {
        self.path = path
        self.pattern = pattern
    }

    /// The value of a parameter; nil when the pattern has none of this name.
    package subscript(name: String) -> String? { pattern?.value(of: name, in: path) }
}
