import ActiveConfig
import ActiveConfigTesting
import Testing

/// A server that rewrites its documents may write 1 as 1.0.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct EqualNumbersTests {
    private static let columns = SettingKey("Home", "columns", default: SettingValue.null)

    private static func make(
        _ values: [SettingValue], options: ActiveConfigOptions = ActiveConfigOptions()
    ) -> CoordinatorFixture {
        .make(
            ScriptedDownloader { call in
                let value = values[call.number - 1]
                return .configuration(.make(sections: ["Home": ["columns": value]]))
            }, options: options)
    }

    @Test func aNumberInAnotherFormIsNoChange() async throws {
        let fixture = Self.make([1, 1.0, ["a": [1]], ["a": [1.0]]])
        let config = fixture.config
        let listener = fixture.listener()
        let recorder = NotificationRecorder(of: config, in: fixture.center)
        var changed: [Set<String>] = []
        for _ in 1...4 {
            changed.append(try await config.downloadNewConfig().changedSectionNames)
        }
        fixture.drain()
        #expect(changed == [["Home"], [], ["Home"], []])
        #expect(listener.deliveries.count == 2)
        #expect(recorder.entries(named: ActiveConfig.sectionDidChangeNotification).count == 2)
        // Reads nevertheless see the newest document.
        #expect(config[Self.columns] == ["a": [1.0]])
    }

    @Test(
        arguments: [
            Row("kinds other than numbers", (1, true), false),
            Row("an integer and its text", (1, "1"), false),
            Row(
                "beyond a double's precision", (.integer(1 << 53 + 1), .double(0x1p53)), false),
            Row("a double beyond integers", (.integer(.max), .double(0x1p63)), false),
            Row("zero and its negative", (0, -0.0), true),
            Row("below 2⁵³", (.integer(1 << 53 - 1), .double(0x1p53 - 1)), true),
            Row("above -2⁵³", (.integer(1 - 1 << 53), .double(1 - 0x1p53)), true),
            // 2⁵³ + 1 would round to the same double.
            Row("2⁵³", (.integer(1 << 53), .double(0x1p53)), false),
            Row("-2⁵³", (.integer(-1 << 53), .double(-0x1p53)), false),
            Row("a large number", (.integer(1 << 60), .double(0x1p60)), false),
        ] as [Row<(SettingValue, SettingValue), Bool>])
    func numbersAreComparedExactly(
        row: Row<(SettingValue, SettingValue), Bool>
    ) async throws {
        let fixture = Self.make([row.input.0, row.input.1])
        try await fixture.config.downloadNewConfig()
        let result = try await fixture.config.downloadNewConfig()
        #expect(result.changedSectionNames.isEmpty == row.expected)
        // The values themselves differ in their kind (FORMAT 4).
        #expect(row.input.0 != row.input.1)
    }

    @Test func aSectionWithEqualNumbersDoesNotWait() async throws {
        var options = ActiveConfigOptions()
        options.activationPolicy = .manual
        let fixture = Self.make([1, 1.0], options: options)
        try await fixture.config.downloadNewConfig()
        fixture.config.activate(isLast: true)
        #expect(try await fixture.config.downloadNewConfig().configurationIsCurrent)
        #expect(fixture.config.pendingChanges.isEmpty)
    }
}

extension ActiveConfig {
    /// In an async function the plain call would resolve to the async overload.
    fileprivate func activate(isLast: Bool) { activate() }
}
