import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigReporting

/// After an observer has been notified that a user was forgotten, it receives no earlier event of
/// that user.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ForgettingObserversTests {
    private static let title = SettingKey("Home", "title", default: "none")

    private static func kind(of event: ConfigurationEvent) -> String {
        switch event.kind {
        case .read: "read"
        case .active: "active"
        case .refused: "refused"
        case .forgotten: "forgotten"
        }
    }

    private static func document(_ version: Int) -> ConfigurationState {
        ConfigurationState.make(
            meta: ["template_version": .integer(version)], sections: ["Home": ["title": "x"]],
            entityTag: "\"\(version)\"")
    }

    private static func event(
        _ userID: String?, in epoch: UserEpoch? = nil
    ) -> ConfigurationEvent {
        ConfigurationEvent(
            .active, userID: userID, document: document(1), time: .now, epoch: epoch)
    }

    private static let forgotten = ConfigurationEvent(
        .forgotten, userID: "1", document: nil, time: .now)

    /// An observer whose first call blocks until `mayEnd` is signalled.
    private final class Slow: ConfigurationObserving {
        let hasBegun = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        private let isFirst = Locked(true)

        func observe(_ event: ConfigurationEvent) {
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard isFirst else { return }
            hasBegun.signal()
            mayEnd.wait()
        }
    }

    private struct Refusing: ConfigurationVetting {
        func vet(_ candidate: ConfigurationCandidate) -> VettingVerdict {
            .refuse(ConfigurationRefusal("No."))
        }
    }

    private func run(_ body: @escaping @Sendable () -> Void) -> Thread {
        let thread = Thread(block: body)
        thread.start()
        return thread
    }

    private func wait(for threads: Thread...) {
        // deadline: the threads end as soon as nothing blocks them
        for thread in threads { while !thread.isFinished { usleep(1_000) } }
    }

    /// Another thread notifies observers about the user at the same time.
    @Test func dataOfAForgottenUserDoesNotReturn() async throws {
        let store = InMemoryStore(bootstrap: .state(Self.document(1)))
        let config = ActiveConfig.make(store: store)
        let slow = Slow()
        let token = config.addObserver(slow)
        let seen = Locked<[Exposure]>([])
        let recorder = ExposureRecorder(config) { batch in seen.withLock { $0 += batch } }
        let order = Locked<[String]>([])
        let other = config.addObserver(
            ClosureObserver { event in order.withLock { $0.append(Self.kind(of: event)) } })
        let user = config.configuration(forUserID: "1")
        let reading = run { _ = user[Self.title] }
        slow.hasBegun.wait()
        let forgetting = run { try? config.forgetUser("1") }
        // deadline: it ends, or waits for the call
        while !forgetting.isFinished, config.observers.waiterCount == 0 { usleep(1_000) }
        slow.mayEnd.signal()
        wait(for: reading, forgetting)
        await recorder.flush()
        #expect(seen.withLock { $0.isEmpty })
        #expect(order.withLock { $0 } == ["forgotten"])
        // A later read of the user is reported again.
        #expect(user[Self.title] == "x")
        await recorder.flush()
        #expect(seen.withLock { $0.map(\.userID) } == ["1"])
        #expect(order.withLock { $0 } == ["forgotten", "read"])
        token.cancel()
        other.cancel()
    }

    @Test func anObserverThatForgetsTheUserOfItsEventDoesNotWait() {
        let config = ActiveConfig.make(store: nil)
        let order = Locked<[String]>([])
        let first = config.addObserver(
            ClosureObserver { [weak config] event in
                order.withLock { $0.append("1 \(Self.kind(of: event))") }
                if case .active = event.kind { try? config?.forgetUser("1") }
                order.withLock { $0.append("1 end") }
            })
        let second = config.addObserver(
            ClosureObserver { event in order.withLock { $0.append("2 \(Self.kind(of: event))") } })
        config.observers.tell(Self.event("1"))
        #expect(
            order.withLock { $0 } == ["1 active", "1 end", "1 forgotten", "1 end", "2 forgotten"])
        first.cancel()
        second.cancel()
    }

    /// Each is called on its own thread with an event of the user that the other one forgets.
    @Test func twoObserversThatForgetEachOthersUsersDoNotStop() {
        let configs = [ActiveConfig.make(store: nil), ActiveConfig.make(store: nil)]
        let (begun, arrived) = (Locked(0), DispatchSemaphore(value: 0))
        let forgotten = Locked(0)
        let tokens = configs.indices.map { index in
            configs[index].addObserver(
                ClosureObserver { event in
                    if case .forgotten = event.kind { return forgotten.withLock { $0 += 1 } }
                    let isLast = begun.withLock { begun in
                        begun += 1
                        return begun == 2
                    }
                    if isLast { for _ in 0..<2 { arrived.signal() } }
                    arrived.wait()
                    try? configs[1 - index].forgetUser("1")
                })
        }
        let threads = configs.map { config in run { config.observers.tell(Self.event("1")) } }
        wait(for: threads[0], threads[1])
        #expect(forgotten.withLock { $0 } == 2)
        for token in tokens { token.cancel() }
    }

    @Test func anObserverThatHangsHoldsNoForgettingUpForEver() {
        let log = RecordingLog()
        // deadline: a lower bound
        let observers = ConfigurationObservers(log: log.log, patience: .milliseconds(1))
        let slow = Slow()
        _ = observers.add(slow)
        let order = Locked<[String]>([])
        _ = observers.add(
            ClosureObserver { event in order.withLock { $0.append(Self.kind(of: event)) } })
        let telling = run { observers.tell(Self.event("1")) }
        slow.hasBegun.wait()
        observers.tellForgotten(Self.forgotten)
        #expect(order.withLock { $0.isEmpty })
        #expect(log.messages.map(\.level) == [.warning])
        observers.tell(Self.event("1"))
        slow.mayEnd.signal()
        wait(for: telling)
        #expect(order.withLock { $0 } == ["forgotten", "active"])
    }

    /// Later events of a user wait until the notification that the user is forgotten has been
    /// delivered.
    @Test func aLaterEventComesAfterTheForgetting() {
        let observers = ConfigurationObservers(log: RecordingLog().log)
        let slow = Slow()
        _ = observers.add(slow)
        let order = Locked<[String]>([])
        _ = observers.add(
            ClosureObserver { event in
                order.withLock { $0.append("\(event.userID ?? "") \(Self.kind(of: event))") }
            })
        let forgetting = run { observers.tellForgotten(Self.forgotten) }
        slow.hasBegun.wait()
        for userID in ["2", "1"] { observers.tell(Self.event(userID)) }
        #expect(order.withLock { $0 } == ["2 active"])
        slow.mayEnd.signal()
        wait(for: forgetting)
        #expect(order.withLock { $0 } == ["2 active", "1 forgotten", "1 active"])
    }

    /// A thread reads while the app signs the user out.
    @Test func anEarlierReadIsNotReportedAfterwards() async throws {
        let store = InMemoryStore()
        store.persistConfiguration(Self.document(1), forUserID: "1")
        let config = ActiveConfig.make(store: store)
        let events = Locked<[String]>([])
        let token = config.addObserver(
            ClosureObserver { event in events.withLock { $0.append(Self.kind(of: event)) } })
        config.currentUserID = "1"
        let snapshot = config.loadedSnapshot()
        config.currentUserID = nil
        try await config.forgetUser("1")
        #expect(config.value(of: Self.title, in: snapshot) == "x")
        config.users.reportActive(
            snapshot.configuration, of: .generic, in: snapshot.epoch, headerFields: [:])
        #expect(events.withLock { $0 } == ["forgotten"])
        token.cancel()
    }

    /// For an answer that is vetted after the user was forgotten.
    @Test func aRefusalOfAnEarlierDownloadIsNotReportedAfterwards() throws {
        var options = ActiveConfigOptions()
        options.vetting = [Refusing()]
        let config = ActiveConfig.make(store: nil, options: options)
        let events = Locked<[String]>([])
        let token = config.addObserver(
            ClosureObserver { event in events.withLock { $0.append(Self.kind(of: event)) } })
        let entry = config.users.table.entry(of: UserID("1"), isKept: false)
        let before = entry.documents.epoch
        try config.forgetUser("1")
        for epoch in [before, entry.documents.epoch] {
            #expect(throws: (any Error).self) {
                try config.users.vettings.accepted(
                    answer: Self.document(2), asked: nil, lastKnown: nil, of: UserID("1"),
                    in: epoch)
            }
        }
        #expect(events.withLock { $0 } == ["forgotten", "refused"])
        token.cancel()
    }

    /// Threads report events of a user who is forgotten repeatedly; an observer keeps the last
    /// event.
    @Test func nothingIsKeptOfAForgottenUserUnderContention() {
        let observers = ConfigurationObservers(log: RecordingLog().log)
        let kept = Locked<Int?>(nil)
        _ = observers.add(
            ClosureObserver { event in
                kept.withLock { $0 = event.epoch?.number }
            })
        let epoch = Locked(UserEpoch())
        let isDone = Locked(false)
        let count = Rounds.count(500, nightly: 20_000)
        DispatchQueue.concurrentPerform(iterations: 3) { thread in
            guard thread == 0 else {
                while !isDone.withLock({ $0 }) {
                    let epoch = epoch.withLock { $0 }
                    observers.tell(Self.event("1", in: epoch))
                }
                return
            }
            for _ in 0..<count {
                let current = epoch.withLock { $0 }
                // deadline: the other threads report it repeatedly
                while kept.withLock({ $0 }) != current.number { sched_yield() }
                observers.tellForgotten(Self.forgotten, ending: current)
                #expect(kept.withLock { $0 } == nil)
                epoch.withLock { $0 = current.next }
            }
            isDone.withLock { $0 = true }
        }
    }

    @Test func aRefusalOfALaunchIsReportedOnce() {
        for _ in Rounds.numbers(500, nightly: 20_000) {
            let observers = ConfigurationObservers(log: RecordingLog().log)
            _ = observers.add(ClosureObserver { _ in })
            let count = Locked(0)
            DispatchQueue.concurrentPerform(iterations: 2) { thread in
                if thread == 0 {
                    observers.tellRefusal(
                        ConfigurationEvent(
                            .refused(ConfigurationRefusal("No."), keptTemplateVersion: nil),
                            userID: "1",
                            document: Self.document(2), time: .now))
                } else {
                    for _ in 0..<20 {
                        _ = observers.add(ClosureObserver { _ in count.withLock { $0 += 1 } })
                    }
                }
            }
            #expect(count.withLock { $0 } == 20)
        }
    }
}
