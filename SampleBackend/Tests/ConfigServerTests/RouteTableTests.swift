import InMemoryTemplateStore
import Logging
import SeededRandomness
import Testing

@testable import ConfigServer
@testable import HTTPServing

struct RouteTableTests {
    private static let order = [
        "/a/{x}", "/a/b", "/a/{rest...}", "/{x}/b/c", "/a/{y}", "/a/b/{x}", "/", "/é",
        "/a/b/{z...}",
    ]

    @Test(
        arguments: [
            ("/a/b", "/a/b"), ("/a/c", "/a/{x}"), ("/a/", "/a/{x}"), ("/a", nil), ("/", "/"),
            ("/a/c/d", "/a/{rest}"), ("/a/b/c", "/a/b/{x}"), ("/q/b/c", "/{x}/b/c"),
            ("/a/b/c/d", "/a/b/{z}"), ("/q/b/d", nil), ("/e\u{301}", nil), ("/\u{e9}", "/é"),
        ] as [(String, String?)])
    func aLiteralPrecedesAParameter(path: String, pattern: String?) throws {
        let patterns = Self.order.map { RoutePattern($0) }
        let segments = try RequestTarget(path.percentEncodedSegments).segments
        #expect(
            RouteTable(patterns).index(of: segments).map { patterns[$0].description } == pattern)
    }

    @Test(
        arguments: [
            ("/a/1:go", "/a/{x}:go", "1"), ("/a/1:stop", "/a/{x}:stop", "1"),
            ("/a/1:go:go", "/a/{x}:go", "1:go"), ("/a/:go", "/a/{x}", ":go"),
            ("/a/1:Go", "/a/{x}", "1:Go"), ("/a/1:go/more", "/a/{x}/more", "1:go"),
        ] as [(String, String, String)])
    func aParameterWithAnEndPrecedesOneWithout(
        path: String, pattern: String, value: String
    ) throws {
        let patterns = ["/a/{x}", "/a/{x}:go", "/a/{x}:stop", "/a/{x}/more"]
            .map { RoutePattern($0) }
        let segments = try RequestTarget(path.percentEncodedSegments).segments
        let index = try #require(RouteTable(patterns).index(of: segments))
        #expect(patterns[index].description == pattern)
        #expect(PathParameters(segments, of: patterns[index])["x"] == value)
    }

    /// What the table finds, by comparing a path with every pattern.
    private static func best(_ patterns: [RoutePattern], for path: [String]) -> Int? {
        func ranks(_ pattern: RoutePattern) -> [Int]? {
            var ranks: [Int] = []
            for (place, segment) in pattern.segments.enumerated() {
                guard place < path.count else { return nil }
                switch segment {
                case .literal(let text):
                    guard text.utf8.elementsEqual(path[place].utf8) else { return nil }
                    ranks.append(0)
                case .parameter: ranks.append(1)
                case .rest: return ranks + [2]
                }
            }
            return path.count == pattern.segments.count ? ranks : nil
        }
        return patterns.indices.compactMap { index in ranks(patterns[index]).map { ($0, index) } }
            .min { $0.0.lexicographicallyPrecedes($1.0) }?.1
    }

    @Test func theTableFindsWhatComparingEveryPatternFinds() {
        var random = SeededGenerator.printingItsSeed()
        func path(_ parts: [String], upTo count: Int) -> [String] {
            (0..<Int.random(in: 1...count, using: &random)).map { _ in
                parts.randomElement(using: &random) ?? ""
            }
        }
        for _ in 0..<Rounds.count(500, nightly: 20_000) {
            let patterns = (0..<12).map { _ in
                let last = Bool.random(using: &random) ? ["{r...}"] : []
                return RoutePattern(
                    "/" + (path(["a", "b", "{x}"], upTo: 4) + last).joined(separator: "/"))
            }
            let table = RouteTable(patterns)
            for _ in 0..<20 {
                let path = path(["a", "b", "c", ""], upTo: 5)
                #expect(
                    table.index(of: path) == Self.best(patterns, for: path),
                    "\(patterns) \(path)")
            }
        }
    }

    /// No route hides another one.
    @Test func everyRouteOfTheServerIsFound() {
        let server = ConfigServer(
            unread: InMemoryTemplateStore(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let patterns = server.groups.flatMap(\.routes).map(\.pattern)
        let table = RouteTable(patterns)
        for (index, pattern) in patterns.enumerated() {
            let path = pattern.segments.map { segment in
                switch segment {
                case .literal(let text): text
                case .parameter(_, let end): "any" + end
                case .rest: "any"
                }
            }
            #expect(table.index(of: path) == index, "\(pattern)")
        }
    }
}

extension String {
    /// The path with its segments encoded.
    fileprivate var percentEncodedSegments: String {
        split(separator: "/", omittingEmptySubsequences: false).map { String($0).percentEncoded }
            .joined(separator: "/")
    }
}
