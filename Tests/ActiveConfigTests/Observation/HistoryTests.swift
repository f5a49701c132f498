import ActiveConfig
import ActiveConfigTesting
import Foundation
import Observation
import Testing

/// One setting as seen by readers, listeners, observers and properties while its user changes and
/// downloads end.
///
/// Each of them sees a part of one history, in order, and no value of another user.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct HistoryTests {
    /// A value that encodes its user.
    private static func value(_ number: Int, ofUser user: String?) -> Int {
        (Int(user ?? "") ?? 0) * 1_000_000 + number
    }

    private static func owner(of value: Int) -> String? {
        value < 1_000_000 ? nil : "\(value / 1_000_000)"
    }

    private static func configuration(_ value: Int) -> ConfigurationState {
        .make(sections: ["Home": ["columns": .integer(value)]])
    }

    private let config: ActiveConfig
    private let center = NotificationCenter()
    private let queue = DispatchQueue(label: "HistoryTests")
    private let history = Locked<[Int]>([])

    init() {
        let store = InMemoryStore()
        for user in [nil, "1", "2", "3"] {
            store.persistConfiguration(
                Self.configuration(Self.value(0, ofUser: user)), forUserID: user)
        }
        let count = Locked(0)
        let downloader = ScriptedDownloader { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .configuration(Self.configuration(Self.value(number, ofUser: request.userID)))
        }
        config = .make(
            downloader: downloader, store: store, notificationCenter: center, listenerQueue: queue)
    }

    /// True when `part` is a subsequence of the history.
    private func isPart(_ part: [Int]) -> Bool {
        var rest = history.withLock { $0 }[...]
        for value in part {
            guard let index = rest.firstIndex(of: value) else { return false }
            rest = rest[index...]
        }
        return true
    }

    /// The values in order, without consecutive duplicates.
    private static func changes(_ values: [Int]) -> [Int] {
        values.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    @MainActor
    private final class Observed {
        var values: [Int] = []
        private let observer: ObservableActiveConfig
        @ActiveSetting private var columns: Int

        init(_ config: ActiveConfig) {
            observer = ObservableActiveConfig(config)
            _columns = ActiveSetting(.columns, in: config)
            read()
        }

        private func read() {
            withObservationTracking {
                values.append(columns)
                #expect(observer[.columns] == columns)
                #expect(HistoryTests.owner(of: columns) == observer.userID)
            } onChange: { [weak self] in
                Task { @MainActor in self?.read() }
            }
        }
    }

    @MainActor
    @Test func everybodySeesAPartOfOneHistoryInItsOrder() async throws {
        let first = config[.columns]
        history.withLock { $0 = [first] }
        let notifications = center.addObserver(
            forName: ActiveConfig.sectionDidChangeNotification, object: nil, queue: nil
        ) { [history] note in
            let section = note.userInfo?[ActiveConfig.NotificationKey.section]
            let user = note.userInfo?[ActiveConfig.NotificationKey.userID] as? String
            guard let value = (section as? ActiveConfigSection)?.integer(forKey: "columns") else {
                return
            }
            #expect(Self.owner(of: value) == user)
            history.withLock { $0.append(value) }
        }
        let heard = Locked<[Int]>([])
        let token = config.observe(sectionNamed: "Home") { section in
            heard.withLock { $0.append(section?.integer(forKey: "columns") ?? -1) }
        }
        let observed = Observed(config)
        let iterated = Locked<[Int]>([])
        let iteration = Task { @concurrent [config] in
            for await value in config.values(for: .columns) {
                iterated.withLock { $0.append(value) }
            }
        }

        let read = await withTaskGroup(of: [Int].self) { group in
            for worker in 0..<8 {
                group.addTask { @concurrent [config] in
                    var values: [Int] = []
                    for step in 0..<300 {
                        switch worker {
                        case 0, 1: config.currentUserID = [nil, "1", "2", "3"][(step + worker) % 4]
                        case 2, 3: _ = try? await config.downloadNewConfig() as DownloadResult
                        default:
                            for read in 0..<50 {
                                values.append(
                                    read.isMultiple(of: 2)
                                        ? config[.columns]
                                        : config["Home"]?.integer(forKey: "columns") ?? -1)
                            }
                        }
                    }
                    return values
                }
            }
            var read: [[Int]] = []
            for await values in group { read.append(values) }
            return read
        }
        // All deliveries are on the queue by now.
        queue.sync {}
        let last = config[.columns]
        // deadline: no bound but the test's time limit
        while observed.values.last != last || iterated.withLock({ $0.last }) != last {
            try Task.checkCancellation()
            await Task.yield()
        }
        iteration.cancel()
        token.cancel()
        center.removeObserver(notifications)

        #expect(history.withLock { $0.count } > 100)
        #expect(heard.withLock { $0 } == history.withLock { $0 })
        #expect(isPart(Self.changes(observed.values)))
        #expect(isPart(iterated.withLock { $0 }))
        for values in read { #expect(isPart(Self.changes(values))) }
    }
}
