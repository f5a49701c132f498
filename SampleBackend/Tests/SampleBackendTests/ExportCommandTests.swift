import ActiveConfigGeneration
import Foundation
import SeededRandomness
import TemporaryFolders
import Testing

/// `sample-backend export --format swift`; `AdministrationCommandsTests` has the other formats.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ExportCommandTests {
    private static let template = #"""
        {"conditions": [{"name": "ios", "expression": "device.os == 'ios'"}],
         "parameters": {"greeting": {"valueType": "STRING", "defaultValue": {"value": "Hi, \"a\""}}},
         "parameterGroups": {"Checkout": {
            "description": "The way to the order.",
            "parameters": {
                "is_on": {"valueType": "BOOLEAN", "defaultValue": {"value": "true"},
                    "description": "Whether it is open.\nFor everybody."},
                "limit": {"valueType": "NUMBER", "defaultValue": {"value": "3"}},
                "interval": {"valueType": "NUMBER", "defaultValue": {"value": "60"},
                    "conditionalValues": {"ios": {"value": "0.5"}}},
                "rates": {"valueType": "JSON", "defaultValue": {"value": "{\"a\": 1, \"b\": 2.5}"}},
                "page": {"valueType": "STRING", "defaultValue": {"useInAppDefault": true}},
                "ratio": {"valueType": "NUMBER", "conditionalValues": {"ios": {"value": "2"}}},
                "old": {"defaultValue": {"value": "x"}, "archived": true},
                "secret": {"defaultValue": {"value": "x"}, "masterKeyOnly": true}
            }}}}
        """#

    private static let source = #"""
        // Generated from a configuration; changes made here are lost.

        public import ActiveConfig

        /// The way to the order.
        public nonisolated enum CheckoutKeys {
            /// The setting `Checkout.interval`.
            public static let interval = SettingKey<Double>("Checkout", "interval", default: 60.0)

            /// Whether it is open.
            /// For everybody.
            public static let isOn = SettingKey<Bool>("Checkout", "is_on", default: true)

            /// The setting `Checkout.limit`.
            public static let limit = SettingKey<Int>("Checkout", "limit", default: 3)

            /// The setting `Checkout.page`.
            public static let page = SettingKey<String?>("Checkout", "page", default: nil)

            /// The setting `Checkout.rates`.
            public static let rates = SettingKey<[String: Double]>(
                "Checkout", "rates", default: ["a": 1.0, "b": 2.5])

            /// The setting `Checkout.ratio`.
            public static let ratio = SettingKey<Int?>("Checkout", "ratio", default: nil)
        }

        /// Settings of the section `Default`.
        public nonisolated enum DefaultKeys {
            /// The setting `Default.greeting`.
            public static let greeting = SettingKey<String>("Default", "greeting", default: "Hi, \"a\"")
        }
        """#

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aTemplateBecomesTypes(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let file = try target.folder.write(Self.template, to: "template.json")
        let publish = try await target.run("publish", file)
        #expect(publish.exitCode == 0, "\(publish)")
        let export = try await target.run("export", "--format", "swift", "--access-level", "public")
        #expect(export.exitCode == 0, "\(export)")
        #expect(export.output == Self.source)
        let output = target.folder.path("Settings.swift")
        let written = try await target.run("export", "--format", "swift", "--output", output)
        #expect(written.exitCode == 0, "\(written)")
        let text = try String(contentsOfFile: output, encoding: .utf8)
        #expect(text == Self.source.replacing("public ", with: "") + "\n")
    }

    /// A template whose types are those of its default values.
    @Test func theTypesAreThoseOfTheBootstrap() async throws {
        let target = try await AdministrationTarget(.database)
        #expect(try await target.run("publish", target.template()).exitCode == 0)
        let export = try await target.run("export", "--format", "swift")
        let bootstrap = try await target.run("export", "--format", "activeconfig")
        let model = try SettingsModel(document: Data(bootstrap.output.utf8))
        #expect(export.output + "\n" == model.swiftSource())
        #expect(export.output.contains(#"SettingKey<String>("Home", "title", default: "Hello")"#))
    }

    @Test func anAccessLevelIsForSwiftOnly() async throws {
        let run = try await CommandRun(["export", "--format", "json", "--access-level", "public"])
        #expect(run.exitCode == 64, "\(run)")
        #expect(run.error.contains("--format swift"), "\(run)")
    }

    @Test func withoutATemplateThereIsNothingToExport() async throws {
        let target = try await AdministrationTarget(.database)
        #expect(try await target.run("export", "--format", "swift").exitCode == 4)
    }
}
