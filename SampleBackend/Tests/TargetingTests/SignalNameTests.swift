import JSONTree
import Targeting
import Testing

struct SignalNameTests {
    @Test(arguments: [
        ("app.id", SignalName.appID), ("app.version", .appVersion), ("app.build", .appBuild),
        ("device.os", .deviceOS), ("device.country", .deviceCountry),
        ("device.language", .deviceLanguage), ("signal.plan", .custom("plan")),
        ("signal.app.id", .custom("app.id")), ("signal.signal.x", .custom("signal.x")),
        ("signal.\u{301}x", .custom("\u{301}x")),
    ])
    func aNameOfAQueryIsReadAndWrittenBack(name: String, signal: SignalName) {
        #expect(SignalName(name) == signal)
        #expect(signal.queryName == name)
        #expect(SignalName(queryName: name) == signal)
    }

    @Test(arguments: ["plan", "App.id", "app.id.x", "signal", "signals.x", "user.id", ""])
    func anyOtherNameIsNoneOfAQuery(name: String) {
        #expect(SignalName(queryName: name) == nil)
        #expect(SignalName(name) == (name.isEmpty ? nil : .custom(ExactText(name))))
    }

    @Test func aStandardSignalIsFoundByItsName() {
        for signal in SignalName.standard {
            #expect(SignalName(queryName: signal.queryName) == signal)
        }
    }

    @Test func theStandardSignalsAreTheOnesThatAreNotCustom() {
        #expect(
            SignalName.standard.map(\.queryName) == [
                "app.id", "app.version", "app.build", "device.os", "device.country",
                "device.language",
            ])
        #expect(SignalName("signal.") == nil)
    }

    @Test func everySignalIsSetAndReadByItsName() throws {
        var signals = Signals()
        let names = SignalName.standard.map(\.queryName) + ["signal.plan"]
        for name in names { try signals.setValue("of \(name)", named: name) }
        #expect(
            signals
                == Signals(
                    appID: "of app.id", appVersion: "of app.version", appBuild: "of app.build",
                    deviceOS: "of device.os", deviceCountry: "of device.country",
                    deviceLanguage: "of device.language", custom: ["plan": "of signal.plan"]))
        #expect(signals.namedValues.map(\.name) == names.sorted())
        #expect(signals.namedValues.allSatisfy { $0.value == "of \($0.name)" })
        for name in names { #expect(signals[try #require(SignalName(name))] == "of \(name)") }
    }

    @Test func theLastValueOfANameCounts() throws {
        let signals = try Signals(
            members: ["signal.plan": "a", "plan": "b"] as KeyValuePairs<String, JSONNode>)
        #expect(signals == Signals(custom: ["plan": "b"]))
    }

    @Test func singleJSONValuesAreSignalsByTheirText() throws {
        let members: KeyValuePairs<String, JSONNode> = [
            "a": .number("5.0"), "b": true, "c": .null, "d": ["x"], "e": "text",
        ]
        let signals = try Signals(members: members)
        #expect(signals == Signals(custom: ["a": "5", "b": "true", "e": "text"]))
    }

    @Test(arguments: [
        ("signal.a", 501, "The value of the signal \"signal.a\" is too long: send at most 500 "),
        ("signal.", 1, "The signal \"signal.\" names no signal: put the name after the dot."),
        ("a" + String(repeating: "x", count: 250), 1, "The name of the signal \"axxx"),
    ])
    func aSignalOverALimitIsRefused(name: String, length: Int, message: String) {
        var signals = Signals()
        let error = #expect(throws: SignalError.self) {
            try signals.setValue(String(repeating: "é", count: length), named: name)
        }
        #expect(error?.description.hasPrefix(message) == true)
        #expect(error?.name == name)
        #expect(signals == Signals())
    }

    @Test func thereAreAtMostAHundredCustomSignals() throws {
        var signals = Signals()
        for index in 0..<100 { try signals.setValue("", named: "s\(index)") }
        try signals.setValue("x", named: "signal.s1")
        try signals.setValue("x", named: "app.id")
        #expect(throws: SignalError.self) { try signals.setValue("", named: "s100") }
    }
}
