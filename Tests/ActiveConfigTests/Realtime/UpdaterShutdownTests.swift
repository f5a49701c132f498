import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

/// The end of an updater of many users while a publish is being stored.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UpdaterShutdownTests {
    private static let users = (0..<300).map { "user-\($0)" }

    @Test("What is not being stored is dropped, and asked for at the next start")
    func anEndDoesNotWaitForAWholePublish() async throws {
        let isOpen = DispatchSemaphore(value: 0)
        let started = ManualClock()
        let store = ObservedStore { event in
            guard case .persist(_, let document?) = event, document.templateVersion == 2 else {
                return
            }
            started.advance(by: .seconds(1))
            isOpen.wait()
            isOpen.signal()
        }
        let backend = ScriptedBackend(sections: { _ in .titled("1") })
        let config = ActiveConfig.make(store: store)
        let (events, activity) = AsyncStream.makeStream(of: AppActivity.Event.self)
        let fixture = UpdaterFixture(
            backend: backend, config: config,
            updater: .make(
                config, source: backend, users: .fixed(Self.users),
                activity: AppActivity { events }, clock: backend.clock),
            queue: DispatchQueue(label: "listeners"), activity: activity)
        func count(ofVersion version: Int) -> Int {
            Self.users.count {
                store.base.ownConfiguration(forUserID: $0)?.templateVersion == version
            }
        }
        func areAll(_ state: (ActiveConfigUpdateState) -> Bool) -> Bool {
            Self.users.allSatisfy { state(fixture.updater.state(ofUserID: $0)) }
        }
        let run = Task { await fixture.updater.run() }
        try await fixture.advance { areAll(\.isLive) }
        backend.publish(.titled("2"))
        let storing = BlockingCalls.maximumRunningCount
        try await started.sleep(until: .init(offset: .seconds(storing)))
        run.cancel()
        for await _ in fixture.updater.updates where areAll({ $0 == .stopped }) { break }
        isOpen.signal()
        await run.value
        #expect(count(ofVersion: 2) == storing)
        #expect(count(ofVersion: 1) == Self.users.count - storing)

        try await fixture.run {
            // A document becomes active after it is stored.
            let handles = Self.users.map { config.configuration(forUserID: $0) }
            try await fixture.advance { handles.allSatisfy { $0["Home"]?.title == "2" } }
            #expect(count(ofVersion: 2) == Self.users.count)
        }
    }
}
