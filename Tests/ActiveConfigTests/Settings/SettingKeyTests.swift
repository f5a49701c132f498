import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

extension SettingKey<Bool> {
    fileprivate static let isCheckoutOn = SettingKey("Checkout", "isOn", default: false)
}

/// Reads by typed keys.
struct SettingKeyTests {
    private static func config(_ settings: ActiveConfigSection) -> ActiveConfig {
        .make(configuration: .make(sections: ["Home": settings]))
    }

    @Test func aKeyReadsASettingByItsStaticName() {
        let config = ActiveConfig.make(
            configuration: .make(
                sections: ["Checkout": ["isOn": true], "Home": ["columns": 3, "title": "x"]]))
        #expect(config[.isCheckoutOn])
        #expect(config[.title] == "x" && config["title"] == nil)
        #expect(config[.columns] == 3)
        #expect(config[.columns] == 3)
    }

    @Test func aKeyGivesItsDefaultWhereThereIsNoSection() {
        let config = ActiveConfig.make(store: nil)
        #expect(config[.columns] == 2)
        #expect(config.diagnostics.problems == [])
    }

    @Test func aKeySaysItsSectionItsNameAndItsDefault() {
        let key = SettingKey<Int>.columns
        #expect(key.sectionName == "Home" && key.name == "columns" && key.defaultValue == 2)
        #expect("\(key)" == "Home.columns")
    }

    @Test func keysOfOneNameEachHaveTheirOwnDefault() {
        let config = Self.config(["x": "neither"])
        let one = SettingKey("Home", "x", default: 1)
        let two = SettingKey("Home", "x", default: 2)
        let values: [Int] = [one, two, one, two].map { config[$0] }
        #expect(values == [1, 2, 1, 2])
        #expect(config.diagnostics.problems.count == 1)
    }

    @Test func keysOfOneNameEachHaveTheirOwnType() {
        let fixture = CoordinatorFixture.make(
            store: InMemoryStore(
                bootstrap: .state(.make(sections: ["Home": ["x": "yes", "y": "1"]]))))
        let config = fixture.config
        for _ in 0..<2 {
            #expect(config[SettingKey("Home", "x", default: false)])
            #expect(config[SettingKey("Home", "x", default: -1)] == -1)
            #expect(config[SettingKey("Home", "x", default: -1.5)] == -1.5)
            #expect(config[SettingKey("Home", "x", default: "")] == "yes")
            #expect(config[SettingKey("Home", "x", default: [String]())] == [])
            #expect(config[SettingKey("Home", "y", default: false)])
            #expect(config[SettingKey("Home", "y", default: 0)] == 1)
            #expect(config[SettingKey("Home", "y", default: 0.5)] == 1)
            #expect(config[SettingKey("Home", "y", default: Int?.none)] == 1)
        }
        #expect(config.diagnostics.problems.map(\.name) == ["x"])
        #expect(fixture.log.messages(ofLevel: .warning).count == 1)
    }

    @Test func namesThatAreEqualAsStringsAreOneKey() {
        let config = Self.config(["caf\u{E9}": 5])
        #expect(config[SettingKey("Home", "cafe\u{301}", default: 0)] == 5)
        #expect(config[SettingKey("Home", "caf\u{E9}", default: 0)] == 5)
    }

    /// A dot in a name does not make it another setting's name.
    @Test func namesWithDotsAreTheirOwn() {
        let config = ActiveConfig.make(
            configuration: .make(sections: ["A.b": ["c": 1], "A": ["b.c": 2]]))
        #expect(config[SettingKey("A.b", "c", default: 0)] == 1)
        #expect(config[SettingKey("A", "b.c", default: 0)] == 2)
    }

