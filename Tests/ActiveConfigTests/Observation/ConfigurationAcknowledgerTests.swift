import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime
@testable import ActiveConfigReporting

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ConfigurationAcknowledgerTests {
    private let clock = ManualClock()
    private let sent = Locked<[URLRequest]>([])

    private static func document(_ version: Int, share: Double? = 1) -> ConfigurationState {
        ConfigurationState.make(
            meta: ["template_version": .integer(version)],
            sections: ["Home": ["columns": "many", "token": "abc"]], entityTag: "\"\(version)\""
        ).asking(share: share)
    }

    private func acknowledger(
        _ config: ActiveConfig, random: Double = 0.5, status: Int = 204
    ) throws -> ConfigurationAcknowledger {
        let url = try #require(URL(string: "http://server/base"))
        return ConfigurationAcknowledger(
            config, backend: ActiveConfigBackend(url: url), maximumDelay: .seconds(30),
            clock: clock, random: { random },
            prepare: { $0.setValue("key", forHTTPHeaderField: "X-API-Key") },
            send: { request in
                sent.withLock { $0.append(request) }
                return try Self.answer(status)
            })
    }

    private static func answer(
        _ status: Int, _ body: String = ""
    ) throws -> (Data, HTTPURLResponse) {
        let url = try #require(URL(string: "http://server/base"))
        let head = HTTPURLResponse(
            url: url, statusCode: status, httpVersion: nil, headerFields: nil)
        return (Data(body.utf8), try #require(head))
    }

    /// Moves the clock until all acknowledgements that wait for the delay have been sent.
    private func settle(_ acknowledger: ConfigurationAcknowledger) async {
        await acknowledger.drain()
        let time = Task {
            while true {
                try await clock.waitForSleepers()
                clock.advance(by: .seconds(30))
            }
        }
        await acknowledger.waitForAnswers()
        time.cancel()
    }

    private func body(_ request: URLRequest) throws -> SettingValue {
        try SettingValue(jsonData: #require(request.httpBody))
    }

    @Test(arguments: ["", ".", ".."])
    func aUserIDThatAPathCannotCarryIsInTheQuery(userID: String) async throws {
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(Self.document(12))))
        config.currentUserID = userID
        let acknowledger = try acknowledger(config)
        try await config.downloadNewConfig()
        await settle(acknowledger)
        #expect(
            sent.withLock { $0.map(\.url?.absoluteString) }
                == ["http://server/base/active_config/acknowledgement?userID=\(userID)"])
    }

    @Test func anActiveVersionIsAcknowledgedOnceAfterADelay() async throws {
        let store = InMemoryStore()
        for launch in 0..<2 {
            let config = ActiveConfig.make(
                downloader: ScriptedDownloader { request in
                    request.number == 1 ? .configuration(Self.document(12)) : .unchanged
                }, store: store)
            config.currentUserID = "a/b"
            let acknowledger = try acknowledger(config)
            try await config.downloadNewConfig()
            await acknowledger.drain()
            if launch == 0 {
                try await clock.waitForSleepers()
                #expect(sent.withLock { $0.isEmpty }, "it waits half of 30 s")
                clock.advance(by: .seconds(14))
                #expect(sent.withLock { $0.isEmpty })
            }
            await settle(acknowledger)
            // A confirmation is not acknowledged again.
            try await config.downloadNewConfig()
            await settle(acknowledger)
            #expect(sent.withLock { $0.count } == 1)
        }
        let request = try #require(sent.withLock { $0.first })
        #expect(request.httpMethod == "POST")
        #expect(
            request.url?.absoluteString
                == "http://server/base/activeconfig/user/a%2Fb/acknowledgement")
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(request.value(forHTTPHeaderField: "X-API-Key") == "key")
        #expect(request.allHTTPHeaderFields?.count == 2)
        #expect(try body(request) == ["template_version": 12, "etag": "\"12\""])
    }

    @Test func settingsThatCouldNotBeReadAreNamedWithSecretsMasked() async throws {
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(Self.document(12))))
        let acknowledger = try acknowledger(config)
        config.diagnostics.markSecret(SettingPath("Home", "token"))
        try await config.downloadNewConfig()
        _ = config[SettingKey("Home", "columns", default: 1)]
        _ = config[SettingKey("Home", "token", default: 1)]
        await settle(acknowledger)
        let request = try #require(sent.withLock { $0.first })
        #expect(request.url?.path() == "/base/activeconfig/acknowledgement")
        let problems = try #require(try body(request)["problems"]?.arrayValue)
        #expect(problems.map { $0["section"] } == ["Home", "Home"])
        #expect(problems.map { $0["key"] } == ["columns", "token"])
        #expect(problems[0]["message"]?.stringValue?.contains("many") == true)
        #expect(problems[1]["message"]?.stringValue?.contains("abc") == false)
        #expect(problems.allSatisfy { $0.dictionaryValue?.count == 3 })
        #expect(try body(request)["in_force"] == true)
    }

    @Test(arguments: ["2", "-1", "nan", "half", "", nil])
    func aShareThatIsNoneIsNoWish(share: String?) throws {
        let event = ConfigurationEvent(
            .active, userID: nil, document: Self.document(12),
            headerFields: share.map { ["activeconfig-acknowledge": $0] } ?? [:], time: .now)
        let acknowledgement = try #require(Acknowledgement(event))
        #expect(acknowledgement.share == nil)
    }

    @Test func nothingIsSentUnlessTheServerAsks() async throws {
        for (share, random, count) in [
            (nil, 0, 0), (0, 0, 0), (0.5, 0.5, 0), (0.5, 0.49, 1),
        ] as [(Double?, Double, Int)] {
            sent.withLock { $0 = [] }
            let config = ActiveConfig.make(
                downloader: ScriptedDownloader(
                    .configuration(Self.document(12, share: share)), .unchanged))
            let acknowledger = try acknowledger(config, random: random)
            try await config.downloadNewConfig()
            await settle(acknowledger)
            try await config.downloadNewConfig()
            await settle(acknowledger)
            #expect(sent.withLock { $0.count } == count)
        }
    }

    @Test func aServerThatHasSwitchedItOffIsNotAskedAgain() async throws {
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(
                .configuration(Self.document(12)), .configuration(Self.document(13, share: nil))))
        let acknowledger = try acknowledger(config, status: 404)
        for _ in 0..<2 {
            try await config.downloadNewConfig()
            await settle(acknowledger)
        }
        #expect(sent.withLock { $0.count } == 1)
    }

    @Test func aConfirmationAsksForNothingThatTheServerHasSwitchedOff() async throws {
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(
                .configuration(Self.document(12)), .unchanged, .unchanged))
        let acknowledger = try acknowledger(config, status: 404)
        for _ in 0..<3 {
            try await config.downloadNewConfig()
            await settle(acknowledger)
        }
        #expect(sent.withLock { $0.count } == 1)
    }

    @Test func nothingIsAcknowledgedTwiceInALaunchOfAService() async throws {
        let config = ActiveConfig.make(store: nil)
        let acknowledger = try acknowledger(config)
        func tell(_ user: Int) {
            config.observers.tell(
                ConfigurationEvent(
                    .refused(ConfigurationRefusal("It cannot be used."), keptTemplateVersion: nil),
                    userID: "\(user)", document: Self.document(2),
                    headerFields: ["activeconfig-acknowledge": "1"], time: .now))
        }
        // More users than the record keeps.
        for user in 0..<1_100 { tell(user) }
        await settle(acknowledger)
        #expect(sent.withLock { $0.count } == 1_100)
        tell(0)
        await settle(acknowledger)
        #expect(sent.withLock { $0.count } == 1_100)
    }

    @Test func fewAreSentAtOnce() async throws {
        let config = ActiveConfig.make(store: nil)
        let running = Locked((now: 0, most: 0))
        let url = try #require(URL(string: "http://server/base"))
        let acknowledger = ConfigurationAcknowledger(
            config, backend: ActiveConfigBackend(url: url), maximumDelay: .seconds(30),
            clock: clock, random: { 0.5 },
            send: { request in
                running.withLock {
                    $0.now += 1
                    $0.most = max($0.most, $0.now)
                }
                await Task.yield()
                running.withLock { $0.now -= 1 }
                sent.withLock { $0.append(request) }
                return try Self.answer(204)
            })
        for user in 0..<100 {
            config.observers.tell(
                ConfigurationEvent(
                    .refused(ConfigurationRefusal("It cannot be used."), keptTemplateVersion: nil),
                    userID: "\(user)", document: Self.document(2),
                    headerFields: ["activeconfig-acknowledge": "1"], time: .now))
        }
        await settle(acknowledger)
        #expect(sent.withLock { $0.count } == 100)
        #expect(running.withLock { $0.most } <= 16)
    }

    /// As at the launch after a crash: the refusal must reach the server, whatever is active
    /// instead.
    @Test func aRefusalIsSentThoughTheKeptVersionIsConfirmed() async throws {
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(Self.document(7)), .unchanged))
        let acknowledger = try acknowledger(config)
        config.observers.tell(
            ConfigurationEvent(
                .refused(ConfigurationRefusal("The app died 3 times."), keptTemplateVersion: 7),
                userID: nil, document: Self.document(8),
                headerFields: ["activeconfig-acknowledge": "1"], time: .now))
        for _ in 1...2 {
            try await config.downloadNewConfig()
            await settle(acknowledger)
        }
        let versions = try sent.withLock { $0 }.map {
            try body($0).dictionaryValue?["template_version"]
        }
        #expect(versions == [8, 7])
    }

    /// However the document arrived; the version that stays active is acknowledged as well.
    @Test(arguments: [true, false], [true, false])
    func aDocumentThatAVettingDoesNotAcceptIsAcknowledgedOnce(
        isIgnored: Bool, isStored: Bool
    ) async throws {
        var options = ActiveConfigOptions()
        options.vetting = [
            VettingRule { candidate in
                guard candidate.document.templateVersion == 13 else { return .accept }
                let refusal = ConfigurationRefusal("It is too large.")
                return isIgnored
                    ? .ignore(refusal, using: isStored ? Self.document(12) : nil) : .refuse(refusal)
            }
        ]
        let store = InMemoryStore()
        // The server asked for acknowledgements in an earlier launch.
        let first = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(Self.document(12))), store: store)
        let earlier = try acknowledger(first)
        try await first.downloadNewConfig()
        await settle(earlier)
        earlier.stop()
        if isStored { store.persistConfiguration(Self.document(13), forUserID: nil) }
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader { _ in
                isStored ? .unchanged : .configuration(Self.document(13))
            }, store: store, options: options)
        let acknowledger = try acknowledger(config)
        for _ in 1...3 {
            _ = try? await config.downloadNewConfig()
            await settle(acknowledger)
        }
        let bodies = try sent.withLock { $0 }.map(body)
        let refused = bodies.filter { $0["template_version"] == 13 }
        #expect(refused.count == 1)
        #expect(refused.first?["in_force"] == false)
        let message = refused.first?["problems"]?[0]?["message"]?.stringValue ?? ""
        let kept = isStored && !isIgnored ? "no version is active" : "version 12 stays active"
        #expect(message == "It is too large.; \(kept).")
        #expect(bodies.count { $0["template_version"] == 12 } == 1)
    }

    @Test func theFirstEventOfAStreamMayAsk() async throws {
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(Self.document(12, share: nil))))
        let acknowledger = try acknowledger(config)
        try await config.downloadNewConfig()
        let source = PreparedSource { userID in
            let connection = PreparedConnection(userID)
            connection.send(
                "event: hello\nid: 12\ndata: {\"template_version\":12,\"acknowledge\":1}\n\n")
            return connection
        }
        let updater = ActiveConfigUpdater.make(config, source: source, clock: ManualClock())
        let run = Task { await updater.run() }
        for await update in updater.updates {
            if case .state(.live, _) = update { break }
        }
        // The updater goes on with the event after it has shown the state.
        // deadline: each round lets it send what has become pending
        while sent.withLock({ $0.isEmpty }) {
            try Task.checkCancellation()
            await settle(acknowledger)
            await Task.yield()
        }
        run.cancel()
        await run.value
    }

    @Test(arguments: [408, 425, 429, 503])
    func aServerThatFailsIsAskedAtTheNextConfirmation(status: Int) async throws {
        let log = RecordingLog()
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(Self.document(12)), .unchanged),
            log: log.log)
        let acknowledger = try acknowledger(config, status: status)
        for _ in 0..<2 {
            try await config.downloadNewConfig()
            await settle(acknowledger)
        }
        #expect(sent.withLock { $0.count } == 2)
        let logged = log.messages.filter { $0.text.contains("answered with status \(status)") }
        #expect(logged.count == 2)
    }

    @Test func theLogSaysWhatTheServerSaysAboutARefusedAcknowledgement() async throws {
        let log = RecordingLog()
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(Self.document(12)), .unchanged),
            log: log.log)
        let url = try #require(URL(string: "http://server/base"))
        let acknowledger = ConfigurationAcknowledger(
            config, backend: ActiveConfigBackend(url: url), maximumDelay: .zero, clock: clock,
            random: { 0.5 },
            send: { request in
                sent.withLock { $0.append(request) }
                return try Self.answer(403, #"{"error":{"message":"Not yours."}}"#)
            })
        for _ in 0..<2 {
            try await config.downloadNewConfig()
            await settle(acknowledger)
        }
        // A 403 is final.
        #expect(sent.withLock { $0.count } == 1)
        let logged = log.messages.filter { $0.text.contains("status 403") }
        #expect(logged.map { $0.text.contains("The server says: Not yours.") } == [true])
    }

    @Test func theLogHasNoUserIDThatAServerRepeats() async throws {
        let log = RecordingLog()
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(Self.document(12))), log: log.log)
        config.currentUserID = "alice/77"
        let body = #"{"error":{"message":"No user alice/77 here, nor alice%2F77."}}"#
        let server = try LoopbackServer { _ in
            [.send("HTTP/1.1 403 S\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")]
        }
        defer { server.stop() }
        let acknowledger = ConfigurationAcknowledger(
            config, backend: ActiveConfigBackend(url: try server.url("/")), maximumDelay: .zero)
        try await config.downloadNewConfig()
        await acknowledger.drain()
        await acknowledger.waitForAnswers()
        let logged = log.messages.map(\.text).filter { $0.contains("status 403") }
        #expect(logged.count == 1)
        #expect(
            logged.first?.hasSuffix("The server says: No user … here, nor ….") == true, "\(logged)")
    }

    @Test func anAcknowledgementThatCannotBeSentIsLogged() async throws {
        let log = RecordingLog()
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(Self.document(12))), log: log.log)
        let url = try #require(URL(string: "http://server/base"))
        let acknowledger = ConfigurationAcknowledger(
            config,
            backend: ActiveConfigBackend(
                url: url, credentials: .userToken { _ in throw DownloadError(.noCredentials) }),
            maximumDelay: .zero, clock: clock, random: { 0.5 }, send: { _ in try Self.answer(204) })
        try await config.downloadNewConfig()
        await settle(acknowledger)
        #expect(
            log.messages.contains {
                $0.text.contains("Version 12") && $0.text.contains("not acknowledged")
            })
    }

    @Test(arguments: ["new", "wrong"])
    func a401IsAnsweredOnceByARefresh(token: String) async throws {
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(Self.document(12)), .unchanged))
        config.currentUserID = "1"
        let url = try #require(URL(string: "http://server/base"))
        let refreshes = Locked<[String?]>([])
        let acknowledger = ConfigurationAcknowledger(
            config,
            backend: ActiveConfigBackend(
                url: url,
                credentials: .userToken { request in
                    if request.reason == .refused {
                        refreshes.withLock { $0.append(request.userID) }
                    }
                    return request.reason == .refused ? token : "old"
                }), maximumDelay: .seconds(30), clock: clock, random: { 0.5 },
            send: { request in
                sent.withLock { $0.append(request) }
                let field = request.value(forHTTPHeaderField: "Authorization")
                return try Self.answer(field == "Bearer new" ? 204 : 401)
            })
        try await config.downloadNewConfig()
        await settle(acknowledger)
        #expect(
            sent.withLock { $0.map { $0.value(forHTTPHeaderField: "Authorization") } }
                == ["Bearer old", "Bearer \(token)"])
        #expect(refreshes.withLock { $0 } == ["1"])
        // A refused acknowledgement is sent again at the next confirmation.
        try await config.downloadNewConfig()
        await settle(acknowledger)
        #expect(sent.withLock { $0.count } == (token == "new" ? 2 : 4))
    }

    @Test func aRefusedVersionIsNamedOnceWithTheOneThatStays() async throws {
        var empty = Self.document(13)
        empty.sections = [:]
        let refused = empty
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(
                .configuration(Self.document(12)), .configuration(refused),
                .configuration(refused)))
        let acknowledger = try acknowledger(config)
        try await config.downloadNewConfig()
        await settle(acknowledger)
        for _ in 0..<2 {
            await #expect(throws: ConfigurationFormatError.self) {
                try await config.downloadNewConfig()
            }
            await settle(acknowledger)
        }
        let requests = sent.withLock { $0 }
        #expect(requests.count == 2)
        let word = try body(#require(requests.last))
        #expect(word["template_version"] == 13)
        #expect(word["in_force"] == false)
        let problem = try #require(word["problems"]?[0])
        #expect(problem["section"] == "")
        #expect(problem["message"]?.stringValue?.contains("noSections") == true)
        #expect(problem["message"]?.stringValue?.contains("version 12 stays") == true)
    }

    @Test func aConfirmationWhileAnAcknowledgementWaitsSendsNoSecondOne() async throws {
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(Self.document(12)), .unchanged))
        let acknowledger = try acknowledger(config)
        try await config.downloadNewConfig()
        await acknowledger.drain()
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(14))
        try await config.downloadNewConfig()
        await acknowledger.drain()
        clock.advance(by: .seconds(1))
        await acknowledger.waitForAnswers()
        #expect(sent.withLock { $0.count } == 1)
    }

    @Test func onlyTheNewestVersionOfAUserIsAcknowledged() async throws {
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(
                .configuration(Self.document(12)), .configuration(Self.document(13))))
        let acknowledger = try acknowledger(config)
        try await config.downloadNewConfig()
        try await config.downloadNewConfig()
        await settle(acknowledger)
        #expect(try sent.withLock { $0 }.map { try body($0)["template_version"] } == [13])
    }

    @Test func aStoppedOneSendsNothing() async throws {
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader { .configuration(Self.document(12 + $0.number)) })
        let acknowledger = try acknowledger(config)
        try await config.downloadNewConfig()
        await acknowledger.drain()
        acknowledger.stop()
        try await config.downloadNewConfig()
        await settle(acknowledger)
        #expect(sent.withLock { $0.isEmpty })
    }

    @Test func nothingIsKeptOfAUserWhoWasForgotten() async throws {
        let store = InMemoryStore()
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader { _ in .configuration(Self.document(12)) }, store: store)
        config.currentUserID = "1"
        let acknowledger = try acknowledger(config)
        try await config.downloadNewConfig()
        await settle(acknowledger)
        func record() throws -> String {
            let data = try #require(store.clientState(named: "acknowledgements"))
            return String(decoding: data, as: UTF8.self)
        }
        let digest = UserID("1").digest
        #expect(try record().contains(digest))
        // The process may end as soon as `forgetUser` returns.
        try await config.forgetUser("1")
        #expect(try !record().contains(digest))
        // Pending acknowledgements are not sent either.
        try await config.downloadNewConfig()
        await acknowledger.drain()
        try await config.forgetUser("1")
        await settle(acknowledger)
        #expect(sent.withLock { $0.count } == 1)
        #expect(try !record().contains(digest))
    }

    /// A store that can block the next write of the acknowledgement record.
    private final class HeldStore: ActiveConfigStore {
        let base = InMemoryStore()
        let isHeld = Locked(false)
        let (isWriting, mayWrite) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

        func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
            base.lastKnownActiveConfiguration(forUserID: userID)
        }

        func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
            base.ownConfiguration(forUserID: userID)
        }

        func persistConfiguration(_ configuration: ConfigurationState?, forUserID userID: String?) {
            base.persistConfiguration(configuration, forUserID: userID)
        }

        func record(_ record: StoreRecord) -> Data? { base.record(record) }

        func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) {
            if record == .clientState(named: "acknowledgements"),
                isHeld.withLock({ isHeld -> Bool in
                    defer { isHeld = false }
                    return isHeld
                })
            {
                isWriting.signal()
                mayWrite.wait()
            }
            base.updateRecord(record, change)
        }
    }

    /// The acknowledgement was answered and is being recorded.
    @Test func nothingIsKeptOfAUserWhoIsForgottenMeanwhile() async throws {
        let store = HeldStore()
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader { _ in .configuration(Self.document(12)) }, store: store)
        config.currentUserID = "1"
        let acknowledger = try acknowledger(config)
        try await config.downloadNewConfig()
        await acknowledger.drain()
        store.isHeld.withLock { $0 = true }
        let settling = Task { await settle(acknowledger) }
        store.isWriting.wait()
        let epoch = try #require(config.users.table.epoch(of: UserID("1")))
        let forgetting = Thread { try? config.forgetUser("1") }
        forgetting.start()
        // deadline: forgetting does not wait for the write
        while !epoch.isOver { usleep(1_000) }
        store.mayWrite.signal()
        await settling.value
        while !forgetting.isFinished { usleep(1_000) }  // deadline: nothing blocks it
        let record = try #require(store.base.clientState(named: "acknowledgements"))
        #expect(!String(decoding: record, as: UTF8.self).contains(UserID("1").digest))
    }
}
