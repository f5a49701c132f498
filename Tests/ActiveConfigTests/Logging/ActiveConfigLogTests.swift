import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// A log's closure may call the framework, which may log again.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ActiveConfigLogTests {
    /// Log whose closure records each message, then calls a test's closure with the coordinator.
    ///
    /// Messages before `make` returns are only recorded.
    private final class CallingLog: Sendable {
        let messages = Locked<[String]>([])
        let config = Locked<ActiveConfig?>(nil)
        let log = Locked<ActiveConfigLog>(.disabled)

        init(_ body: @escaping @Sendable (ActiveConfig) -> Void) {
            let log = ActiveConfigLog(minimumLevel: .debug) { [messages, config] _, message in
                messages.withLock { $0.append(message) }
                if let config = config.withLock({ $0 }) { body(config) }
            }
            self.log.withLock { $0 = log }
        }

        /// Coordinator that uses this log, with a store that also uses it.
        func make(_ store: (ActiveConfigLog) -> any ActiveConfigStore) -> ActiveConfig {
            let log = self.log.withLock { $0 }
            let made = ActiveConfig.make(store: store(log), log: log)
            config.withLock { $0 = made }
            return made
        }

        func forget() { config.withLock { $0 = nil } }
    }

    /// A user's name in the log.
    private static func name(_ userID: String) -> String { UserID(userID).logName }

    /// Store that logs an error at each read.
    private struct UnreadableStore: ActiveConfigStore {
        let log: ActiveConfigLog

        func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
            // Reading a missing bootstrap file logs the error.
            let missing = BootstrapConfiguration.jsonFile(
                URL(filePath: "/nonexistent/\(userID ?? "generic").json"))
            return missing.state(log: log) ?? .titled(["Home": userID ?? "generic"])
        }

        func persistConfiguration(
            _ configuration: ConfigurationState?, forUserID userID: String?
        ) throws {}
    }

    @Test("A closure can read the configuration while the store logs a read error")
    func readsWhileTheStoreLogs() {
        let titles = Locked<[String?]>([])
        let log = CallingLog { config in
            let title = config["Home"]?.title
            titles.withLock { $0.append(title) }
        }
        let config = log.make { UnreadableStore(log: $0) }
        #expect(config["Home"]?.title == "generic")
        config.currentUserID = "1"
        #expect(config["Home"]?.title == "1")
        let messages = log.messages.withLock { $0 }
        for user in ["generic", "1"] {
            #expect(messages.contains { $0.contains("/nonexistent/\(user).json") })
        }
        #expect(titles.withLock { $0 }.allSatisfy { ["generic", "1"].contains($0) })
        log.forget()
    }

    @Test("Messages logged while one is being written are written after it; none is lost")
    func writesWhatIsRaisedMeanwhile() {
        let depth = Locked((now: 0, most: 0))
        let written = Locked<[String]>([])
        let config = Locked<ActiveConfig?>(nil)
        let log = ActiveConfigLog(minimumLevel: .debug) { _, message in
            depth.withLock { depth in
                depth.now += 1
                depth.most = max(depth.most, depth.now)
            }
            written.withLock { $0.append(message) }
            let config = config.withLock { $0 }
            if message.contains(Self.name("1")) { config?.currentUserID = "2" }
            if message.contains(Self.name("2")) { config?.currentUserID = "3" }
            depth.withLock { $0.now -= 1 }
        }
        let made = ActiveConfig.make(log: log)
        config.withLock { $0 = made }
        made.currentUserID = "1"
        config.withLock { $0 = nil }
        #expect(made.currentUserID == "3")
        let users = written.withLock { $0 }.map { message in
            ["1", "2", "3"].first { message.contains(Self.name($0)) }
        }
        #expect(users == ["1", "2", "3"])
        #expect(depth.withLock { $0.most } == 1)
    }

    @Test("A closure that logs the message for which it is called does not loop forever")
    func aMessageThatRaisesItselfEnds() {
        let log = CallingLog { config in
            config.currentUserID = config.currentUserID == "A" ? "B" : "A"
        }
        let config = log.make { _ in InMemoryStore() }
        config.currentUserID = "C"
        #expect((3...4).contains(log.messages.withLock { $0.count }))
        log.forget()
    }

    @Test("A task that a closure starts can log, even after the closure has returned")
    func aTaskOfTheClosureLogs() async throws {
        let isOver = ManualClock()
        let task = Locked<Task<Void, any Error>?>(nil)
        let written = Locked<[String]>([])
        let config = Locked<ActiveConfig?>(nil)
        let log = ActiveConfigLog(minimumLevel: .debug) { _, message in
            written.withLock { $0.append(message) }
            guard message.contains(Self.name("1")), let config = config.withLock({ $0 }) else {
                return
            }
            task.withLock {
                $0 = Task {
                    try await isOver.sleep(until: .init(offset: .seconds(1)))
                    config.currentUserID = "2"
                }
            }
        }
        let made = ActiveConfig.make(log: log)
        config.withLock { $0 = made }
        made.currentUserID = "1"
        isOver.advance(by: .seconds(1))
        try await task.withLock { $0 }?.value
        config.withLock { $0 = nil }
        #expect(written.withLock { $0 }.count == 2)
        #expect(made.currentUserID == "2")
    }

    @Test("A task that a closure starts does not retain an outer log")
    func aTaskOfTheClosureKeepsNoOtherLog() async throws {
        final class Held: Sendable {}
        let isOver = ManualClock()
        let task = Locked<Task<Void, any Error>?>(nil)
        let inner = ActiveConfigLog(minimumLevel: .debug) { _, _ in
            task.withLock {
                $0 = Task { try await isOver.sleep(until: .init(offset: .seconds(1))) }
            }
        }
        let config = ActiveConfig.make(log: inner)
        weak var held: Held?
        do {
            let object = Held()
            held = object
            let outer = ActiveConfigLog(minimumLevel: .debug) { _, _ in
                withExtendedLifetime(object) { config.currentUserID = "1" }
            }
            ActiveConfig.make(log: outer).currentUserID = "1"
        }
        #expect(task.withLock { $0 } != nil)
        #expect(held == nil)
        isOver.advance(by: .seconds(1))
        try await task.withLock { $0 }?.value
    }

    @Test(arguments: ActiveConfigLog.Level.allCases)
    func messagesOfTheMinimumLevelAndAboveAreWritten(level: ActiveConfigLog.Level) {
        let levels = Locked<[ActiveConfigLog.Level]>([])
        let log = ActiveConfigLog(minimumLevel: level) { level, _ in
            levels.withLock { $0.append(level) }
        }
        // Logs an error.
        _ = BootstrapConfiguration.jsonFile(URL(filePath: "/nowhere/at-all")).state(log: log)
        #expect(levels.withLock { $0 } == [.error])
        // Logs a warning.
        let system = ModelFileSystem().reopened(.init(failing: 0, error: EACCES))
        let store = FileDefaultsStore(
            directory: URL(filePath: "/store"), log: log, system: system)
        _ = store.firstDownloadFinished
        #expect(levels.withLock { $0 } == (level > .warning ? [.error] : [.error, .warning]))
    }
    /// The shape of swift-log's `Logger`.
    private struct Logger: Sendable {
        enum Level: String {
            case trace, debug, info, notice, warning, error, critical
        }

        struct Message: ExpressibleByStringInterpolation {
            let text: String

            init(stringLiteral text: String) { self.text = text }
        }

        let levels = Locked<[String]>([])

        func log(level: Level, _ message: @autoclosure () -> Message) {
            levels.withLock { $0.append("\(level.rawValue): \(message().text)") }
        }
    }

    /// The closure of the doc comment, as it stands there.
    @Test func aLogCanWriteToAnotherWithOtherWords() async throws {
        let log = RecordingLog()
        let config = ActiveConfig.make(log: log.log.rewritten { "shop: \($0)" })
        _ = try? await config.downloadNewConfig() as DownloadResult
        #expect(!log.messages.isEmpty)
        #expect(log.messages.allSatisfy { $0.text.hasPrefix("shop: ") })
        #expect(log.log.rewritten { $0 }.minimumLevel == log.log.minimumLevel)
    }

    @Test func aLogCanWriteToThatOfSwiftLog() {
        let logger = Logger()
        let log = ActiveConfigLog(minimumLevel: .debug) { level, message in
            logger.log(level: Logger.Level(rawValue: level.description) ?? .error, "\(message)")
        }
        for level in ActiveConfigLog.Level.allCases { log(level, "x") }
        #expect(logger.levels.withLock { $0 } == ["debug: x", "info: x", "warning: x", "error: x"])
    }

    #if !canImport(os)
        @Test func theDefaultWritesToStandardError() async {
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardErrorContent]
            ) {
                ActiveConfigOptions().log(.error, "one")
                ActiveConfigOptions().log(.warning, "two")
                ActiveConfigOptions().log(.info, "three")
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("ActiveConfig error: one\nActiveConfig warning: two\n"))
            #expect(!text.contains("three"))
        }
    #endif

    private static func stores(
        _ bootstrap: BootstrapConfiguration, _ folder: URL, log: ActiveConfigLog?
    ) -> [any ActiveConfigStore] {
        [
            InMemoryStore(bootstrap: bootstrap, log: log),
            FileDefaultsStore(directory: folder, bootstrap: bootstrap, log: log),
            UserDefaultsStore(bootstrap: bootstrap, log: log) { "test.\(folder.path).\($0 ?? "")" },
        ]
    }

    @Test(arguments: 0..<3, [false, true])
    func aStoreWritesToItsOwnLogElseToTheConfigurations(store index: Int, hasOwnLog: Bool) {
        let folder = URL(filePath: "/nonexistent/\(UUID())")
        let missing = BootstrapConfiguration.jsonFile(folder.appending(path: "bootstrap.json"))
        let (own, others) = (RecordingLog(), RecordingLog())
        let store = Self.stores(missing, folder, log: hasOwnLog ? own.log : nil)[index]
        let config = ActiveConfig.make(store: store, log: others.log)
        #expect(config["Home"] == nil)
        let isNamed = [own, others].map { log in
            log.messages(ofLevel: .error).contains { $0.contains("bootstrap.json") }
        }
        #expect(isNamed == [hasOwnLog, !hasOwnLog])
    }
}
