import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Overrides from launch arguments, the environment and a file.
struct OverridePolicyTests {
    private static func overrides(
        _ arguments: String..., environment: [String: String] = [:]
    ) -> [String: ActiveConfigSection] {
        OverridePolicy.from(arguments: ["app"] + arguments, environment: environment)
            .initialOverrides
    }

    @Test(
        arguments: [
            Row("an integer", "Home.columns=3", ["Home": ["columns": 3]]),
            Row("a boolean", "Home.isOn=true", ["Home": ["isOn": true]]),
            Row("a number", "Home.ratio=-1.5e3", ["Home": ["ratio": -1500.0]]),
            Row("null", "Home.x=null", ["Home": ["x": nil]]),
            Row("a text in quotes", #"Home.x="3""#, ["Home": ["x": "3"]]),
            Row("a text", "Home.x=Hello, world", ["Home": ["x": "Hello, world"]]),
            Row("JSON", #"Home.x={"a": [1]}"#, ["Home": ["x": ["a": [1]]]]),
            Row("nearly JSON", "Home.x={a}", ["Home": ["x": "{a}"]]),
            Row("nothing", "Home.x=", ["Home": ["x": ""]]),
            Row("equals signs", "Home.x=a=b", ["Home": ["x": "a=b"]]),
            Row("dots in the key", "Home.a.b=1", ["Home": ["a.b": 1]]),
            Row("a dot in the value", "Home.x=a.b", ["Home": ["x": "a.b"]]),
            Row("spaces around the equals sign", "Home.x = 3", ["Home": ["x": 3]]),
            Row("spaces around names and text", " Home . x =\t a b ", ["Home": ["x": "a b"]]),
            Row("a mark behind the sign", "Home.x=\u{301}", ["Home": ["x": "\u{301}"]]),
            Row("not a number", "Home.x=NaN", ["Home": ["x": "NaN"]]),
        ] as [Row<String, [String: ActiveConfigSection]>])
    func anArgumentOverridesASetting(row: Row<String, [String: ActiveConfigSection]>) {
        #expect(Self.overrides("-ActiveConfigOverride", row.input) == row.expected)
        #expect(Self.overrides(environment: ["ACTIVECONFIG_OVERRIDES": row.input]) == row.expected)
    }

    @Test(arguments: [
        "", "Home", "Home.columns", ".columns=1", "Home.=1", "Home=1", "Home. = 1", "=1.2", "=",
    ])
    func anArgumentOfAnotherFormIsNamed(text: String) {
        let policy = OverridePolicy.from(
            arguments: ["-ActiveConfigOverride", "A.b=1", "-ActiveConfigOverride", text],
            environment: ["ACTIVECONFIG_OVERRIDES": "A.c=1\n\n\(text)"])
        #expect(policy.initialOverrides == ["A": ["b": 1, "c": 1]])
        // The message leaves out the value, which may be a secret.
        let name = text.contains("=") ? String(text.prefix { $0 != "=" }) : "…"
        let places =
            (text.isEmpty ? [] : ["line 3 of ACTIVECONFIG_OVERRIDES"])
            + ["-ActiveConfigOverride number 2"]
        #expect(
            policy.problems
                == places.map {
                    "The override \"\(name)=…\", \($0), cannot be used: write Section.key=value."
                })
    }

    @Test(arguments: ["-ActiveConfigOverride", "-ActiveConfigOverrideFile"])
    func anArgumentWithoutItsValueIsNamed(name: String) {
        let policy = OverridePolicy.from(arguments: ["app", name], environment: [:])
        #expect(policy.initialOverrides == [:])
        #expect(policy.problems == ["The argument \(name) is the last one and has no value."])
    }

    @Test func theEnvironmentHasOneOnEachLine() {
        let text = "A.b=1\nA.c=x\r\n\nA.d=2\n"
        #expect(
            Self.overrides(environment: ["ACTIVECONFIG_OVERRIDES": text])
                == ["A": ["b": 1, "c": "x", "d": 2]])
    }

