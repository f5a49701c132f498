import ActiveConfig
import ActiveConfigTesting
import Configuration
import ConfigurationActiveConfig
import ConfigurationTesting
import Foundation
import Synchronization
import Testing

struct ActiveConfigProviderTests {
    /// A configuration, whose downloads bring one document after the other.
    private static func make(
        _ documents: [String: ActiveConfigSection]..., options: ActiveConfigOptions = .init()
    ) -> ActiveConfig {
        .make(
            downloader: ScriptedDownloader { request in
                request.number < documents.count
                    ? .configuration(.make(sections: documents[request.number])) : .unchanged
            },
            store: InMemoryStore(bootstrap: .state(.make(sections: documents[0]))),
            options: options)
    }

    private static func provider(of settings: ActiveConfigSection) -> ActiveConfigProvider {
        ActiveConfigProvider(make(["Shop": settings]))
    }

    private func int(_ result: Result<LookupResult, any Error>?) throws -> Int? {
        guard case .int(let value) = try #require(result).get().value?.content else { return nil }
        return value
    }

    private func int(_ snapshot: (any ConfigSnapshot)?, _ key: AbsoluteConfigKey) throws -> Int? {
        try int(Result { try #require(snapshot).value(forKey: key, type: .int) })
    }

    // MARK: Conformance

    @Test(.timeLimit(.minutes(2)))
    func theProviderPassesTheLibrarysConformanceTest() async throws {
        let document: [String: ActiveConfigSection] = [
            "App": [
                "string": "Hello", "int": 42, "double": 3.14, "bool": true, "bytes": "bWFnaWM=",
                "stringy": ["array": ["Hello", "World"]], "inty": ["array": [42, 24]],
                "doubly": ["array": [3.14, 2.72]], "booly": ["array": [true, false]],
                "byteChunky": ["array": ["bWFnaWM=", "bWFnaWMy"]],
                // Some by names with dots, some by nested objects.
                "other.string": "Other Hello", "other.int": 24, "other.double": 2.72,
                "other.bool": false, "other.bytes": "bWFnaWMy",
                "other": [
                    "stringy": ["array": ["Hello", "Swift"]], "inty": ["array": [16, 32]],
                    "doubly": ["array": [0.9, 1.8]], "booly": ["array": [false, true, true]],
                    "byteChunky": ["array": ["bWFnaWM=", "bWFnaWMy", "bWFnaWM="]],
                ],
            ]
        ]
        let config = Self.make(document, document)
        // Its keys of one component are settings of the section.
        for provider in [
            ActiveConfigProvider(config),
            ActiveConfigProvider(config.configuration(forUserID: "1")),
        ] {
            try await ProviderCompatTest(provider: provider.prefixKeys(with: "App")).runTest()
        }
    }

    // MARK: Keys and types

    @Test func theComponentsOfAKeyAreSectionAndSetting() throws {
        let config = Self.make([
            "Shop": [
                "limit": 1, "retry.count": 2,
                "retry": ["count": 3, "delay": ["maximum": 4]], "a": ["b.c": 5], "list": [6],
            ],
            "a.b": ["c": 7], "Empty": [:],
        ])
        func value(_ components: String...) throws -> LookupResult {
            try ActiveConfigProvider(config)
                .value(forKey: AbsoluteConfigKey(components), type: .int)
        }
        #expect(try value("Shop", "limit").value == 1)
        #expect(try value("Shop", "limit").encodedKey == "Shop.limit")
        #expect(try value("Shop", "retry", "count").value == 2)
        #expect(try value("Shop", "retry.count").value == 2)
        #expect(try value("Shop", "retry", "delay", "maximum").value == 4)
        #expect(try value("a.b", "c").value == 7)
        for absent in [
            [], [""], ["Shop"], ["limit"], ["Shop", ""], ["Shop", "other"], ["shop", "limit"],
            ["Shop", "limit", "more"], ["Shop", "retry", "other"], ["Shop", "a", "b", "c"],
            ["Shop", "list", "0"], ["a", "b", "c"], ["Empty", "limit"], ["Other", "limit"],
        ] {
            let result = try ActiveConfigProvider(config).value(
                forKey: AbsoluteConfigKey(absent), type: .int)
            let expected = LookupResult(encodedKey: absent.joined(separator: "."), value: nil)
            #expect(result == expected)
        }
    }

    @Test func aValueIsTheOneThatASettingKeyReads() throws {
        let values: [SettingValue] = [
            "text", "yes", " 12 ", "1e2", "bWFnaWM=", "", 0, 1, -3, 10.3, 1e300, true, false, [],
            ["a", "b"], [1, 2.5], [1, "2", true], ["x", 1], [[1]], ["member": 1],
            .integer(.max), .double(-0x1p63),
        ]
        for value in values {
            let config = Self.make(["Shop": ["setting": value]])
            let provider = ActiveConfigProvider(config)
            func content(_ type: ConfigType) -> ConfigContent? {
                try? provider.value(forKey: "Shop.setting", type: type).value?.content
            }
            func read<Value: SettingConvertible>(_ type: Value.Type) -> Value? {
                config[SettingKey("Shop", "setting", default: Value?.none)]
            }
            #expect(content(.string) == read(String.self).map { .string($0) }, "\(value)")
            #expect(content(.int) == read(Int.self).map { .int($0) }, "\(value)")
            #expect(content(.double) == read(Double.self).map { .double($0) }, "\(value)")
            #expect(content(.bool) == read(Bool.self).map { .bool($0) }, "\(value)")
            #expect(content(.stringArray) == read([String].self).map { .stringArray($0) })
            #expect(content(.intArray) == read([Int].self).map { .intArray($0) })
            #expect(content(.doubleArray) == read([Double].self).map { .doubleArray($0) })
            #expect(content(.boolArray) == read([Bool].self).map { .boolArray($0) })
        }
    }

    @Test func bytesAreReadByTheDecoder() throws {
        let config = Self.make([
            "Shop": ["base64": "aGk=", "hex": "6869", "mixed": ["aGk=", "?"], "chunks": ["6869"]]
        ])
        let (base64, hex) = (
            ActiveConfigProvider(config), ActiveConfigProvider(config, bytesDecoder: .hex)
        )
        let hello = ConfigContent.bytes([0x68, 0x69])
        #expect(try base64.value(forKey: "Shop.base64", type: .bytes).value?.content == hello)
        #expect(try hex.value(forKey: "Shop.hex", type: .bytes).value?.content == hello)
        let chunks = try hex.value(forKey: "Shop.chunks", type: .byteChunkArray).value?.content
        #expect(chunks == .byteChunkArray([[0x68, 0x69]]))
        #expect(throws: ActiveConfigProvider.TypeMismatch(key: "Shop.base64", type: .bytes)) {
            try hex.value(forKey: "Shop.base64", type: .bytes)
        }
        #expect(
            throws: ActiveConfigProvider.TypeMismatch(key: "Shop.mixed", type: .byteChunkArray)
        ) {
            try base64.value(forKey: "Shop.mixed", type: .byteChunkArray)
        }
    }

