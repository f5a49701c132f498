import ActiveConfig
import Foundation
import JSONTree
import NIOCore
import NIOFoundationEssentialsCompat
import Rendering
import SeededRandomness
import Targeting
import Templates
import Testing

@testable import ActiveConfigEvaluation

/// The documents of an evaluator are those of the server, byte for byte.
///
/// `EVALUATED_USERS` sets the number of users.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SameDocumentsTests {
    private static let userCount =
        ProcessInfo.processInfo.environment["EVALUATED_USERS"].flatMap { Int($0) }
        ?? Rounds.count(3_000, nightly: 100_000)

    private static let usersPerTemplate = 50

    @Test func eachUserHasTheServersDocument() throws {
        var generator = EvaluationGenerator(.printingItsSeed())
        let config = ActiveConfig(options: ActiveConfigOptions(log: .disabled))
        for round in 0..<Self.userCount / Self.usersPerTemplate {
            let (project, number) = (try Self.project(&generator, round), round)
            // As sent to the service, and read by it.
            let sent = EvaluationDocument.rendered(project)
            let received = try ConfigurationState(
                jsonData: Data(buffer: sent.jsonBytes), limits: ConfigurationLimits())
            let read = try EvaluationDocument.project(
                in: received, cache: RenderCache(maximumBytes: 1 << 20))
            let template = LoadedTemplate(read, of: config, cacheBytes: 1 << 20)
            for _ in 0..<Self.usersPerTemplate {
                let (userID, signals) = (generator.userID(), generator.signals())
                let context = TargetingContext(
                    userID: userID, signals: try EvaluationSignals(signals).signals,
                    date: Date(timeIntervalSince1970: 1_800_000_000))
                let wanted = project.rendered(for: context).document
                let bytes = read.rendered(for: context).document.jsonBytes
                try #require(
                    bytes == wanted.jsonBytes,
                    "\(number): \(userID ?? "nil") \(signals) \(String(buffer: wanted.jsonBytes))")
                let snapshot = try #require(template.snapshot(for: context))
                let document = try ConfigurationState(jsonData: Data(buffer: wanted.jsonBytes))
                try #require(snapshot.document == document, "\(number): \(signals)")
                try #require(
                    snapshot.userID.map { Array($0.utf8) } == userID.map { Array($0.utf8) })
            }
        }
    }

    /// Half of all milliseconds have no `Date` that is written as it was read.
    @Test func theTimeOfAVersionIsTheServers() throws {
        for milliseconds in 0..<1_000 {
            let time = Date(timeIntervalSince1970: 1_796_000_123 + Double(milliseconds) / 1_000)
            let compiled = CompiledTemplate(
                try ValidatedTemplate(json: ["parameters": .emptyObject], limits: .none),
                version: TemplateVersion(number: 1, updateTime: time))
            let sent = EvaluationDocument.rendered(PublishedProject(compiled))
            let received = try ConfigurationState(jsonData: Data(buffer: sent.jsonBytes))
            let read = try EvaluationDocument.project(
                in: received, cache: RenderCache(maximumBytes: 0))
            #expect(read.compiled.version.updateTime.timestamp == time.timestamp)
        }
    }

    /// A template as the server stores and compiles it, with pinned values.
    private static func project(
        _ generator: inout EvaluationGenerator, _ round: Int
    ) throws -> PublishedProject {
        let submitted = try ValidatedTemplate(json: generator.template())
        let stored = try ValidatedTemplate(jsonData: submitted.json.jsonData(), limits: .none)
        // Milliseconds that binary fractions do not have exactly.
        let time = Date(timeIntervalSince1970: 1_700_000_000 + Double(round % 1_000) / 1_000)
        let compiled = CompiledTemplate(
            stored, version: TemplateVersion(number: round + 1, updateTime: time))
        var overrides: [ExactText: OverridesDocument] = [:]
        for userID in EvaluationGenerator.users where Bool.random(using: &generator) {
            overrides[ExactText(userID)] = try OverridesDocument(
                jsonData: generator.pins().jsonData())
        }
        return PublishedProject(compiled, overrides: overrides)
    }
}