    @Test(
        arguments: [
            Row("no value", nil, -1), Row("a value", 5, 5), Row("another type", "x", -1),
        ] as [Row<SettingValue?, Int>])
    func aKeyMadeInAGenericContextReadsAsOneThatIsNot(row: Row<SettingValue?, Int>) {
        func decodable<Value: Decodable & Sendable>(_ standard: Value) -> SettingKey<Value> {
            SettingKey("Home", "generic", default: standard)
        }
        func convertible<Value: SettingConvertible>(_ standard: Value) -> SettingKey<Value> {
            SettingKey("Home", "generic", default: standard)
        }
        func read<Value: Sendable>(_ key: SettingKey<Value>, _ config: ActiveConfig) -> Value {
            config[key]
        }
        let config = Self.config(row.input.map { ["generic": $0] } ?? [:])
        // The first key of a name and type creates the reader that all later ones share.
        #expect(config[decodable(-1)] == row.expected)
        #expect(read(decodable(-1), config) == row.expected)
        #expect(config[convertible(-1)] == row.expected)
        #expect(config[SettingKey("Home", "generic", default: -1)] == row.expected)
        let texts = Self.config(["generic": ["7"]])
        #expect(read(decodable([-1]), texts).first == 7)
        #expect(read(convertible([-1]), texts).first == 7)
        #expect(read(decodable(UInt8?.none), Self.config(["generic": "7"])) == 7)
        #expect(read(convertible(Theme?.none), Self.config(["generic": "dark"])) == .dark)
        // Truncated, by the table of FORMAT 5, whatever the generic context knows about the type.
        #expect(read(decodable(-1), Self.config(["generic": 5.9])) == 5)
    }

