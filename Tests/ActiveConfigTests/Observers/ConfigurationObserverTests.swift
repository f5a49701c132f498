import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Events that observers receive, and calls that observers may make.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ConfigurationObserverTests {
    private static let title = SettingKey("Home", "title", default: "none")

    private func description(of event: ConfigurationEvent) -> String {
        switch event.kind {
        case .read(let read): "read \(read.value ?? .null)"
        case .active: "active \(event.document?["Home"]?.title ?? "")"
        case .refused(let refusal, _): "refused \(refusal)"
        case .forgotten: "forgotten \(event.userID ?? "generic")"
        }
    }

    private func document(_ title: String) -> ConfigurationState {
        .titled(["Home": title], entityTag: title)
    }

    @Test func eventsComeInTheirOrder() async throws {
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(
                .configuration(document("1")), .configuration(document("2"))),
            store: InMemoryStore())
        let events = Locked<[String]>([])
        let observation = config.addObserver(
            ClosureObserver { event in events.withLock { $0.append(description(of: event)) } })
        try await config.downloadNewConfig()
        #expect(config[Self.title] == "1")
        #expect(config[Self.title] == "1")
        try await config.downloadNewConfig()
        #expect(config[Self.title] == "2")
        try await config.forgetGenericUser()
        observation.cancel()
        #expect(config[Self.title] == "none")
        #expect(
            events.withLock { $0 } == [
                "active 1", "read \"1\"", "active 2", "read \"2\"", "forgotten generic",
            ])
    }

    /// No queue is blocked and no lock is held while an observer is called, so it may make any
    /// call.
    @Test func anObserverMayCallAnything() async throws {
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader { request in
                .configuration(document("\(request.number)"))
            }, store: InMemoryStore())
        let count = Locked(0)
        let observation = config.addObserver(
            ClosureObserver { [weak config] event in
                guard let config,
                    count.withLock({
                        $0 += 1
                        return $0
                    }) < 50
                else { return }
                _ = config[Self.title]
                config.currentUserID = config.currentUserID == nil ? "a" : nil
                try? config.forgetUser("b")
                config.setDefaults(["Home": ["columns": .integer(count.withLock { $0 })]])
            })
        for _ in 0..<3 { try await config.downloadNewConfig() }
        try await config.forgetUser("a")
        #expect(count.withLock { $0 } >= 50)
        observation.cancel()
    }

    /// After forgetting has returned, no event of the user is delivered, even while another
    /// observer is slow.
    @Test func aUserIsForgottenAtOnce() async throws {
        let config = ActiveConfig.make(store: nil)
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let events = Locked<[String]>([])
        let observation = config.addObserver(
            ClosureObserver { event in
                events.withLock { $0.append("\(event.userID ?? "") \(description(of: event))") }
                guard event.userID == "slow" else { return }
                hasBegun.signal()
                mayEnd.wait()
            })
        func event(_ userID: String) -> ConfigurationEvent {
            ConfigurationEvent(.active, userID: userID, document: document("1"), time: .now)
        }
        let slow = Thread { [slow = event("slow")] in config.observers.tell(slow) }
        slow.start()
        hasBegun.wait()
        for userID in ["gone", "other"] { config.observers.tell(event(userID)) }
        try await config.forgetUser("gone")
        #expect(events.withLock { $0 } == ["slow active 1", "gone forgotten gone"])
        mayEnd.signal()
        // deadline: the thread delivers the queued events and ends
        while !slow.isFinished { usleep(1_000) }
        #expect(events.withLock { $0.last } == "other active 1")
        observation.cancel()
    }

    @Test func whatWaitsForAnObserverThatHangsIsBounded() async throws {
        let log = RecordingLog()
        let config = ActiveConfig.make(store: nil, log: log.log)
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let count = Locked(0)
        let observation = config.addObserver(
            ClosureObserver { _ in
                let isFirst = count.withLock { count in
                    defer { count += 1 }
                    return count == 0
                }
                guard isFirst else { return }
                hasBegun.signal()
                mayEnd.wait()
            })
        let event = ConfigurationEvent(.active, userID: "1", document: document("1"), time: .now)
        let first = Thread { config.observers.tell(event) }
        first.start()
        hasBegun.wait()
        for _ in 0..<20_000 { config.observers.tell(event) }
        mayEnd.signal()
        // deadline: the thread delivers the queued events and ends
        while !first.isFinished { usleep(1_000) }
        #expect(count.withLock { $0 } == 10_001)
        #expect(log.messages.filter { $0.text.contains("10000 events wait") }.count == 1)
        observation.cancel()
    }

    /// The server's word is about the user's own document.
    @Test func aFallbackIsNotReportedAsConfirmed() {
        let store = InMemoryStore()
        store.persistConfiguration(.titled(["Home": "x"]), forUserID: nil)
        let config = ActiveConfig.make(store: store)
        config.currentUserID = "1"
        let generic = config.configuration(forUserID: nil)
        #expect(config["Home"]?.title == "x" && generic["Home"]?.title == "x")
        let users = Locked<[String?]>([])
        let token = config.addObserver(
            ClosureObserver { event in
                if case .active = event.kind { users.withLock { $0.append(event.userID) } }
            })
        for userID in [UserID("1"), .generic] {
            config.users.reportActive(of: userID, headerFields: [:])
        }
        #expect(users.withLock { $0 } == [nil])
        token.cancel()
    }
}
