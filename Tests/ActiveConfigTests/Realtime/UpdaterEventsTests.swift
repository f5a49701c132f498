import ActiveConfig
import ActiveConfigEventStream
import ActiveConfigRealtime
import ActiveConfigTesting
import Foundation
import Testing

/// An app's own event source, whose transport delivers events instead of bytes.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UpdaterEventsTests {
    /// Delivers the events that a test sends, once for all connections.
    private struct MessageSource: ActiveConfigEventSource, ActiveConfigEventConnection {
        let events = AsyncStream.makeStream(of: ActiveConfigEvent.self)

        func connection(forUserID userID: String?) -> any ActiveConfigEventConnection { self }

        func document(
            lastKnown: ConfigurationState?, wait: Duration?
        ) async throws -> DocumentAnswer {
            let meta: [String: SettingValue] = [
                "format_version_string": "1.0", "template_version": 1,
            ]
            return DocumentAnswer(
                .make(meta: meta, sections: .titled("Old"), entityTag: "\"v1\""))
        }

        func openEvents(lastEventID: String?) async throws {}

        func nextEvent() async throws -> ActiveConfigEvent? {
            for await event in events.stream { return event }
            return nil
        }

        func close() {}
    }

    private static func event(_ name: String, _ id: String, _ data: String) -> ActiveConfigEvent {
        ActiveConfigEvent(.event(ServerEvent(name: name, id: id, data: Array(data.utf8))))
    }

    private let source = MessageSource()
    private let config = ActiveConfig.make()

    private func run(_ body: (ActiveConfigUpdater) async throws -> Void) async throws {
        let updater = ActiveConfigUpdater.make(config, source: source, clock: ManualClock())
        let run = Task { await updater.run() }
        let result: Result<Void, any Error>
        do { result = .success(try await body(updater)) } catch { result = .failure(error) }
        run.cancel()
        await run.value
        try result.get()
    }

    @Test func itsEventsAreFollowed() async throws {
        source.events.continuation.yield(Self.event("hello", "1", #"{"template_version":1}"#))
        source.events.continuation.yield(
            Self.event(
                "update", "2",
                #"""
                {"template_version":2,"event_number":1,"etag":"\"v2\"","meta":{"template_version":2,
                "format_version_string":"1.0"},"sections":{"Home":{"settings":{"title":{"value":"New"}}}}}
                """#))
        try await run { _ in
            for await section in config.values(ofSection: "Home")
            where section?.string(forKey: "title") == "New" { return }
        }
    }

    @Test func moreThanEightDocumentsSizesInAMinuteEndTheStream() async throws {
        let size = ConfigurationLimits.default.maximumSize
        source.events.continuation.yield(Self.event("hello", "1", "{}"))
        for _ in 0..<8 { source.events.continuation.yield(ActiveConfigEvent(nil, byteCount: size)) }
        var reason: ActiveConfigUpdateState.WaitReason?
        try await run { updater in
            for await update in updater.updates {
                guard case .state(.waiting(_, let waitReason), _) = update else { continue }
                reason = waitReason
                return
            }
        }
        #expect(reason?.description == DownloadError(.bodyTooLarge).description)
    }
}