    /// Each coordinator caches the first 65,536 keys of the process; the keys of the other tests
    /// should be among them.
    @Test func aKeyBeyondTheCapacityOfTheCacheIsReadAllTheSame() async {
        await #expect(processExitsWith: .success) {
            let config = ActiveConfig.make(
                configuration: .make(sections: ["Home": ["x69999": 5, "y": true]]))
            let keys = (0..<70_000).map { SettingKey("Home", "x\($0)", default: 1) }
            let last = keys[69_999]
            precondition(keys.allSatisfy { config[$0] == ($0.name == last.name ? 5 : 1) })
            precondition(last.slot >= 65_536)
            for _ in 0..<2 { precondition(config[last] == 5 && config[keys[0]] == 1) }
            precondition(config[SettingKey("Home", "y", default: false)])
            precondition(config[SettingKey("Home", "x69999", default: "")] == "")
            precondition(config.diagnostics.problems.count == 1)
            config.currentUserID = "1"
            config.setDefaults(["Home": ["x69999": 6]])
            precondition(config[last] == 5)
        }
    }

    @Test func coordinatorsDoNotShareValues() {
        let configs = (0..<4).map { Self.config(["columns": .integer($0)]) }
        for _ in 0..<2 {
            for (number, config) in configs.enumerated() { #expect(config[.columns] == number) }
        }
    }

    /// Counts its reads.
    private struct Counted: SettingConvertible, Equatable {
        static let count = Locked(0)
        let text: String

        init?(settingValue: SettingValue) {
            Self.count.withLock { $0 += 1 }
            guard let text = settingValue.stringValue else { return nil }
            self.text = text
        }

        init(_ text: String) { self.text = text }
    }

    @Test func aValueIsReadOncePerConfiguration() async throws {
        let key = SettingKey("Home", "title", default: Counted("default"))
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(.titled(["Home": "1"])), .unchanged),
            store: InMemoryStore(bootstrap: .state(.make(sections: ["Home": ["title": 5]]))))
        let config = fixture.config
        for _ in 0..<3 { #expect(config[key].text == "default") }
        #expect(Counted.count.withLock { $0 } == 1)
        #expect(config.diagnostics.problems.count == 1)

        try await config.downloadNewConfig()
        #expect(config.diagnostics.problems == [])
        for _ in 0..<3 { #expect(config[key].text == "1") }
        #expect(Counted.count.withLock { $0 } == 2)
    }

    @Test func aProblemIsReportedOncePerConfiguration() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { request in
                // Each document is downloaded twice.
                .configuration(
                    .make(sections: [
                        "Home": ["columns": "three"],
                        "Other": ["number": .integer((request.number + 1) / 2)],
                    ]))
            }, store: nil)
        let warnings = { fixture.log.messages(ofLevel: .warning).count }
        for count in 1...3 {
            try await fixture.config.downloadNewConfig()
            #expect(fixture.config.diagnostics.problems == [])
            for _ in 0..<3 { #expect(fixture.config[.columns] == 2) }
            #expect(fixture.config.diagnostics.problems.count == 1)
            #expect(warnings() == count)

            try await fixture.config.downloadNewConfig()
            #expect(fixture.config.diagnostics.problems.count == 1)
            #expect(fixture.config[.columns] == 2)
            #expect(warnings() == count)
        }
    }

    /// Reads another setting while it is being read.
    private struct Curious: SettingConvertible {
        static let config = Locked<ActiveConfig?>(nil)
        let columns: Int

        init(columns: Int) { self.columns = columns }

        init?(settingValue: SettingValue) {
            guard let config = Self.config.withLock({ $0 }) else { return nil }
            columns = config[.columns] + config[SettingKey("Home", "title", default: "")].count
        }
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func aTypeMayReadSettingsWhileItIsRead() {
        let config = Self.config(["columns": 3, "title": "four", "x": true])
        Curious.config.withLock { $0 = config }
        defer { Curious.config.withLock { $0 = nil } }
        #expect(config[SettingKey("Home", "x", default: Curious(columns: 0))].columns == 7)
    }

    /// Uses the framework while it is being released.
    private final class LastWords: SettingConvertible {
        static let config = Locked<ActiveConfig?>(nil)
        static let said = Locked<[String]>([])
        private let text: String

        init?(settingValue: SettingValue) { text = settingValue.description }

        init(text: String) { self.text = text }

        deinit {
            guard let config = Self.config.withLock({ $0 }) else { return }
            Self.said.withLock { $0.append(text) }
            _ = config["Home"]
            config.setDefaults(["Other": ["last": .string(text)]])
        }
    }

    /// If it were released under one of the framework's locks, it would deadlock.
    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func aValueIsReleasedOutsideOfTheLocks() async throws {
        let key = SettingKey("Home", "words", default: LastWords(text: ""))
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { _ in .configuration(.make(sections: ["Home": ["words": 2]])) },
            store: InMemoryStore(bootstrap: .state(.make(sections: ["Home": ["words": 1]]))),
            overrides: .settable)
        let config = fixture.config
        LastWords.config.withLock { $0 = config }
        defer { LastWords.config.withLock { $0 = nil } }
        _ = config[key]
        try await config.downloadNewConfig()
        _ = config[key]
        config.currentUserID = "A"
        _ = config[key]
        config.overrides.set(3, for: SettingPath("Home", "words"))
        _ = config[key]
        config.setDefaults(["Home": ["x": 1]])
        fixture.drain()
        #expect(LastWords.said.withLock { $0 } == ["1", "2", "2", "3"])
    }

    @Test func threadsThatReadAKeyAtOnceGetOneValueAndOneReport() async throws {
        let key = SettingKey("Home", "wrong", default: "default")
        let title = SettingKey("Home", "title", default: "default")
        for _ in 0..<200 {
            let log = RecordingLog()
            let config = ActiveConfig.make(
                store: InMemoryStore(
                    bootstrap: .state(
                        .make(sections: ["Home": ["wrong": 5, "title": "right"]]))),
                log: log.log)
            let read = try await Threads.run(4) { _ in [config[key], config[title]] }
            #expect(read == Array(repeating: ["default", "right"], count: 4))
            #expect(config.diagnostics.problems.count == 1)
            #expect(log.messages(ofLevel: .warning).count == 1)
        }
    }
}
