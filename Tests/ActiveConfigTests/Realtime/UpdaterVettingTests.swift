import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime
@testable import ActiveConfigTrust

/// An updater whose server's newest document is refused by the app's vetting.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UpdaterVettingTests {
    private static let wait = Duration.seconds(25)

    private func tags(_ fixture: UpdaterFixture) -> [String?] {
        fixture.documentRequests.map {
            if case .document(let tag, _) = $0.kind { tag } else { nil }
        }
    }

    private func streams(_ fixture: UpdaterFixture) -> [String?] {
        fixture.backend.requests.compactMap {
            if case .events(let version) = $0.kind { .some(version) } else { nil }
        }
    }

    /// The document arrives over the stream; later connections do not request it again.
    @Test(arguments: [true, false])
    func theStreamGoesOnFromTheRefusedDocument(isIgnored: Bool) async throws {
        let fixture = UpdaterFixture.make(vetting: [VettingRule.withoutBad(isIgnored: isIgnored)])
        let recorder = RefusalRecorder(fixture.config)
        try await fixture.run {
            try await fixture.waitUntilLive()
            fixture.backend.publish(.titled("Bad"))
            try await fixture.advance { !recorder.refusals.isEmpty }
            try await fixture.advance { fixture.clock.now.offset >= .seconds(30) }
            #expect(streams(fixture) == ["1"])
            #expect(fixture.updater.state(ofUserID: "1").isLive)
            for count in 2...4 {
                fixture.backend.endStreams()
                try await fixture.advance { streams(fixture).count == count }
                #expect(streams(fixture).last == "2" && tags(fixture).last == "\"v2\"")
                try await fixture.waitUntilLive()
            }
            #expect(tags(fixture).count { $0 == "\"v1\"" } == 0)
            fixture.backend.publish(.titled("Good"))
            try await fixture.advance { fixture.title() == "Good" }
            #expect(streams(fixture).count == 4)
        }
        #expect(recorder.refusals == ["2 for 1: It is bad."])
    }

    /// The user has no other document.
    @Test(arguments: [true, false])
    func theStreamOpensThoughTheFirstDocumentIsRefused(isIgnored: Bool) async throws {
        let backend = ScriptedBackend(sections: .titled("Bad"))
        let fixture = UpdaterFixture.make(
            backend, vetting: [VettingRule.withoutBad(isIgnored: isIgnored)])
        try await fixture.run {
            try await fixture.advance { streams(fixture).count == 1 }
            try await fixture.waitUntilLive()
            backend.endStreams()
            try await fixture.advance { streams(fixture).count == 2 }
            #expect(tags(fixture) == [nil, "\"v1\""])
            #expect(streams(fixture) == ["1", "1"])
            try await fixture.waitUntilLive()
            backend.publish(.titled("Good"))
            try await fixture.advance { fixture.title() == "Good" }
            #expect(streams(fixture).count == 2)
        }
    }

    @Test(arguments: [true, false], [true, false])
    func longPollsWaitForTheNextDocument(isIgnored: Bool, hasOther: Bool) async throws {
        let backend = ScriptedBackend(sections: .titled(hasOther ? "Hello" : "Bad"))
        backend.setService { $0.streams = .none }
        let fixture = UpdaterFixture.make(
            backend, vetting: [VettingRule.withoutBad(isIgnored: isIgnored)])
        let recorder = RefusalRecorder(fixture.config)
        try await fixture.run {
            if hasOther {
                try await fixture.waitForTitle("Hello")
                backend.publish(.titled("Bad"))
            }
            try await fixture.advance { !recorder.refusals.isEmpty }
            let bad = "\"v\(backend.version)\""
            try await fixture.advance {
                fixture.documentRequests.last?.kind == .document(entityTag: bad, wait: Self.wait)
            }
            let (count, start) = (fixture.documentRequests.count, fixture.clock.now.offset)
            try await fixture.advance {
                fixture.clock.now.offset >= start + .seconds(250)
            }
            let later = fixture.documentRequests.dropFirst(count)
            #expect((8...11).contains(later.count), "each waits for 25 s")
            #expect(later.allSatisfy { $0.kind == .document(entityTag: bad, wait: Self.wait) })
            try await fixture.settle()
            backend.publish(.titled("Good"))
            let time = fixture.clock.now.offset
            try await fixture.advance { fixture.title() == "Good" }
            #expect(fixture.clock.now.offset - time < .seconds(10))
        }
        #expect(recorder.refusals.count == 1)
    }

    /// A download made by the app requests the document again, and fails if it is refused again.
    @Test func theAppsOwnDownloadIsVettedAgain() async throws {
        let downloader = ScriptedDownloader { _ in .configuration(.versioned(2)) }
        let count = Locked(0)
        var options = ActiveConfigOptions()
        options.vetting = [
            VettingRule { _ in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                return isFirst ? .refuse(ConfigurationRefusal("Not yet.")) : .accept
            }
        ]
        let config = ActiveConfig.make(downloader: downloader, options: options)
        let feed = ConfigurationFeed(config, of: .generic)
        await #expect(throws: ConfigurationRefusal.self) { try await config.downloadNewConfig() }
        #expect(try await feed.requestBase().asked?.entityTag == "\"2\"")
        try await config.downloadNewConfig()
        #expect(downloader.requests.last?.lastKnown == nil)
        #expect(config["Home"]?.title == "2")
        let base = try await feed.requestBase()
        #expect(base.newest?.entityTag == "\"2\"" && base.asked?.entityTag == "\"2\"")
        #expect(feed.newestRefusedVersion == nil)
    }

    /// An answer that is not authentic is not the server's document, so it is requested again.
    ///
    /// A request after an authentic one names its digest, which the signature of a 304 covers.
    @Test(arguments: [true, false])
    func whatIsNotSignedIsAskedForAgain(isSigned: Bool) async throws {
        var bad = try SigningServer.answer(12, title: "Bad")
        let digest = bad.original?.digest
        if !isSigned { bad.original = nil }
        let options = ActiveConfigOptions(
            vetting: [
                VettingRule.withoutBad(isIgnored: false),
                SignatureVetting(verifier: SigningServer()),
            ], log: .disabled)
        let config = ActiveConfig(
            configDownloader: ScriptedDownloader(.configuration(bad)),
            configStore: InMemoryStore(), notificationCenter: NotificationCenter(),
            listenerQueue: DispatchQueue(label: "listeners"), options: options,
            clock: ManualClock(), now: { SigningServer.now })
        config.currentUserID = "1"
        await #expect(throws: (any Error).self) { try await config.downloadNewConfig() }
        let asked = try await ConfigurationFeed(config, of: UserID("1")).requestBase().asked
        #expect(asked?.entityTag == (isSigned ? "\"12\"" : nil))
        #expect(asked?.original?.digest == (isSigned ? digest : nil))
    }

    /// The refused document is sent over the socket only once.
    @Test(arguments: [true, false])
    func aServerSendsTheRefusedDocumentOnce(isIgnored: Bool) async throws {
        let isFixed = Locked(false)
        @Sendable func document(_ version: Int, _ title: String) -> String {
            #"{"meta":{"template_version":\#(version)},"config_sections":{"Home":{"settings":"#
                + #"{"title":{"value":"\#(title)"}}}}}"#
        }
        let server = try LoopbackServer(keepsAlive: true) { request in
            let version = isFixed.withLock { $0 } ? 3 : 2
            if request.target.hasSuffix("/events") {
                // The third stream announces the next version.
                let isLast = request.connection >= 3
                if isLast { isFixed.withLock { $0 = true } }
                let head =
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
                let hello = "event: hello\nid: 2\ndata: {\"template_version\": 2}\n\n"
                let reset = "event: reset\nid: 3\ndata: {\"template_version\": 3}\n\n"
                return [.send(head + hello + (isLast ? reset : "")), isLast ? .hang : .close]
            }
            let isKnown = request.headers["if-none-match"] == "\"\(version)\""
            let body = isKnown ? "" : document(version, version == 2 ? "Bad" : "Good")
            return [
                .send(
                    "HTTP/1.1 \(isKnown ? 304 : 200) Status\r\nContent-Length: "
                        + "\(body.utf8.count)\r\nETag: \"\(version)\"\r\n\r\n\(body)")
            ]
        }
        defer { server.stop() }
        var options = ActiveConfigOptions()
        options.vetting = [VettingRule.withoutBad(isIgnored: isIgnored)]
        let config = ActiveConfig.make(options: options)
        config.currentUserID = "1"
        let clock = ManualClock()
        let updater = ActiveConfigUpdater.make(
            config,
            source: URLSessionEventSource(backend: ActiveConfigBackend(url: try server.url(""))),
            clock: clock)
        let time = Task {
            while !Task.isCancelled {
                // deadline: the clock advances slowly
                try await Task.sleep(for: .milliseconds(2))
                clock.advance(by: .milliseconds(100))
            }
        }
        let run = Task { await updater.run() }
        for await section in config.values(ofSection: "Home") where section?.title == "Good" {
            break
        }
        run.cancel()
        await run.value
        time.cancel()
        let streams = server.requests.filter { $0.target.hasSuffix("/events") }
        let documents = server.requests.filter { !$0.target.hasSuffix("/events") }
        #expect(streams.map { $0.headers["last-event-id"] } == ["2", "2", "2"])
        #expect(
            documents.map { $0.headers["if-none-match"] } == [nil, "\"2\"", "\"2\"", "\"2\""])
    }
}
