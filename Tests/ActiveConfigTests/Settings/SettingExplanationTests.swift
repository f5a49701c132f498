import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Explanations of values: their source and the reason for it.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SettingExplanationTests {
    private static let columns = SettingKey("Home", "columns", default: 1)
    private static let password = SettingKey("Account", "password", default: 0)

    private static func make(
        _ sections: [String: ActiveConfigSection], entityTag: String? = nil,
        meta: [String: SettingValue] = [:]
    ) -> CoordinatorFixture {
        .make(
            ScriptedDownloader { _ in
                .configuration(.make(meta: meta, sections: sections, entityTag: entityTag))
            }, overrides: .settable)
    }

    @Test func aSourceIsTheLayerOfTheValue() async throws {
        let fixture = Self.make(["Home": ["columns": 3]])
        let config = fixture.config
        let sources = {
            [
                config.diagnostics.source(of: Self.columns),
                config.diagnostics.source(of: SettingPath("Home", "columns")),
            ]
        }
        #expect(sources() == [.default, .absent])
        config.setDefaults(["Home": ["columns": 2]])
        #expect(sources() == [.default, .default])
        try await config.downloadNewConfig()
        #expect(sources() == [.downloaded, .downloaded])
        config.overrides.set(4, for: SettingPath("Home", "columns"))
        #expect(sources() == [.override, .override])
        config.overrides.set("x", for: SettingPath("Home", "columns"))
        #expect(sources() == [.downloaded, .override])
        #expect(config.diagnostics.source(of: SettingPath("Home", "none")) == .absent)
        #expect(config.diagnostics.source(of: SettingPath("None", "columns")) == .absent)
    }

    /// State of the store, and the source of the value that user "1" then reads.
    @Test(
        arguments: [
            Row("a document of the user", ["1"], .stored),
            Row("a document of the generic user", ["", "2"], .genericUser),
            Row("only the bootstrap", ["2"], .bootstrap),
        ] as [Row<[String], SettingSource>])
    func aSourceSaysWhichDocumentOfTheStoreItIs(row: Row<[String], SettingSource>) async throws {
        let store = InMemoryStore(bootstrap: .state(.make(sections: ["Home": ["columns": 9]])))
        for user in row.input {
            store.persistConfiguration(
                .make(sections: ["Home": ["columns": 3]]), forUserID: user.isEmpty ? nil : user)
        }
        let fixture = CoordinatorFixture.make(ScriptedDownloader(.unchanged), store: store)
        let config = fixture.config
        config.currentUserID = "1"
        #expect(config.diagnostics.source(of: Self.columns) == row.expected)
        #expect(config.diagnostics.report().document.source == row.expected)
        guard row.expected == .stored else { return }
        // A confirmation by the server counts as a download.
        try await config.downloadNewConfig()
        #expect(config.diagnostics.source(of: Self.columns) == .downloaded)
    }

    @Test func aDocumentThatIsNotStoredStaysDownloaded() async throws {
        struct Full: Error {}
        let store = ObservedStore { event in
            if case .persist = event { throw Full() }
        }
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(.make(sections: ["Home": ["columns": 3]]))),
            store: store)
        let config = fixture.config
        config.currentUserID = "1"
        try await config.downloadNewConfig()
        config.currentUserID = nil
        #expect(config.diagnostics.source(of: Self.columns) == .default)
        config.currentUserID = "1"
        #expect(config.diagnostics.source(of: Self.columns) == .downloaded)
    }

    @Test func anUnknownStoresDocumentIsStored() {
        let config = ActiveConfig.make(store: ForeignStore())
        #expect(config.diagnostics.source(of: Self.columns) == .stored)
    }

    /// Store that does not report whether it falls back.
    private struct ForeignStore: ActiveConfigStore {
        func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
            .make(sections: ["Home": ["columns": 3]])
        }

        func persistConfiguration(
            _ configuration: ConfigurationState?, forUserID userID: String?
        ) {}
    }

    private static func layers(_ explanation: SettingExplanation) -> [String] {
        explanation.layers.map { "\($0.source) \($0.value.map { "\($0)" } ?? "masked")" }
    }

    @Test func anExplanationNamesTheValueAndWhatLiesBeneathIt() async throws {
        let fixture = Self.make(
            ["Home": ["columns": 3]], entityTag: "\"tag\"", meta: ["template_version": 12])
        let config = fixture.config
        config.setDefaults(["Home": ["columns": 2]])
        try await config.downloadNewConfig()

        let downloaded = config.diagnostics.explain(Self.columns)
        #expect(downloaded.value == 3 && downloaded.source == .downloaded)
        #expect(Self.layers(downloaded) == ["downloaded 3", "default 2", "default 1"])
        #expect(
            "\(downloaded)" == """
                Home.columns = 3, downloaded (version 12, "tag"); beneath it: default 2, default 1
                """)
        #expect(
            downloaded.document.templateVersion == 12 && downloaded.document.entityTag == "\"tag\"")

        config.overrides.set(4, for: SettingPath("Home", "columns"))
        let overridden = config.diagnostics.explain(Self.columns)
        #expect(
            "\(overridden)"
                == "Home.columns = 4, override; beneath it: downloaded 3, default 2, default 1")
        #expect(
            "\(config.diagnostics.explain(SettingPath("Home", "none")))"
                == "Home.none = nothing, absent")
        #expect(
            Self.layers(config.diagnostics.explain(SettingPath("Home", "columns")))
                == ["override 4", "downloaded 3", "default 2"])
    }

    /// Values of the layers, the lowest one last, and the expected explanation of an integer.
    @Test(
        arguments: [
            Row(
                "an override", ["x", 3, 2],
                """
                Home.columns = 3, downloaded; beneath it: default 2, default 1; is the string "x" \
                where an integer is expected
                """),
            Row(
                "all but the default", ["x", "y", 2],
                """
                Home.columns = 2, default; beneath it: default 1; is the string "x" where an integer \
                is expected
                """),
            Row(
                "all", ["x", "y", "z"],
                "Home.columns = 1, default; is the string \"x\" where an integer is expected"),
            Row(
                "values of the lower layers", [4, "y", "z"],
                """
                Home.columns = 4, override; beneath it: downloaded "y", default "z", default 1
                """),
            Row(
                "null in the document", [nil, nil, 2],
                """
                Home.columns = 2, default; beneath it: default 1; is null where an integer is expected
                """),
        ] as [Row<[SettingValue?], String>])
    func anExplanationSaysWhatIsOfAnotherType(row: Row<[SettingValue?], String>) async throws {
        let fixture = Self.make(["Home": ["columns": row.input[1] ?? .null]])
        let config = fixture.config
        config.setDefaults(["Home": ["columns": row.input[2] ?? .null]])
        try await config.downloadNewConfig()
        if let value = row.input[0] {
            config.overrides.set(value, for: SettingPath("Home", "columns"))
        }

        let explanation = config.diagnostics.explain(Self.columns)
        #expect("\(explanation)" == row.expected)
        #expect(explanation.value == .integer(config[Self.columns]))
        #expect(explanation.source == config.diagnostics.source(of: Self.columns))
        #expect((explanation.problem == nil) == row.expected.hasSuffix("1"))
        #expect(explanation.problem.map { [$0] } ?? [] == config.diagnostics.problems)
        #expect(
            explanation.layers.count == row.input.compactMap { $0 }.count
                + (row.input[1] == nil ? 2 : 1))
    }

    @Test func anExplanationHasTheValueOfADefaultOfEachKind() {
        let config = ActiveConfig.make(store: nil)
        func value<Value: Sendable>(_ key: SettingKey<Value>) -> SettingValue? {
            config.diagnostics.explain(key).value
        }
        #expect(value(SettingKey("S", "x", default: 5)) == 5)
        #expect(value(SettingKey("S", "x", default: Duration.seconds(90))) == 90)
        #expect(value(SettingKey("S", "x", default: Theme.dark)) == "dark")
        #expect(value(SettingKey("S", "x", default: Layout.grid)) == 2)
        #expect(value(SettingKey("S", "x", default: [Theme.dark, .light])) == ["dark", "light"])
        #expect(value(SettingKey("S", "x", default: ["a": Theme.dark])) == ["a": "dark"])
        #expect(value(SettingKey("S", "x", default: Theme.dark as Theme?)) == "dark")
        #expect(value(SettingKey("S", "x", default: Int?.none)) == .null)
        #expect(
            value(SettingKey("S", "x", default: Limits(low: 1, high: 2))) == ["low": 1, "high": 2])
        // A type that cannot be represented as text.
        #expect(value(SettingKey("S", "x", default: Percentage(5))) == nil)
    }

    @Test func aReportNamesEverySettingWithItsSource() async throws {
        let fixture = Self.make(
            ["Home": ["columns": "x"]], entityTag: "\"tag\"",
            meta: ["template_version": 12, "creation_time": "2012-08-20T19:36Z"])
        let config = fixture.config
        config.setDefaults(["Home": ["columns": 2], "Other": ["x": ["a": 1.5]]])
        config.currentUserID = "user"
        try await config.downloadNewConfig()
        config.overrides.set(true, for: SettingPath("Debug", "isOn"))
        _ = config[Self.columns]

        let report = config.diagnostics.report()
        #expect(report.userID == "user")
        #expect(report.document.templateVersion == 12 && report.document.entityTag == "\"tag\"")
        #expect(report.settings.map(\.path.name) == ["isOn", "columns", "x"])
        #expect(report.settings.map(\.source) == [.override, .downloaded, .default])
        let lines = report.description.split(separator: "\n").map(String.init)
        #expect(lines.count == 5)
        #expect(lines[0] == "Configuration of user \"user\", downloaded:")
        #expect(lines[1] == "  Debug.isOn = true, override")
        #expect(lines[2].hasPrefix(#"  Home.columns = "x", downloaded (version 12, "tag", "#))
        #expect(lines[2].hasSuffix(" days old); beneath it: default 2"))
        #expect(lines[3] == #"  Other.x = {"a":1.5}, default"#)
        #expect(
            lines[4] == """
                  The setting 'Home.columns' is the string "x" where an integer is expected.
                """)

        let object = try SettingValue(jsonData: report.jsonData())
        #expect(object == report.settingValue)
        #expect(
            object == [
                "user_id": "user", "source": "downloaded", "template_version": 12,
                "entity_tag": "\"tag\"", "creation_time": "2012-08-20T19:36:00Z",
                "settings": [
                    [
                        "section": "Debug", "name": "isOn", "source": "override", "value": true,
                        "layers": [["source": "override", "value": true]],
                    ],
                    [
                        "section": "Home", "name": "columns", "source": "downloaded", "value": "x",
                        "layers": [
                            ["source": "downloaded", "value": "x"],
                            ["source": "default", "value": 2],
                        ],
                    ],
                    [
                        "section": "Other", "name": "x", "source": "default", "value": ["a": 1.5],
                        "layers": [["source": "default", "value": ["a": 1.5]]],
                    ],
                ],
                "problems": [
                    "The setting 'Home.columns' is the string \"x\" where an integer is expected."
                ],
            ])
    }

    @Test func aReportOfNothingSaysSo() throws {
        let report = ActiveConfig.make(store: nil).diagnostics.report()
        #expect(report.description == "Configuration of the generic user, absent:")
        #expect(
            try SettingValue(jsonData: report.jsonData())
                == ["user_id": nil, "source": "absent", "settings": [], "problems": []])
    }

    /// 10,000 settings, each explained once.
    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func aReportOfManySettingsIsMadeInTime() async throws {
        var settings: [String: SettingValue] = [:]
        for number in 0..<10_000 { settings["key\(number)"] = .integer(number) }
        let fixture = Self.make(
            ["Home": ActiveConfigSection(settings: settings)],
            meta: ["creation_time": "2012-08-20T19:36Z"])
        fixture.config.setDefaults(["Home": ActiveConfigSection(settings: settings)])
        try await fixture.config.downloadNewConfig()
        #expect(fixture.config.diagnostics.report().settings.count == 10_000)
        #expect(fixture.config.diagnostics.settings(from: .downloaded).count == 10_000)
    }

    @Test func keysAreFoundByTheirSourceAndByTheirPrefix() async throws {
        let fixture = Self.make(["Home": ["columns": 3, "title": "x"], "Hom": ["e.x": 1]])
        let config = fixture.config
        config.setDefaults(["Home": ["columns": 2, "color": "red"], "A": ["z": 1]])
        try await config.downloadNewConfig()
        config.overrides.set(4, for: SettingPath("Home", "title"))
        let names = { (paths: [SettingPath]) in paths.map(\.description) }
        #expect(names(config.diagnostics.settings(from: .override)) == ["Home.title"])
        #expect(
            names(config.diagnostics.settings(from: .downloaded)) == ["Hom.e.x", "Home.columns"])
        #expect(names(config.diagnostics.settings(from: .default)) == ["A.z", "Home.color"])
        #expect(config.diagnostics.settings(from: .stored) == [])
        #expect(
            names(config.diagnostics.settings(withPrefix: "Home.c")) == [
                "Home.color", "Home.columns",
            ])
        #expect(names(config.diagnostics.settings(withPrefix: "Hom")).count == 4)
        #expect(config.diagnostics.settings.count == 5)
        #expect(config.diagnostics.settings(withPrefix: "home") == [])
        #expect(
            config.diagnostics.settings(withPrefix: "Hom.") == [SettingPath("Hom", "e.x")])
    }

    /// All texts of the framework about its settings, joined.
    private static func everything(_ fixture: CoordinatorFixture) -> String {
        let config = fixture.config
        let report = config.diagnostics.report()
        return [
            "\(report)", String(decoding: report.jsonData(), as: UTF8.self),
            "\(config.diagnostics.explain(password))",
            "\(config.diagnostics.explain(password).settingValue)",
            "\(config.diagnostics.explain(SettingPath("Account", "password")))",
            "\(config.diagnostics.problems)",
            "\(report.problems)", "\(fixture.log.messages)",
            "\(config.diagnostics.explain(password))",
        ].joined(separator: "\n")
    }

    /// Decodes its only setting as a number, with an error message of its own.
    private struct Account: SettingsSection {
        static let sectionName = "Account"
        var password = 0
        var keys = ["a": 0]

        init() {}

        init(from decoder: any Decoder) throws {
            struct Refused: Error { let password: String }
            let container = try decoder.container(keyedBy: CodingKeys.self)
            keys = try container.decode([String: Int].self, forKey: .keys)
            if let text = try? container.decode(String.self, forKey: .password) {
                throw Refused(password: text)
            }
        }

        enum CodingKeys: CodingKey { case password, keys }
    }

    @Test func aSecretIsMaskedEverywhere() async throws {
        let fixture = Self.make(["Account": ["password": "hunter2", "keys": ["a": "hunter2"]]])
        let config = fixture.config
        config.diagnostics.markSecret(Self.password.path)
        config.diagnostics.markSecret(SettingPath("Account", "keys"))
        config.setDefaults(["Account": ["password": "hunter2"]])
        try await config.downloadNewConfig()
        config.overrides.set("hunter2", for: SettingPath("Account", "password"))
        #expect(config[Self.password] == 0)
        #expect(config[SettingKey("Account", "password", default: "")] == "hunter2")
        #expect(config[SettingKey("Account", "keys", default: Limits(low: 0, high: 0))].low == 0)
        #expect(config.section(Account.self).password == 0)

        let text = Self.everything(fixture)
        #expect(!text.contains("hunter2"))
        #expect(text.contains("The setting 'Account.password' is a secret of another type than is"))
        #expect(text.contains("Account.password = •••, "))
        #expect(text.contains(#""masked":true"#))
        let explanation = config.diagnostics.explain(Self.password)
        #expect(explanation.isMasked && explanation.value == nil)
        #expect(explanation.layers.map(\.value) == [nil, nil, nil, nil])
        #expect(config.diagnostics.source(of: Self.password) == .default)
        #expect(config["Account"]?.string(forKey: "password") == "hunter2")
    }

    @Test func aSettingThatIsMarkedLateIsMaskedInWhatWasRecordedBefore() async throws {
        let fixture = Self.make(["Account": ["password": "hunter2", "keys": ["a": "hunter2"]]])
        let config = fixture.config
        try await config.downloadNewConfig()
        #expect(config[Self.password] == 0)
        #expect(config.section(Account.self).password == 0)
        #expect("\(config.diagnostics.problems)\(config.diagnostics.report())".contains("hunter2"))
        config.diagnostics.markSecret(Self.password.path)
        config.diagnostics.markSecret(SettingPath("Account", "keys"))
        let said = "\(config.diagnostics.problems)\(config.diagnostics.report())"
        #expect(!said.contains("hunter2") && said.contains("Account.password"))
    }

    @Test func onlyTheMarkedSettingIsMasked() async throws {
        let fixture = Self.make(["Account": ["password": "x", "name": "shown"]])
        let config = fixture.config
        try await config.downloadNewConfig()
        config.diagnostics.markSecret(SettingPath("Account", "password"))
        config.diagnostics.markSecret(SettingPath("Other", "name"))
        #expect("\(config.diagnostics.report())".contains("shown"))
        #expect(config.diagnostics.isSecret(SettingPath("Account", "password")))
        #expect(!config.diagnostics.isSecret(SettingPath("Account", "name")))
    }

    @Test func aSettingIsSecretByOneOfItsKeys() {
        let diagnostics = ActiveConfig.make().diagnostics
        let path = SettingPath("aSettingIsSecretByOneOfItsKeys", "token")
        #expect(!diagnostics.isSecret(path))
        _ = SettingKey(path.sectionName, path.name, default: "", isSecret: true)
        #expect(diagnostics.isSecret(path))
    }

    @Test func aKeysValueIsTheOneThatTheAppGets() async throws {
        let config = Self.make(["Home": ["columns": 2.5]]).config
        try await config.downloadNewConfig()
        let explanation = config.diagnostics.explain(Self.columns)
        #expect(explanation.value == 2 && config[Self.columns] == 2)
        #expect(explanation.layers.first?.value == 2.5)
        #expect(config.diagnostics.explain(SettingPath("Home", "columns")).value == 2.5)
    }

    @Test func namesInsideOfASecretAreSecret() async throws {
        struct Account: SettingsSection {
            static let sectionName = "Account"
            var tokens: [String: Int] = [:]
        }
        for name in ["\u{301}x", "plain"] {
            let fixture = Self.make(["Account": ["tokens": [name: "SECRET"]]])
            let config = fixture.config
            config.diagnostics.markSecret(SettingPath("Account", "tokens"))
            try await config.downloadNewConfig()
            _ = config.section(Account.self)
            let texts =
                fixture.log.messages.map(\.text) + config.diagnostics.problems.map(\.description)
                + [config.diagnostics.report().description]
            #expect(config.diagnostics.problems.map(\.name) == ["tokens"])
            #expect(!texts.contains { $0.contains("SECRET") || $0.contains(name) }, "\(texts)")
        }
    }
}
