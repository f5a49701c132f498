import ActiveConfig
import Foundation
import JSONTree
import NIOConcurrencyHelpers
import Rendering
import SeededRandomness
import Targeting
import Templates
import Testing

@testable import ActiveConfigEvaluation

/// The memory of the documents and sections of a template.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct DocumentCacheTests {
    /// Counts the bytes of the sections that are alive.
    private final class Section: Sendable {
        let bytes: Int
        private let living: NIOLockedValueBox<Int>

        init(bytes: Int, living: NIOLockedValueBox<Int>) {
            (self.bytes, self.living) = (bytes, living)
            living.withLockedValue { $0 += bytes }
        }

        deinit { living.withLockedValue { $0 -= bytes } }
    }

    private static let maximumBytes = 64 << 10

    private static let sectionCount = 3

    private static func results(_ bits: Int) -> ConditionResults {
        var results = ConditionResults(count: 12)
        for index in 0..<12 { results[index] = bits & (1 << index) != 0 }
        return results
    }

    /// Puts a document together as an evaluator does.
    private static func evaluate(
        _ bits: Int, _ cache: DocumentCache<Section, [Section]>,
        _ living: NIOLockedValueBox<Int>
    ) {
        let results = results(bits)
        guard cache[results] == nil else { return }
        let rotations = cache.rotations
        var (document, own): ([Section], Int) = ([], 0)
        for index in 0..<sectionCount {
            // Each section depends on four conditions.
            let key = SectionKey(
                index: index, results: self.results(bits & (15 << (4 * index))))
            let shared =
                cache[key]
                ?? cache.keep(
                    Section(bytes: 3_000 << index, living: living), of: 3_000 << index, for: key)
            document.append(shared.section)
            own += shared.isCached ? 0 : shared.bytes
        }
        cache.keep(document, of: 1_000 + own, for: results, since: rotations)
    }

    @Test func documentsKeepNoSectionsAliveBeyondTheMemory() {
        let living = NIOLockedValueBox(0)
        let cache = DocumentCache<Section, [Section]>(maximumBytes: Self.maximumBytes)
        var generator = SeededGenerator.printingItsSeed()
        var largest = 0
        for _ in 0..<20_000 {
            // Most users have the results of few.
            let bits = Int.random(
                in: 0..<(Bool.random(using: &generator) ? 4 : 4_096), using: &generator)
            Self.evaluate(bits, cache, living)
            largest = max(largest, living.withLockedValue { $0 })
            #expect(cache.bytes <= Self.maximumBytes)
        }
        #expect(largest <= Self.maximumBytes)
        #expect(largest > Self.maximumBytes / 4)
        #expect(cache.rotations > 10)
    }

    @Test func threadsThatEvaluateAtTheSameTimeKeepWithinTheMemory() async {
        let living = NIOLockedValueBox(0)
        let cache = DocumentCache<Section, [Section]>(maximumBytes: Self.maximumBytes)
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<5_000 {
                        Self.evaluate((round &* 7_919 &+ task &* 131) % 4_096, cache, living)
                    }
                }
            }
        }
        #expect(cache.bytes <= Self.maximumBytes)
        #expect(living.withLockedValue { $0 } <= Self.maximumBytes)
    }

    @Test func documentsThatComeOnceTakeNoMemoryFromTheSections() {
        let living = NIOLockedValueBox(0)
        let cache = DocumentCache<Section, [Section]>(maximumBytes: 1 << 20)
        let key = SectionKey(index: 0, results: Self.results(0))
        let shared = cache.keep(Section(bytes: 3_000, living: living), of: 3_000, for: key)
        let bytes = cache.bytes
        for bits in 0..<4_096 {
            cache.keep([shared.section], of: 1_000, for: Self.results(bits), since: 0)
        }
        // A result that looks like another one of the 2,048 places is taken for it.
        #expect(cache.documentCount < 4)
        #expect(cache.bytes <= bytes + 4 * 2_000)
        #expect(cache.rotations == 0)
    }

    @Test func aDocumentThatComesAgainIsKept() {
        let cache = DocumentCache<Int, Int>(maximumBytes: 1 << 20)
        let results = Self.results(5)
        cache.keep(1, of: 1_000, for: results, since: 0)
        #expect(cache[results] == nil)
        cache.keep(2, of: 1_000, for: results, since: 0)
        #expect(cache[results] == 2)
    }

    @Test func aSectionBeyondHalfOfTheMemoryIsNotKept() {
        let living = NIOLockedValueBox(0)
        let cache = DocumentCache<Section, [Section]>(maximumBytes: Self.maximumBytes)
        let key = SectionKey(index: 0, results: Self.results(1))
        let shared = cache.keep(
            Section(bytes: 40_000, living: living), of: 40_000, for: key)
        #expect(!shared.isCached)
        for _ in 0..<2 {
            cache.keep([shared.section], of: shared.bytes, for: Self.results(1), since: 0)
        }
        #expect(cache[key] == nil)
        #expect(cache.documentCount == 0)
        #expect(cache.bytes == 0)
    }

    /// 20 percentages make a million documents of one section.
    @Test func aLargeSectionWithManyConditionsKeepsWithinTheMemory() throws {
        let config = ActiveConfig(options: ActiveConfigOptions(log: .disabled))
        let names = (0..<20).map { "c\($0)" }
        let conditions = JSONNode.array(
            names.map {
                ["name": .string($0), "expression": .string("percent('\($0)') <= 50")]
            })
        let text = JSONNode.string(String(repeating: "x", count: 10_000))
        let parameters = JSONNode(
            sorting: names.map { name in
                (
                    key: name,
                    value: [
                        "defaultValue": ["value": "a"],
                        "conditionalValues": [name: ["value": "b"]],
                    ] as JSONNode
                )
            } + [(key: "text", value: ["defaultValue": ["value": text]] as JSONNode)])
        let compiled = CompiledTemplate(
            try ValidatedTemplate(
                json: [
                    "conditions": conditions,
                    "parameterGroups": ["Home": ["parameters": parameters]],
                ], limits: .none), version: TemplateVersion(number: 1, updateTime: Date()))
        let template = LoadedTemplate(
            PublishedProject(compiled), of: config, cacheBytes: 1 << 20)
        for number in 0..<200 {
            let context = TargetingContext(userID: "\(number)", signals: Signals(), date: Date())
            for _ in 0..<2 { #expect(template.snapshot(for: context)?["Home"] != nil) }
            #expect(template.cachedBytes <= 1 << 20)
            // Each with a section of 60 kB.
            #expect(template.cachedCount <= 9)
        }
        #expect(template.cachedCount > 0)
    }
}
