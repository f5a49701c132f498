import Foundation
import HTTPServing
import JSONTree
import NIOConcurrencyHelpers
import SeededRandomness
import TemplateStore
import Templates
import Testing

@testable import AdminAPI

/// The versions that the server reads for the history of settings, and the handling of failures.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SettingHistoryReadingTests {
    /// Versions whose parameter `a` has the version's number as its value; the versions in `old`
    /// also have the parameter `old`.
    private struct ScriptedVersions: VersionReading {
        let numbers: ClosedRange<Int>
        var old = 1...1
        let reads = NIOLockedValueBox<[Int]>([])
        var onRead: @Sendable (Int) async throws -> Bool = { _ in true }

        private func version(_ number: Int) -> TemplateVersion {
            TemplateVersion(
                number: number, updateTime: Date(timeIntervalSince1970: Double(number)))
        }

        func versions(limit: Int) async throws -> VersionPage {
            let newest = numbers.reversed().prefix(limit).map(version)
            let hasMore = newest.count < numbers.count
            return VersionPage(
                versions: newest, nextVersion: hasMore ? newest.last.map { $0.number - 1 } : nil)
        }

        func template(version number: Int) async throws -> StoredTemplate? {
            reads.withLockedValue { $0.append(number) }
            guard try await onRead(number) else { return nil }
            var parameters: JSONNode = ["a": ["defaultValue": ["value": .string("\(number)")]]]
            if old.contains(number) {
                parameters.setMember("old", ["defaultValue": ["value": "1"]])
            }
            return StoredTemplate(
                project: "p", version: version(number),
                content: (["parameters": parameters] as JSONNode).jsonData(), revision: .zero)
        }

        /// The numbers of the versions read since the previous call.
        func takeReads() -> [Int] {
            reads.withLockedValue { reads in
                defer { reads = [] }
                return reads
            }
        }
    }

    @Test(arguments: [100, 101, 130])
    func aKnownVersionIsNotReadAgain(newest: Int) async throws {
        let histories = SettingHistories()
        var project = ScriptedVersions(numbers: 1...newest)
        _ = try await histories.history(ofProject: "p", from: project)
        #expect(project.takeReads().count == min(newest, 101))
        let known = try await histories.history(ofProject: "p", from: project)
        #expect(project.takeReads() == [])
        for number in newest + 1...newest + 3 {
            project = ScriptedVersions(numbers: 1...number)
            let history = try await histories.history(ofProject: "p", from: project)
            #expect(project.takeReads() == [number])
            #expect(history.versionNumber == number)
            #expect(history.versions.count <= SettingHistory.maximumVersions)
            #expect(history.baseVersion == history.versions.last.map { $0.number - 1 })
        }
        #expect(known.versionNumber == newest)
    }

    /// The limit counts the versions that are compared, each with its predecessor.
    @Test(arguments: [(99, 0), (100, 0), (101, 1), (102, 2), (130, 30)])
    func aHistoryHasUpToAHundredVersions(newest: Int, base: Int) async throws {
        let project = ScriptedVersions(numbers: 1...newest)
        let history = try await SettingHistory.read(from: project, after: nil)
        #expect(history.versions.map(\.number) == Array((base + 1...newest).reversed()))
        #expect(history.baseVersion == base)
        // As after one publish, which removes what is over the limit.
        let earlier = try await SettingHistory.read(
            from: ScriptedVersions(numbers: 1...newest - 1), after: nil)
        let continued = try await SettingHistory.read(from: project, after: earlier)
        #expect(continued.versions.map(\.number) == history.versions.map(\.number))
        #expect(continued.baseVersion == base)
    }

    @Test func aVersionBeyondTheLimitIsForgotten() async throws {
        let earlier = try await SettingHistory.read(
            from: ScriptedVersions(numbers: 1...100, old: 1...200), after: nil)
        #expect(earlier.json["settings"]?["Default"]?["old"] == ["1"])
        let later = try await SettingHistory.read(
            from: ScriptedVersions(numbers: 1...101, old: 1...200), after: earlier)
        #expect(later.baseVersion == 1)
        #expect(later.versions.count == 100)
        #expect(later.json["settings"]?["Default"]?["old"] == nil)
        #expect(later.json["settings"]?["Default"]?["a"]?.arrayValue?.first == "101")
    }

    @Test func aFailureDoesNotEndTheHistory() async throws {
        struct Failure: Error {}
        let histories = SettingHistories()
        var project = ScriptedVersions(numbers: 1...10)
        project.onRead = { number in
            if number == 5 { throw Failure() }
            return true
        }
        await #expect(throws: Failure.self) {
            try await histories.history(ofProject: "p", from: project)
        }
        project.onRead = { _ in true }
        let history = try await histories.history(ofProject: "p", from: project)
        #expect(history.baseVersion == 0)
        #expect(history.versions.count == 10)
    }

    @Test func oneHistoryIsReadAtATime() async throws {
        let histories = SettingHistories()
        let running = NIOLockedValueBox((now: 0, most: 0))
        var versions = ScriptedVersions(numbers: 1...10)
        versions.onRead = { _ in
            running.withLockedValue { running in
                running.now += 1
                running.most = max(running.most, running.now)
            }
            // deadline: only lets a second history begin meanwhile
            for _ in 0..<10 { await Task.yield() }
            running.withLockedValue { $0.now -= 1 }
            return true
        }
        let project = versions
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    _ = try await histories.history(
                        ofProject: "p\(number % 10)", from: project)
                }
            }
            try await group.waitForAll()
        }
        #expect(running.withLockedValue { $0.most } == 1)
    }

    @Test func aVersionThatIsNoLongerKeptEndsTheHistory() async throws {
        var project = ScriptedVersions(numbers: 1...10)
        project.onRead = { $0 > 5 }
        let history = try await SettingHistory.read(from: project, after: nil)
        #expect(history.baseVersion == 6)
        #expect(history.versions.map(\.number) == [10, 9, 8, 7])
    }

    @Test func aCancelledRequestReadsNoFurther() async throws {
        let (began, continuation) = AsyncStream.makeStream(of: Void.self)
        var versions = ScriptedVersions(numbers: 1...100)
        versions.onRead = { number in
            guard number == 90 else { return true }
            continuation.finish()
            // The read ends when it is cancelled.
            let (never, open) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            open.finish()
            return true
        }
        let project = versions
        let task = Task {
            try await SettingHistories().history(ofProject: "p", from: project)
        }
        for await _ in began {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(project.takeReads() == (90...100).reversed())
    }
}