    @Test func otherArgumentsAreIgnored() {
        #expect(
            Self.overrides("Home.columns=3", "-activeconfigoverride", "A.b=1", "-x") == [:])
    }

    @Test func anArgumentCountsBeforeTheEnvironmentAndBothBeforeTheFile() throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let file = folder.file("overrides.json")
        try ConfigurationState.make(
            sections: ["S": ["file": 1, "environment": 1, "argument": 1, "last": 1]]
        ).jsonData().write(to: file)
        let environment = [
            "ACTIVECONFIG_OVERRIDES": "S.environment=2\nS.argument=2\nS.last=2",
            "ACTIVECONFIG_OVERRIDE_FILE": file.path,
        ]
        let arguments = [
            "-ActiveConfigOverride", "S.argument=3", "-ActiveConfigOverride", "S.last=3",
            "-ActiveConfigOverride", "S.last=4",
        ]
        let expected: [String: ActiveConfigSection] = [
            "S": ["file": 1, "environment": 2, "argument": 3, "last": 4]
        ]
        #expect(
            OverridePolicy.from(arguments: arguments, environment: environment).initialOverrides
                == expected)
        // The argument names a different file from the environment variable.
        let policy = OverridePolicy.from(
            arguments: arguments + ["-ActiveConfigOverrideFile", file.path],
            environment: environment.merging(["ACTIVECONFIG_OVERRIDE_FILE": "/none"]) { $1 })
        #expect(policy.initialOverrides == expected)
        #expect(policy.problems == [])
    }

    @Test(arguments: [
        Row("none there", nil, "The overrides in "), Row("no document", "{", "is not valid JSON"),
        Row("empty", "", "The overrides in "),
    ])
    func aFileThatCannotBeUsedIsNamed(row: Row<String?, String>) throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let file = folder.file("overrides.json")
        if let text = row.input { try Data(text.utf8).write(to: file) }
        let policy = OverridePolicy.from(
            arguments: ["-ActiveConfigOverrideFile", file.path, "-ActiveConfigOverride", "A.b=1"],
            environment: [:])
        #expect(policy.initialOverrides == ["A": ["b": 1]])
        #expect(policy.problems.count == 1)
        #expect(policy.problems[0].contains("'\(file.path)' cannot be used"))
    }

    /// `ACTIVECONFIG_PROBES` names the folder of a release build of the probe.
    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func aReleaseBuildIgnoresTheArgumentsOfAProcess() async throws {
        let isRelease = ProcessInfo.processInfo.environment["ACTIVECONFIG_PROBES"] != nil
        let process = try DownloadProbeProcess([
            "override", "-ActiveConfigOverride", "Home.columns=3",
        ])
        let result = await process.finish()
        #expect(result.outcomes == ["columns": isRelease ? 1 : 3])
        #expect(result.hasSurvived)
    }

    @Test func overridesAreActiveInDebugBuildsByDefault() {
        #expect(!OverridePolicy.never.isEnabled && OverridePolicy.always.isEnabled)
        #if DEBUG
            #expect(OverridePolicy.inDebugBuilds.isEnabled)
        #else
            #expect(!OverridePolicy.inDebugBuilds.isEnabled)
        #endif
    }

    @Test func aValueOfTheEnvironmentIsNotQuotedWhenItIsCut() {
        let policy = OverridePolicy.from(
            arguments: ["app"],
            environment: [
                "ACTIVECONFIG_OVERRIDES": "  Api.pem = -----BEGIN-----\r\nSECRET\nA_b=SECRET"
            ])
        #expect(policy.initialOverrides == ["Api": ["pem": "-----BEGIN-----"]])
        #expect(policy.problems.count == 2 && !policy.problems.joined().contains("SECRET"))
        #expect(
            Self.overrides(environment: ["ACTIVECONFIG_OVERRIDES": "Api.text=\"a\u{2028}b\""])
                == ["Api": ["text": "a\u{2028}b"]])
    }

    @Test(arguments: ["-ActiveConfigOverride=Home.x=1", "--ActiveConfigOverride"])
    func anArgumentThatIsNearlyOneIsNamed(argument: String) {
        let policy = OverridePolicy.from(
            arguments: ["app", argument, "Home.x=1"], environment: [:])
        #expect(policy.initialOverrides == [:] && policy.problems.count == 1)
    }
}