    @Test func aValueOfAnotherTypeIsAnErrorWithoutTheValue() throws {
        let provider = Self.provider(of: ["limit": "hunter2", "retry": ["count": 1], "none": nil])
        let reader = ConfigReader(provider: provider)
        let error = ActiveConfigProvider.TypeMismatch(key: "Shop.limit", type: .int)
        #expect(throws: error) { try provider.value(forKey: "Shop.limit", type: .int) }
        #expect(throws: error) { try provider.snapshot().value(forKey: "Shop.limit", type: .int) }
        #expect(throws: error) { try reader.requiredInt(forKey: "Shop.limit") }
        #expect(reader.int(forKey: "Shop.limit", default: 7) == 7)
        #expect(error.description == "The setting 'Shop.limit' cannot be read as 'int'.")
        #expect(throws: ActiveConfigProvider.TypeMismatch.self) {
            try provider.value(forKey: "Shop.retry", type: .string)
        }
        #expect(try provider.value(forKey: "Shop.none", type: .string).value == nil)
    }

    // MARK: A hierarchy of providers

    @Test func theFirstProviderWithAValueCounts() async throws {
        let config = Self.make(
            ["Shop": ["title": "from ActiveConfig", "limit": 1, "none": nil, "wrong": "text"]])
        let reader = ConfigReader(providers: [
            EnvironmentVariablesProvider(environmentVariables: ["SHOP_LIMIT": "2"]),
            ActiveConfigProvider(config),
            InMemoryProvider(values: [
                "Shop.title": "from below", "Shop.timeout": 3, "Shop.none": 4, "Shop.wrong": 5,
            ]),
        ])
        let shop = reader.scoped(to: "Shop")
        #expect(shop.string(forKey: "title") == "from ActiveConfig")
        #expect(shop.int(forKey: "limit") == 2)
        #expect(shop.int(forKey: "timeout") == 3)
        #expect(shop.int(forKey: "none") == 4)
        // As with the library's providers, an error ends the look-up.
        #expect(shop.int(forKey: "wrong") == nil)
        #expect(reader.snapshot().string(forKey: "Shop.title") == "from ActiveConfig")

        // Layers of ActiveConfig are below what is above the provider.
        config.overrides.set(9, for: SettingPath("Shop", "limit"))
        config.overrides.set("overridden", for: SettingPath("Shop", "title"))
        config.setDefaults(["Shop": ["timeout": 8]])
        #expect(shop.string(forKey: "title") == "overridden")
        #expect(shop.int(forKey: "limit") == 2)
        #expect(shop.int(forKey: "timeout") == 8)
    }

    @Test(.timeLimit(.minutes(2)))
    func aWatchOfAHierarchyFollowsTheProvider() async throws {
        let config = Self.make(["Shop": ["limit": 1]], ["Shop": ["limit": 2]], ["Shop": [:]])
        let reader = ConfigReader(providers: [
            InMemoryProvider(values: [:]), ActiveConfigProvider(config),
            InMemoryProvider(values: ["Shop.limit": 3]),
        ])
        try await reader.watchInt(forKey: "Shop.limit", default: 0) { updates in
            var iterator = updates.makeAsyncIterator()
            #expect(try await iterator.next() == 1)
            try await config.downloadNewConfig()
            #expect(try await iterator.next() == 2)
            try await config.downloadNewConfig()
            #expect(try await iterator.next() == 3)
        }
    }

    // MARK: Secrets and names

    /// Keeps what a reader reports.
    private final class Recorder: AccessReporter {
        private let recorded = Mutex<[AccessEvent]>([])

        func report(_ event: AccessEvent) { recorded.withLock { $0.append(event) } }

        var events: [AccessEvent] { recorded.withLock { $0 } }
    }

    @Test func whatActiveConfigMarksAsSecretIsSecret() throws {
        let config = Self.make([
            "Vault": [
                "token": "hunter2", "keys": ["first": "hunter2"], "dotted": ["name": "hunter2"],
                "list": ["hunter2"], "shown": "shown",
            ]
        ])
        _ = SettingKey("Vault", "token", default: "", isSecret: true)
        for name in ["keys", "dotted.name", "list"] {
            config.diagnostics.markSecret(SettingPath("Vault", name))
        }
        let recorder = Recorder()
        let user = ActiveConfigProvider(config.configuration(forUserID: "1"))
        let reader = ConfigReader(provider: user, accessReporter: recorder)
        #expect(reader.string(forKey: "Vault.token") == "hunter2")
        #expect(reader.string(forKey: "Vault.keys.first") == "hunter2")
        #expect(reader.string(forKey: "Vault.dotted.name") == "hunter2")
        #expect(reader.stringArray(forKey: "Vault.list") == ["hunter2"])
        #expect(reader.snapshot().string(forKey: "Vault.token") == "hunter2")
        #expect(reader.int(forKey: "Vault.token") == nil)
        #expect(recorder.events.count == 6)
        #expect(!recorder.events.map(\.description).joined().contains("hunter2"))
        #expect(try !#require(user.value(forKey: "Vault.shown", type: .string).value).isSecret)
        // Also what is marked after the snapshot was taken.
        let snapshot = user.snapshot()
        config.diagnostics.markSecret(SettingPath("Vault", "shown"))
        #expect(try #require(snapshot.value(forKey: "Vault.shown", type: .string).value).isSecret)
    }

    @Test(arguments: [
        ("vault", true), ("vault.inner", true), ("vault.inner.key", true), ("vault.other", false),
        ("vault.inn", false),
    ])
    func aMarkAppliesToAllLevelsBelow(_ marked: String, isSecret: Bool) throws {
        let nested: SettingValue = ["inner": ["key": "hunter2"]]
        let config = Self.make([
            "Nested": ["vault": nested], "Dotted": ["vault.inner.key": "hunter2"],
        ])
        let provider = ActiveConfigProvider(config)
        for section in ["Nested", "Dotted"] {
            config.diagnostics.markSecret(SettingPath(section, marked))
            let key = AbsoluteConfigKey([section, "vault", "inner", "key"])
            let value = try provider.value(forKey: key, type: .string).value
            #expect(try #require(value).isSecret == isSecret, "\(section)")
        }
        // The same setting by a component with dots.
        let key = AbsoluteConfigKey(["Dotted", "vault.inner.key"])
        let value = try provider.value(forKey: key, type: .string).value
        #expect(try #require(value).isSecret == isSecret)
    }

    @Test func descriptionsHaveNoValueAndNoUserID() {
        let config = Self.make(["Shop": ["token": "hunter2"]])
        let user = config.configuration(forUserID: "user 12")
        let provider = ActiveConfigProvider(user, name: "buyer")
        let snapshot = provider.snapshot()
        #expect(ActiveConfigProvider(config).providerName == "ActiveConfigProvider")
        for text in [
            provider.providerName, snapshot.providerName, "\(provider)", "\(snapshot)",
            String(reflecting: provider), String(reflecting: snapshot),
        ] {
            #expect(text == "ActiveConfigProvider[buyer]")
        }
    }

    // MARK: Fetching

    @Test func aFetchDownloads() async throws {
        let config = Self.make(["Shop": ["limit": 1]], ["Shop": ["limit": 2]])
        let provider = ActiveConfigProvider(config)
        #expect(try provider.value(forKey: "Shop.limit", type: .int).value == 1)
        #expect(try await provider.fetchValue(forKey: "Shop.limit", type: .int).value == 2)
        #expect(try provider.value(forKey: "Shop.limit", type: .int).value == 2)
    }

    @Test func aFailedFetchThrowsAndKeepsTheValue() async throws {
        let error = DownloadError(.httpStatus, status: 404)
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.failure(error)),
            store: InMemoryStore(bootstrap: .state(.make(sections: ["Shop": ["limit": 1]]))))
        let provider = ActiveConfigProvider(config.configuration(forUserID: "1"))
        let thrown = await #expect(throws: ActiveConfigProvider.FetchError.self) {
            try await provider.fetchValue(forKey: "Shop.limit", type: .int)
        }
        #expect(thrown?.underlyingError as? DownloadError == error)
        #expect(try provider.value(forKey: "Shop.limit", type: .int).value == 1)
    }

    @Test func aFetchOfAKeyWithoutSettingMakesNoRequest() async throws {
        let downloader = ScriptedDownloader(.failure(DownloadError(.httpStatus, status: 404)))
        let provider = ActiveConfigProvider(.make(downloader: downloader))
        for components in [[], ["limit"]] {
            let key = AbsoluteConfigKey(components)
            let result = try await provider.fetchValue(forKey: key, type: .int)
            let encodedKey = components.joined(separator: ".")
            #expect(result == LookupResult(encodedKey: encodedKey, value: nil))
        }
        #expect(downloader.requests.isEmpty)
        await #expect(throws: (any Error).self) {
            try await provider.fetchValue(forKey: "Shop.limit", type: .int)
        }
    }

    @Test(arguments: [
        (
            DownloadError(
                .httpStatus, status: 404, url: URL(string: "https://example.com/users/hunter2"),
                serverMessage: "There is no hunter2.") as any Error,
            "The download failed: httpStatus, status 404."
        ),
        (DownloadError(.timedOut), "The download failed: timedOut."),
        (
            ConfigurationRefusal("It is not for hunter2."),
            "The download failed: ConfigurationRefusal."
        ),
    ])
    func theErrorOfAFetchHasNoUserID(_ error: any Error, text: String) async throws {
        let recorder = Recorder()
        let config = ActiveConfig.make(downloader: ScriptedDownloader(.failure(error)))
        let provider = ActiveConfigProvider(config.configuration(forUserID: "hunter2"))
        let reader = ConfigReader(provider: provider, accessReporter: recorder)
        let thrown = await #expect(throws: (any Error).self) {
            try await reader.fetchRequiredInt(forKey: "Shop.limit")
        }
        #expect("\(try #require(thrown))" == text)
        #expect(String(reflecting: try #require(thrown)) == text)
        let fetchError = try #require(thrown as? ActiveConfigProvider.FetchError)
        #expect("\(fetchError.underlyingError)" == "\(error)")
        #expect(recorder.events.count == 1)
        #expect(!recorder.events.map(\.description).joined().contains("hunter2"))
    }

    @Test func aFetchOfAHeldDocumentReturnsTheActiveValue() async throws {
        let config = Self.make(
            ["Shop": ["limit": 1]], ["Shop": ["limit": 2]],
            options: ActiveConfigOptions(activationPolicy: .manual))
        let provider = ActiveConfigProvider(config)
        #expect(try await provider.fetchValue(forKey: "Shop.limit", type: .int).value == 1)
        await config.activate()
        #expect(try provider.value(forKey: "Shop.limit", type: .int).value == 2)
    }

    @Test func eachUserHasAProvider() async throws {
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader { request in
                let name = SettingValue.string(request.userID ?? "generic")
                return .configuration(.make(sections: ["Shop": ["name": name]]))
            })
        let current = ActiveConfigProvider(config)
        let first = ActiveConfigProvider(config.configuration(forUserID: "1"))
        #expect(try await first.fetchValue(forKey: "Shop.name", type: .string).value == "1")
        #expect(try current.value(forKey: "Shop.name", type: .string).value == nil)
        await config.setCurrentUser("2")
        #expect(try await current.fetchValue(forKey: "Shop.name", type: .string).value == "2")
        #expect(try first.value(forKey: "Shop.name", type: .string).value == "1")
    }

    // MARK: Watching

    @Test(.timeLimit(.minutes(2)))
    func aWatchOfAValueReceivesItsChangesOnly() async throws {
        let config = Self.make(
            ["Shop": ["limit": 1, "other": 1]],
            // Another section, then another setting of the section.
            ["Shop": ["limit": 1, "other": 1], "Home": ["limit": 9]],
            ["Shop": ["limit": 1, "other": 2], "Home": ["limit": 9]],
            ["Shop": ["limit": 2, "other": 2]], ["Shop": ["limit": "text"]],
            ["Shop": ["limit": "other text"]], ["Home": ["limit": 9]], ["Shop": ["limit": 3]])
        func download(_ count: Int) async throws {
            for _ in 0..<count { try await config.downloadNewConfig() }
        }
        let provider = ActiveConfigProvider(config)
        let received = try await provider.watchValue(forKey: "Shop.limit", type: .int) { updates in
            var iterator = updates.makeAsyncIterator()
            #expect(try await int(iterator.next()) == 1)
            // One after the other: the consumer is awaiting while the first two arrive.
            async let downloads: Void = download(3)
            #expect(try await int(iterator.next()) == 2)
            try await downloads
            try await download(1)
            let mismatch = try await #require(iterator.next())
            #expect(throws: ActiveConfigProvider.TypeMismatch.self) { try mismatch.get() }
            try await download(2)
            let absent = try await #require(iterator.next()).get()
            #expect(absent == LookupResult(encodedKey: "Shop.limit", value: nil))
            try await download(1)
            return try await int(iterator.next())
        }
        #expect(received == 3)
    }

    @Test(.timeLimit(.minutes(2)))
    func aSlowConsumerReceivesTheNewestValue() async throws {
        let config = Self.make(
            ["Shop": ["limit": 1]], ["Shop": ["limit": 2]], ["Shop": ["limit": 3]],
            ["Shop": ["limit": 4]], ["Shop": ["limit": 3]], ["Shop": ["limit": 5]])
        let provider = ActiveConfigProvider(config)
        try await provider.watchValue(forKey: "Shop.limit", type: .int) { updates in
            var iterator = updates.makeAsyncIterator()
            #expect(try await int(iterator.next()) == 1)
            for _ in 0..<2 { try await config.downloadNewConfig() }
            #expect(try await int(iterator.next()) == 3)
            // There and back is no change.
            for _ in 0..<2 { try await config.downloadNewConfig() }
            async let next = iterator.next()
            try await config.downloadNewConfig()
            #expect(try await int(next) == 5)
        }
        try await provider.watchSnapshot { updates async throws in
            var iterator = updates.makeAsyncIterator()
            #expect(try await int(iterator.next(), "Shop.limit") == 5)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aWatchOfSnapshotsReceivesOneForEachDocument() async throws {
        let config = Self.make(
            [:], ["Shop": ["limit": 1], "Home": ["limit": 1]],
            ["Shop": ["limit": 2], "Home": ["limit": 2], "New": ["limit": 2]], ["Home": [:]])
        let provider = ActiveConfigProvider(config.configuration(forUserID: "1"))
        let kept = provider.snapshot()
        try await provider.watchSnapshot { updates async throws in
            var iterator = updates.makeAsyncIterator()
            #expect(try await int(iterator.next(), "Shop.limit") == nil)
            for number in 1...2 {
                try await config.configuration(forUserID: "1").download()
                let snapshot = try await iterator.next()
                #expect(try int(snapshot, "Shop.limit") == number)
                #expect(try int(snapshot, "Home.limit") == number)
            }
            try await config.configuration(forUserID: "1").download()
            #expect(try await int(iterator.next(), "Home.limit") == nil)
        }
        #expect(try int(kept, "Shop.limit") == nil)
    }

    @Test(.timeLimit(.minutes(2)))
    func aWatchOfSnapshotsReceivesADocumentThatReturns() async throws {
        let documents = [0, 1, 2, 1].map { number -> [String: ActiveConfigSection] in
            ["Home": ["limit": .integer(number)], "Shop": ["limit": .integer(number)]]
        }
        let config = Self.make(documents[0], documents[1], documents[2], documents[3])
        try await ActiveConfigProvider(config).watchSnapshot { updates async throws in
            var iterator = updates.makeAsyncIterator()
            #expect(try await int(iterator.next(), "Shop.limit") == 0)
            for number in [1, 2, 1] {
                try await config.downloadNewConfig()
                let snapshot = try await iterator.next()
                #expect(try int(snapshot, "Shop.limit") == number)
                #expect(try int(snapshot, "Home.limit") == number)
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aWatchFollowsTheCurrentUser() async throws {
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader { request in
                let limit = SettingValue.integer(request.userID.flatMap { Int($0) } ?? 0)
                return .configuration(.make(sections: ["Shop": ["limit": limit]]))
            })
        try await config.configuration(forUserID: "1").download()
        try await config.configuration(forUserID: "2").download()
        await config.setCurrentUser("1")
        let second = ActiveConfigProvider(config.configuration(forUserID: "2"))
        try await ActiveConfigProvider(config).watchValue(forKey: "Shop.limit", type: .int) {
            updates async throws in
            var iterator = updates.makeAsyncIterator()
            #expect(try await int(iterator.next()) == 1)
            await config.setCurrentUser("2")
            #expect(try await int(iterator.next()) == 2)
        }
        #expect(try second.value(forKey: "Shop.limit", type: .int).value == 2)
    }

    @Test(
        .timeLimit(.minutes(2)),
        arguments: ["Shop.limit", "Absent.limit", "limit"] as [AbsoluteConfigKey])
    func aCancelledWatchEnds(of key: AbsoluteConfigKey) async throws {
        let provider = Self.provider(of: ["limit": 1])
        let (started, continuation) = AsyncStream<Void>.makeStream()
        let values = Task {
            try await provider.watchValue(forKey: key, type: .int) { updates in
                var count = 0
                for await _ in updates {
                    count += 1
                    continuation.yield()
                }
                return count
            }
        }
        let snapshots = Task {
            try await provider.watchSnapshot { updates in
                var count = 0
                for await _ in updates {
                    count += 1
                    continuation.yield()
                }
                return count
            }
        }
        var iterator = started.makeAsyncIterator()
        for _ in 0..<2 { await iterator.next() }
        values.cancel()
        snapshots.cancel()
        #expect(try await values.value == 1)
        #expect(try await snapshots.value == 1)
    }

    // MARK: Many threads

    @Test(.timeLimit(.minutes(2)))
    func readersOfManyThreadsSeeWholeDocuments() async throws {
        let last = 300
        let config = Self.make(["Shop": ["limit": 0], "Home": ["limit": 0]])
        let user = config.configuration(forUserID: "1")
        let provider = ActiveConfigProvider(user)
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    var newest = 0
                    for _ in 0..<5_000 {
                        let snapshot = provider.snapshot()
                        let (first, second) = (
                            try self.int(snapshot, "Shop.limit"),
                            try self.int(snapshot, "Home.limit")
                        )
                        #expect(first == second)
                        #expect(try #require(first) >= newest)
                        newest = first ?? newest
                    }
                }
                group.addTask {
                    try await provider.watchValue(forKey: "Shop.limit", type: .int) { updates in
                        var newest = -1
                        for await update in updates {
                            let value = try #require(try self.int(update))
                            #expect(value > newest)
                            newest = value
                            if value == last { break }
                        }
                        #expect(newest == last)
                    }
                }
            }
            group.addTask {
                for number in 1...last {
                    let section: ActiveConfigSection = ["limit": .integer(number)]
                    try await user.receive(.make(sections: ["Shop": section, "Home": section]))
                }
            }
            try await group.waitForAll()
        }
    }
}
