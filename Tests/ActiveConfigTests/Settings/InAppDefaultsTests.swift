import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// In-app defaults are merged below the downloaded configuration, setting by setting.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct InAppDefaultsTests {
    private static let columns = SettingKey("Home", "columns", default: 1)
    private static let title = SettingKey("Home", "title", default: "key")

    /// Coordinator that downloads the sections one after the other.
    private static func make(
        then next: [String: ActiveConfigSection]..., store: (any ActiveConfigStore)? = nil
    ) -> CoordinatorFixture {
        .make(
            ScriptedDownloader {
                .configuration(.make(sections: next[$0.number - 1], entityTag: "\($0.number)"))
            }, store: store)
    }

    @Test func aSettingHasItsDefaultWhereTheDocumentLacksIt() async throws {
        let fixture = Self.make(then: ["Home": ["columns": 4]])
        let config = fixture.config
        config.setDefaults(["Home": ["columns": 3, "title": "app"], "Other": ["x": true]])
        #expect(config.defaults == ["Home": ["columns": 3, "title": "app"], "Other": ["x": true]])
        #expect(config[Self.columns] == 3 && config[Self.title] == "app")
        #expect(config["Other"]?.bool(forKey: "x") == true)

        try await config.downloadNewConfig()
        #expect(config[Self.columns] == 4 && config[Self.title] == "app")
        #expect(config["Home"] == .make(["columns": 4, "title": "app"]))
        #expect(config["Home"]?.settingKeys == ["columns", "title"])
        #expect(config["Other"]?.bool(forKey: "x") == true)
    }

    @Test func theDocumentStaysAsItCame() async throws {
        let store = ObservedStore()
        let fixture = Self.make(then: ["Home": ["columns": 4]], ["Home": [:]], store: store)
        let config = fixture.config
        config.setDefaults(["Home": ["columns": 3, "title": "app"]])
        try await config.downloadNewConfig()
        let document = ConfigurationState.make(
            sections: ["Home": ["columns": 4]], entityTag: "1")
        #expect(config.currentConfiguration == document)
        #expect(config.currentConfiguration.entityTag == "1")
        #expect(store.persisted == [document])
        #expect(store.base.ownConfiguration(forUserID: nil)?.entityTag == "1")

        // The next request is conditional on the document, not on the merged configuration that the
        // app reads.
        config.setDefaults(["Home": ["columns": 5]])
        try await config.downloadNewConfig()
        let request = try #require(fixture.downloader.requests.last)
        #expect(request.lastKnown == document && request.lastKnown?.entityTag == "1")
    }

    @Test func aSettingThatDisappearsGoesBackToItsDefault() async throws {
        let fixture = Self.make(
            then: ["Home": ["columns": 4]], ["Home": ["x": 1]], ["Other": ["x": 1]],
            ["Other": ["x": 2]])
        let config = fixture.config
        config.setDefaults(["Home": ["columns": 3]])
        let listener = fixture.listener()
        var sections = config.values(ofSection: "Home").makeAsyncIterator()
        var changes = config.changes(inSection: "Home").makeAsyncIterator()
        let recorder = NotificationRecorder(of: config, in: fixture.center)
        var columns: [Int] = []
        var changed: [Set<String>] = []
        for _ in 1...4 {
            columns.append(config[Self.columns])
            _ = await sections.next()
            _ = await changes.next()
            changed.append(try await config.downloadNewConfig().changedSectionNames)
            if changed.count == 3 { break }
        }
        columns.append(config[Self.columns])
        // The section is removed from the document, but not for the app.
        #expect(columns == [3, 4, 3, 3])
        #expect(changed == [["Home"], ["Home"], ["Home", "Other"]])
        #expect(await sections.next() == .some(.make(["columns": 3])))
        let last = try #require(await changes.next())
        #expect(last.new == .make(["columns": 3]) && last.removedKeys == ["x"])
        #expect(last.reason == .downloaded)
        #expect(try await config.downloadNewConfig().changedSectionNames == ["Other"])

        fixture.drain()
        let expected = [
            ["columns": 3], ["columns": 4], ["columns": 3, "x": 1], ["columns": 3],
        ].map { ActiveConfigSection.make($0) }
        #expect(listener.sections == expected)
        let posted = recorder.entries(named: ActiveConfig.sectionDidChangeNotification)
            .filter { $0.sectionName == "Home" }
        #expect(posted.map(\.section) == Array(expected.dropFirst()))
    }

    @Test func newDefaultsAreDeliveredWithTheirReason() async throws {
        let fixture = Self.make()
        let config = fixture.config
        config.setDefaults(["Home": ["columns": 3], "Same": ["x": 1], "Gone": ["x": 1]])
        let home = fixture.listener()
        let same = fixture.listener("Same")
        let gone = fixture.listener("Gone")
        var changes = config.changes().makeAsyncIterator()
        for _ in 0..<3 { #expect(await changes.next()?.reason == .restored) }

        config.setDefaults(["Home": ["columns": 4], "Same": ["x": 1]])
        fixture.drain()
        #expect(home.sections == [.make(["columns": 3]), .make(["columns": 4])])
        #expect(same.sections == [.make(["x": 1])])
        #expect(gone.sections == [.make(["x": 1]), nil])
        #expect(
            await changes.next()
                == SectionChange(
                    sectionName: "Gone", old: .make(["x": 1]), new: nil, reason: .defaultsChanged))
        #expect(
            await changes.next()
                == SectionChange(
                    sectionName: "Home", old: .make(["columns": 3]), new: .make(["columns": 4]),
                    reason: .defaultsChanged))
    }

    @Test(
        arguments: [
            Row("the same", ["Home": ["columns": 3]], true),
            Row("covered by the document", ["Home": ["columns": 3, "title": "x"]], true),
            Row("an empty section", ["Home": ["columns": 3], "Empty": [:]], true),
            Row("another value", ["Home": ["columns": 4]], false),
        ] as [Row<[String: ActiveConfigSection], Bool>])
    func defaultsThatChangeNothingDoNotNotify(
        row: Row<[String: ActiveConfigSection], Bool>
    ) async throws {
        let fixture = Self.make(then: ["Home": ["title": "document"]])
        let config = fixture.config
        config.setDefaults(["Home": ["columns": 3]])
        try await config.downloadNewConfig()
        let listener = fixture.listener()
        fixture.drain()
        let recorder = NotificationRecorder(of: config, in: fixture.center)
        config.setDefaults(row.input)
        fixture.drain()
        #expect((listener.deliveries.count == 1) == row.expected)
        #expect(recorder.entries.isEmpty == row.expected)
    }

    /// A value that does not even equal itself.
    @Test func aDefaultThatIsNotANumberNotifiesOnce() async throws {
        let fixture = Self.make(
            then: ["Home": ["x": 1]], ["Home": ["x": 1], "Other": ["x": 1]])
        let config = fixture.config
        config.setDefaults(["Home": ["ratio": .double(.nan)]])
        let listener = fixture.listener()
        for _ in 1...2 { try await config.downloadNewConfig() }
        config.setDefaults(["Home": ["ratio": .double(.nan)]])
        fixture.drain()
        #expect(listener.deliveries.count == 2)
        #expect(config[SettingKey("Home", "ratio", default: 1.0)].isNaN)
    }

    @Test func defaultsDoNotTouchTheStoreBeforeTheFirstRead() throws {
        let store = ObservedStore(
            InMemoryStore(bootstrap: .state(.make(sections: ["Home": ["title": "stored"]]))))
        let fixture = Self.make(store: store)
        let config = fixture.config
        config.setDefaults(["Home": ["columns": 3]])
        config.setDefaults(["Home": ["columns": 4, "title": "app"]])
        #expect(store.events == [])
        #expect(config[Self.columns] == 4 && config[Self.title] == "stored")
        #expect(store.events.contains(.read(nil)))
    }

    @Test func everyUserHasTheDefaultsBeneathTheirDocument() async throws {
        let store = InMemoryStore()
        store.persistConfiguration(.make(sections: ["Home": ["columns": 10]]), forUserID: "A")
        store.persistConfiguration(.make(sections: ["Home": ["title": "B"]]), forUserID: "B")
        let fixture = Self.make(store: store)
        let config = fixture.config
        config.setDefaults(["Home": ["columns": 3, "title": "app"]])
        let listener = fixture.listener()
        var seen: [String] = []
        for user in [nil, "A", "B", "A", nil] {
            config.currentUserID = user
            seen.append("\(config[Self.columns]) \(config[Self.title])")
        }
        #expect(seen == ["3 app", "10 app", "3 B", "10 app", "3 app"])
        fixture.drain()
        #expect(
            listener.sections.map { "\($0?["columns"] ?? nil) \($0?.title ?? "")" } == seen)
    }

    @Test func theFirstUserOfALaunchIsComparedWithTheGenericOnesLayers() async throws {
        let store = InMemoryStore()
        store.persistConfiguration(.make(sections: ["Home": ["columns": 3]]), forUserID: "A")
        let fixture = Self.make(store: store)
        let config = fixture.config
        config.setDefaults(["Home": ["columns": 3], "Other": ["x": 1]])
        let recorder = NotificationRecorder(of: config, in: fixture.center)
        // Equal for the app, whatever its source.
        config.currentUserID = "A"
        fixture.drain()
        #expect(recorder.entries.count == 0)
        #expect(config[Self.columns] == 3)
    }

    @Test func aDefaultStepsInForADocumentsValueOfAnotherType() async throws {
        let fixture = Self.make(
            then: ["Home": ["columns": "four", "title": nil]], ["Home": ["columns": 5]])
        let config = fixture.config
        config.setDefaults(["Home": ["columns": 3, "title": "app"]])
        try await config.downloadNewConfig()
        #expect(config[Self.columns] == 3 && config[Self.title] == "app")
        #expect(config["Home"]?["columns"] == "four" && config["Home"]?["title"] == .null)
        #expect(
            config.diagnostics.problems.map(\.description) == [
                "The setting 'Home.columns' is the string \"four\" where an integer is expected.",
                "The setting 'Home.title' is null where a string is expected.",
            ])
        config.setDefaults(["Home": ["columns": "three"]])
        #expect(config[Self.columns] == 1)
        #expect(config.diagnostics.problems.count == 1)
        try await config.downloadNewConfig()
        #expect(config[Self.columns] == 5 && config.diagnostics.problems == [])
    }

    @Test func aDefaultThatIsRemovedLeavesTheDocument() async throws {
        let fixture = Self.make(then: ["Home": ["title": "document"]])
        let config = fixture.config
        config.setDefaults(["Home": ["columns": 3]])
        try await config.downloadNewConfig()
        config.setDefaults([:])
        #expect(config["Home"] == .make(["title": "document"]))
        #expect(config[Self.columns] == 1)
    }

    private struct AppDefaults: Encodable {
        struct Home: Encodable {
            var columns = 3
            var interval = Duration.milliseconds(1500)
            var start = Date(timeIntervalSince1970: 1_345_491_365.25)
            var theme = "dark"
            var limit: Int?
        }

        var home = Home()
        var other = ["x": 0.1 as Float]
        var missing: Home?

        enum CodingKeys: String, CodingKey {
            case home = "Home"
            case other = "Other"
            case missing = "Missing"
        }
    }

    @Test func defaultsAreReadFromAnEncodableValue() throws {
        let config = ActiveConfig.make(store: nil)
        try config.setDefaults(encoding: AppDefaults())
        #expect(config[Self.columns] == 3)
        #expect(config[SettingKey("Home", "interval", default: .zero)] == .milliseconds(1500))
        #expect(
            config[SettingKey("Home", "start", default: Date.distantPast)]
                == Date(timeIntervalSince1970: 1_345_491_365.25))
        #expect(config[SettingKey("Other", "x", default: Float(0))] == 0.1)
        #expect(config["Missing"] == nil && config["Home"]?["limit"] == nil)
    }

    @Test func valuesThatAreNoSectionsAreRefusedAndTheDefaultsStay() throws {
        let config = ActiveConfig.make(store: nil)
        config.setDefaults(["Home": ["columns": 3]])
        let values: [any Encodable & Sendable] = [
            5, ["x": 5], [["a": ["b": 1]]], ["Home": ["x": Double.nan]],
            ["Home": ["x": Date(timeIntervalSince1970: 1e300)]],
        ]
        for value in values {
            let error = #expect(throws: EncodingError.self) {
                try config.setDefaults(encoding: value)
            }
            #expect("\(String(describing: error))".count > 20)
        }
        #expect(config[Self.columns] == 3)
    }

    @Test func defaultsAreReadFromAConfiguration() throws {
        let config = ActiveConfig.make(store: nil)
        config.setDefaults(
            try DocumentText.read(
                DocumentText.make(
                    meta: #"{"template_version":7}"#,
                    sections: #"{"Home":{"settings":{"columns":{"value":3}}}}"#)
            ).sections)
        #expect(config[Self.columns] == 3)
        #expect(config.currentConfigurationMetaDictionary == [:])
    }

    private static func propertyList(_ content: String) -> Data {
        Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0">\(content)</plist>
            """.utf8)
    }

    private static let everything = """
        <dict><key>Home</key><dict>
        <key>yes</key><true/><key>one</key><integer>1</integer><key>zero</key><integer>0</integer>
        <key>half</key><real>0.5</real><key>whole</key><real>1.0</real><key>text</key><string>a</string>
        <key>date</key><date>2012-08-20T19:36:05Z</date><key>data</key><data>AQI=</data>
        <key>list</key><array><integer>1</integer><array/><dict><key>a</key><false/></dict></array>
        <key>great</key><integer>18446744073709551615</integer>
        </dict></dict>
        """

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func defaultsAreReadFromAPropertyList(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let config = ActiveConfig.make(store: nil)
        let list = unsafe try PropertyListSerialization.propertyList(
            from: Self.propertyList(Self.everything), format: nil)
        try config.setDefaults(
            propertyList: PropertyListSerialization.data(
                fromPropertyList: list, format: format, options: 0))
        let expected: [String: SettingValue] = [
            "yes": true, "one": 1, "zero": 0, "half": 0.5, "whole": 1.0, "text": "a",
            "date": "2012-08-20T19:36:05Z", "data": "AQI=", "list": [1, [], ["a": false]],
            "great": "18446744073709551615",
        ]
        #expect(config["Home"] == .make(expected))
        #expect(config[SettingKey("Home", "great", default: UInt64(0))] == .max)
        #expect(config[SettingKey("Home", "data", default: Data())] == Data([1, 2]))
    }

    @Test(arguments: [
        Row("nothing", "", 0), Row("an array", "<array/>", 0),
        Row("a number as a section", "<dict><key>Home</key><integer>1</integer></dict>", 0),
        Row("not a property list", "<dict><key>", 0),
        Row(
            "a date beyond all calendars",
            """
            <dict><key>Home</key><dict><key>x</key><date>99999999-01-01T00:00:00Z</date></dict>\
            </dict>
            """, 0),
    ])
    func aPropertyListOfAnotherFormIsRefusedAndTheDefaultsStay(row: Row<String, Int>) {
        let config = ActiveConfig.make(store: nil)
        config.setDefaults(["Home": ["columns": 3]])
        #expect(throws: (any Error).self) {
            try config.setDefaults(propertyList: Self.propertyList(row.input))
        }
        #expect(config[Self.columns] == 3)
    }

    private static let flat = "<dict><key>title</key><string>Hi</string></dict>"

    @Test func aFlatPropertyListIsOfTheSectionThatIsNamed() throws {
        let config = ActiveConfig.make(store: nil)
        try config.setDefaults(propertyList: Self.propertyList(Self.flat), inSection: "Home")
        #expect(config.defaults == ["Home": ["title": "Hi"]])
    }

    @Test func aFlatPropertyListWithoutASectionSaysWhatToDo() throws {
        let config = ActiveConfig.make(store: nil)
        let error = try #require(throws: ConfigurationFormatError.self) {
            try config.setDefaults(propertyList: Self.propertyList(Self.flat))
        }
        #expect(
            error.description
                == "In title: this is a string where a section is expected, a dictionary of its "
                + "settings; for a flat list, as Firebase has it, name the section: "
                + "setDefaults(propertyList:inSection:).")
    }

    @Test(arguments: [Row("as deep as a document", 90, true), Row("deeper", 200, false)])
    func aPropertyListIsAsDeepAsAValueCanBe(row: Row<Int, Bool>) async throws {
        let isRead = try await SmallStack.run {
            let open = String(repeating: "<array>", count: row.input)
            let close = String(repeating: "</array>", count: row.input)
            let config = ActiveConfig.make(store: nil)
            try? config.setDefaults(
                propertyList: Self.propertyList(
                    "<dict><key>Home</key><dict><key>x</key>\(open)\(close)</dict></dict>"))
            return config["Home"] != nil
        }
        #expect(isRead == row.expected)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300, 1e15, 2.6e11, -6.4e10])
    func aPropertyListsDateBeyondTheCalendarIsRefused(seconds: Double) throws {
        let list = try Self.list(["Home": ["date": Self.date]], withDate: seconds)
        let config = ActiveConfig.make(store: nil)
        let error = #expect(throws: ConfigurationFormatError.self) {
            try config.setDefaults(propertyList: list)
        }
        #expect(error?.path == "Home.date")
    }

    @Test func anErrorInAFlatPropertyListNamesTheSettingAlone() throws {
        let list = try Self.list(["date": Self.date], withDate: .infinity)
        let config = ActiveConfig.make(store: nil)
        let error = #expect(throws: ConfigurationFormatError.self) {
            try config.setDefaults(propertyList: list, inSection: "Home")
        }
        #expect(error?.path == "date")
    }

    private static let date = Date(timeIntervalSinceReferenceDate: 0)

    /// Binary property list of a value with ``date`` replaced by another date, because encoders
    /// refuse some dates.
    private static func list(_ value: some Encodable, withDate seconds: Double) throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        var list = try encoder.encode(value)
        // The file has the bytes of a Double.
        let zero = Data([0x33, 0, 0, 0, 0, 0, 0, 0, 0])
        let place = try #require(list.range(of: zero))
        list.replaceSubrange(
            place.lowerBound + 1..<place.upperBound,
            with: (0..<8).map { UInt8(truncatingIfNeeded: seconds.bitPattern >> (56 - 8 * $0)) })
        return list
    }
}
