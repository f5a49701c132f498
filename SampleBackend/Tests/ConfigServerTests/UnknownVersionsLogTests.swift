import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOCore
import TemplateStore
import Templates
import Testing

@testable import ClientAPI

/// The log of versions that clients name and the store never made.
struct UnknownVersionsLogTests {
    /// Keeps the messages.
    private struct MessageHandler: LogHandler {
        let messages: NIOLockedValueBox<[String]>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            messages.withLockedValue { $0.append("\(event.message)") }
        }
    }

    private let messages = NIOLockedValueBox<[String]>([])

    private func makeVersions(canBeRaised: Bool = true) -> UnknownVersions {
        UnknownVersions(
            canBeRaised: canBeRaised,
            logger: Logger(label: "test") { [messages] _ in MessageHandler(messages: messages) })
    }

    private func note(
        _ version: Int, _ project: String, in versions: UnknownVersions,
        floor: Int = 0, at now: NIODeadline = .uptimeNanoseconds(0)
    ) {
        let newest = TemplateVersion(number: 1, updateTime: Date(timeIntervalSince1970: 0))
        versions.note(.number(version), inProject: project, newest: newest, floor: floor, now: now)
    }

    @Test func aServerWithManyProjectsDoesNotRepeatThem() {
        let versions = makeVersions()
        for _ in 0..<3 { for project in 0..<1_100 { note(9, "p\(project)", in: versions) } }
        #expect(messages.withLockedValue(\.count) == 1_000)
        let later = NIODeadline.uptimeNanoseconds(0) + .minutes(10)
        for project in 0..<1_100 { note(9, "p\(project)", in: versions, at: later) }
        #expect(messages.withLockedValue(\.count) == 2_000)
    }

    /// Any client can name any number.
    @Test func theAdviceIsLeftToWhoKnowsOfARestore() throws {
        note(9, "a", in: makeVersions())
        note(VersionFloor.maximumRequest + 1, "a", in: makeVersions())
        note(9, "a", in: makeVersions(canBeRaised: false))
        let texts = messages.withLockedValue { $0 }
        try #require(texts.count == 3)
        #expect(texts.allSatisfy { $0.contains("Any client can send any number") })
        #expect(texts.map { $0.contains("raise-versions") } == [true, false, false])
        #expect(!texts[0].contains("--above 9"))
    }

    @Test(arguments: [(8, true), (9, false), (10, false)])
    func afterARestoreThatRaisedTheVersionsNoOtherIsAdvised(floor: Int, isAdvised: Bool) {
        note(9, "a", in: makeVersions(), floor: floor)
        let text = messages.withLockedValue { $0.joined() }
        #expect(text.contains("raise-versions") == isAdvised)
        #expect(text.contains("publish once") != isAdvised)
    }
}
