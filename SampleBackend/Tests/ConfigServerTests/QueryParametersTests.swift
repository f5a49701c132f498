import Testing

@testable import HTTPServing

struct QueryParametersTests {
    /// All queries of up to six of these pieces.
    private static let queries: [String] = {
        let pieces = ["a", "=", "&", "%26", "%"]
        var (all, longest) = ([""], [""])
        for _ in 0..<6 {
            longest = longest.flatMap { query in pieces.map { query + $0 } }
            all += longest
        }
        return all
    }()

    /// Reads parameters by splitting the text.
    private static func split(_ query: String) -> [[String?]] {
        query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return [parts[0].percentDecoded(), (parts.count > 1 ? parts[1] : "").percentDecoded()]
        }
    }

    @Test func parametersAreThePartsBetweenTheirSeparators() {
        for query in Self.queries {
            let expected = Self.split(query)
            // Within a longer text, as in a target.
            for text in [query, "/päth?\(query)"] {
                let parameters = QueryParameters(text.dropFirst(text.count - query.count))
                #expect(parameters.map { [$0.name, $0.value] } == expected, "\(text)")
            }
        }
    }
}
