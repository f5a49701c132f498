import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ClientSignalsTests {
    private static func make(_ store: (any ActiveConfigStore)? = nil) -> ClientSignals {
        ClientSignals(platform: { PlatformSignals() }, store: store, log: .disabled)
    }

    private static func error(
        setting values: [String: CustomSignalValue?], in signals: ClientSignals
    ) async -> CustomSignalError? {
        do {
            try await signals.setCustomSignals(values)
            return nil
        } catch {
            return error
        }
    }

    @Test func valuesAreTextsNumbersAndBooleans() async throws {
        let signals = Self.make()
        try await signals.setCustomSignals([
            "text": "pro", "integer": 7, "number": 2.5, "whole": 5.0, "yes": true, "no": false,
        ])
        #expect(
            signals.custom == [
                "text": "pro", "integer": "7", "number": "2.5", "whole": "5", "yes": "true",
                "no": "false",
            ])
        #expect(signals.values["signal.integer"] == "7")
    }

    @Test func newSignalsAreMergedAndNilRemoves() async throws {
        let signals = Self.make()
        try await signals.setCustomSignals(["a": 1, "b": 2])
        try await signals.setCustomSignals(["b": nil, "c": 3, "unknown": nil])
        #expect(signals.custom == ["a": "1", "c": "3"])
        await signals.removeAllCustomSignals()
        #expect(signals.custom.isEmpty)
    }

    @Test func customSignalsAreKeptAcrossLaunches() async throws {
        let folder = TemporaryFolder()
        let store = { FileDefaultsStore(directory: folder.url) }
        try await Self.make(store()).setCustomSignals(["plan": "pro"])
        #expect(Self.make(store()).custom == ["plan": "pro"])
        await Self.make(store()).removeAllCustomSignals()
        #expect(Self.make(store()).custom.isEmpty)
    }

    /// The server counts Unicode scalars: "e" with a combining accent is two of them.
    @Test(
        arguments: [
            (["": 1], .noName, ""),
            ([String(repeating: "e\u{301}", count: 125): 1], nil, ""),
            (
                [String(repeating: "e\u{301}", count: 125) + "x": 1], .nameTooLong,
                String(repeating: "e\u{301}", count: 125) + "x"
            ),
            (["v": .string(String(repeating: "🦊", count: 500))], nil, ""),
            (["v": .string(String(repeating: "🦊", count: 501))], .valueTooLong, "v"),
            (["v": .double(.infinity)], .notFinite, "v"),
            (["b": .double(.nan), "a": .double(.nan), "c": 1], .notFinite, "a"),
        ] as [([String: CustomSignalValue?], CustomSignalError.Code?, String)])
    func aSignalOverALimitIsNamedAndNothingIsSet(
        values: [String: CustomSignalValue?], code: CustomSignalError.Code?, name: String
    ) async throws {
        let signals = Self.make()
        try await signals.setCustomSignals(["kept": 1])
        let error = await Self.error(setting: values, in: signals)
        #expect(error == code.map { CustomSignalError($0, name: name) })
        #expect(signals.custom.count == (code == nil ? 2 : 1))
    }

    @Test func thereAreAtMost100SignalsAfterTheMerge() async throws {
        let signals = Self.make()
        let first = (0..<99).map { ("s\($0)", CustomSignalValue?.some(1)) }
        try await signals.setCustomSignals(Dictionary(uniqueKeysWithValues: first))
        let error = await Self.error(setting: ["x1": 1, "x2": 1], in: signals)
        #expect(error == CustomSignalError(.tooMany, name: "x2"))
        #expect(error?.description.contains("\"x2\"") == true)
        #expect(signals.custom.count == 99)
        try await signals.setCustomSignals(["x1": 1, "x2": 1, "s0": nil])
        #expect(signals.custom.count == 100)
    }

    @Test func aChangeIsAnnouncedOnceAndEqualSignalsAreNone() async throws {
        let signals = Self.make()
        var changes = signals.updates.makeAsyncIterator()
        let digest = signals.digest
        try await signals.setCustomSignals(["plan": "pro"])
        try await signals.setCustomSignals(["plan": "pro"])
        try #require(await changes.next() != nil)
        #expect(signals.digest != digest)
        let task = Task { [changes] in
            var changes = changes
            return await changes.next() != nil
        }
        try await signals.setCustomSignals(["plan": "pro", "other": nil])
        task.cancel()
        #expect(await !task.value)
    }

    @Test func theDigestIsThatOfTheValues() async throws {
        let (left, right) = (Self.make(), Self.make())
        try await left.setCustomSignals(["a": "1&b=2"])
        try await right.setCustomSignals(["a": "1", "b": "2"])
        #expect(left.digest != right.digest)
        try await left.setCustomSignals(["a": 1, "b": 2])
        #expect(left.digest == right.digest)
    }

    @Test func thePlatformIsReadAndCanBeOverridden() {
        let current = PlatformSignals.current
        #if os(Linux)
            #expect(current.deviceOS == "linux")
        #endif
        let signals = ClientSignals(platform: {
            var platform = current
            platform.appVersion = "2.4.0"
            platform.deviceCountry = "JP"
            platform.deviceLanguage = String(repeating: "x", count: 501)
            return platform
        })
        #expect(signals.values["app.version"] == "2.4.0")
        #expect(signals.values["device.country"] == "JP")
        // The server would reject the request.
        #expect(signals.values["device.language"] == nil)
    }

    @Test func signalsAreSentInTheQuery() async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(404) }
        defer { server.stop() }
        let signals = ClientSignals(platform: {
            var platform = PlatformSignals()
            platform.appVersion = "2.4.0"
            return platform
        })
        try await signals.setCustomSignals(["a&b": "1 + 1"])
        let downloader = JSONURLDownloader(
            backend: ActiveConfigBackend(url: try server.url("/"), signals: signals))
        _ = try? await downloader.requestActiveConfig(forUserID: "u", lastKnown: nil)
        #expect(
            server.requests.map(\.target) == [
                "/activeconfig/user/u?app.version=2.4.0&signal.a%26b=1%20%2B%201"
            ])
        #expect(downloader.requestDigest == signals.digest)
    }
}
