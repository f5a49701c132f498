import Foundation
import JSONTree
import Rendering
import SeededRandomness
import Targeting
import Templates
import Testing

#if os(Linux)
    /// The memory use of rendered documents, in separate processes.
    @Suite(
        .timeLimit(.minutes(Rounds.minutes)),
        .disabled(if: ProcessInfo.processInfo.environment["ACTIVECONFIG_SANITIZER"] != nil))
    struct RenderCacheTests {
        private static let limit = 8 << 20

        @Test func theLimitIsOneOfMemoryForSmallDocuments() async {
            await #expect(processExitsWith: .success) {
                try RenderCacheTests.fillCache(with: String(repeating: "x", count: 100))
            }
        }

        @Test func theLimitIsOneOfMemoryForLargeDocuments() async {
            await #expect(processExitsWith: .success) {
                try RenderCacheTests.fillCache(with: String(repeating: "x", count: 3_000))
            }
        }

        @Test func theLimitIsOneOfMemoryForDocumentsWithTheUserID() async {
            await #expect(processExitsWith: .success) {
                try RenderCacheTests.fillCache(
                    with: "${user.id}" + String(repeating: "x", count: 300))
            }
        }

        /// Renders documents with a value in two settings until the cache evicts some, and compares
        /// their memory with the counted bytes.
        private static func fillCache(with value: String) throws {
            let names = (0..<15).map { "c\($0)" }
            let template: JSONNode = [
                "conditions": .array(
                    names.map { name in
                        [
                            "name": .string(name),
                            "expression": .string(
                                "app.customSignal['names'].contains(['<\(name)>'])"),
                        ]
                    }),
                "parameters": [
                    "p": ["defaultValue": ["value": .string(value)]],
                    "q": ["defaultValue": ["value": .string(value)]],
                ],
            ]
            let compiled = CompiledTemplate(
                try ValidatedTemplate(json: template),
                version: TemplateVersion(number: 7, updateTime: Date()))
            func render(_ number: Int, of project: PublishedProject) {
                let isTrue = names.indices.filter { number & (1 << $0) != 0 }
                let text = isTrue.map { "<\(names[$0])>" }.joined()
                _ = project.rendered(
                    for: TargetingContext(
                        userID: "1", signals: Signals(custom: ["names": text]), date: Date()))
            }
            // The first documents include memory of the process itself.
            let first = PublishedProject(compiled, cache: RenderCache(maximumBytes: limit))
            for number in 0..<300 { render(number, of: first) }
            let cache = RenderCache(maximumBytes: limit)
            let project = PublishedProject(compiled, cache: cache)
            let before = try residentBytes
            var (number, counted, measured) = (0, 0, 0)
            while cache.bytes >= counted {
                (counted, measured) = (cache.bytes, try residentBytes - before)
                render(number, of: project)
                number += 1
            }
            #expect(counted <= limit)
            let ratio = Double(measured) / Double(counted)
            #expect((1 / 1.3...1.3).contains(ratio), "\(measured) measured, \(counted) counted")
            _ = first
        }

        private static var residentBytes: Int {
            get throws {
                let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
                let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
                return try #require(pages) * 4_096
            }
        }
    }
#endif
