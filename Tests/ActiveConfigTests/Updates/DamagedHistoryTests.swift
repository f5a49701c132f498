import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigTrust

/// Records of downloads that other software wrote, or that a clock error made invalid.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct DamagedHistoryTests {
    private let store = InMemoryStore()

    private func fixture(
        _ record: String, policy: FetchPolicy = .make(minimumInterval: .seconds(60))
    ) -> UpdatesFixture {
        store.updateClientState(named: "downloads") { _ in Data(record.utf8) }
        return UpdatesFixture(store, fetchPolicy: policy)
    }

    private static func record(
        fetch: String? = nil, staleCount: Int = 0, failureCount: Int = 0, wait: String = "null",
        refusals: String = "{}"
    ) -> String {
        let fetches = fetch.map { "\"\(UserID.generic.digest)\": \($0)" } ?? ""
        return """
            {"fetches": {\(fetches)}, "staleCount": \(staleCount), \
            "failureCount": \(failureCount), "wait": \(wait), "refusals": \(refusals)}
            """
    }

    /// The fixture's time in seconds since 2001, the unit of the records.
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)
        .timeIntervalSinceReferenceDate

    @Test(arguments: [1e18, 1e300])
    func aWaitIsNeverLongerThanThePolicyHasIt(seconds: Double) async throws {
        let fixture = fixture(
            Self.record(
                wait: "{\"start\": \(Self.now), \"seconds\": \(seconds), \"isRestarted\": false}"))
        let config = fixture.launch().config
        let end = try #require(config.status.throttledUntil)
        #expect((0...4.4 * 3_600).contains(end.timeIntervalSince(fixture.time.now)))
        let error = await #expect(throws: DownloadError.self) {
            try await config.downloadNewConfig()
        }
        #expect(error?.code == .throttled)
        fixture.time.advance(by: 4.4 * 3_600)
        #expect(config.status.throttledUntil == nil)
    }

    /// Also one that would start in the future.
    @Test(arguments: [0.0, 1e9], [-1.0, -1e300])
    func aNegativeWaitIsOver(later: Double, seconds: Double) async throws {
        let start = Self.now + later
        let wait = "{\"start\": \(start), \"seconds\": \(seconds), \"isRestarted\": false}"
        let config = fixture(Self.record(wait: wait)).launch(
            ScriptedDownloader(.configuration(.titled(["Home": "1"])))
        ).config
        #expect(config.status.throttledUntil == nil)
        #expect(try await config.downloadNewConfig().outcome == .downloaded)
    }

    /// A process with another version of the framework may store more.
    @Test func membersThatAreNotKnownAreLeftOut() async throws {
        let policy = FetchPolicy.make(minimumInterval: .seconds(60))
        let request = DownloadHistory(
            store: nil, policy: policy, now: Date.init, log: .disabled
        ).request(of: .generic, "")
        let fetch = """
            {"time": \(Self.now), "documentTime": \(Self.now), "confirmedTime": \(Self.now), \
            "digest": "\(request.digest)", "staleCount": 0}
            """
        let refusals = """
            {"\(UserID.generic.digest)": {"scope": "s", "status": 403, "fingerprint": "0000", \
            "earlyCount": 1, "wait": {"start": \(Self.now), "seconds": 7200, "isRestarted": false}}}
            """
        store.persistConfiguration(.titled(["Home": "1"]), forUserID: nil)
        let fixture = fixture(Self.record(fetch: fetch, refusals: refusals), policy: policy)
        let launch = fixture.launch(ScriptedDownloader(.unchanged))
        #expect(launch.config.status.throttledUntil == nil)
        #expect(launch.config.status.freshness == .upToDate)
        #expect(try await launch.config.downloadNewConfig().outcome == .withinInterval)
        fixture.time.advance(by: 60)
        #expect(try await launch.config.downloadNewConfig().outcome == .notModified)
    }

    @Test(arguments: [-1e18, -1e300])
    func anAgeOfAnyTimeCanBeAskedFor(time: Double) throws {
        let fetch = """
            {"time": \(time), "documentTime": \(time), "confirmedTime": \(time), "digest": "", \
            "staleCount": 0}
            """
        store.persistConfiguration(.titled(["Home": "1"]), forUserID: nil)
        let config = fixture(Self.record(fetch: fetch)).launch().config
        #expect(try #require(config.age) > .seconds(1_000_000_000))
    }

    @Test(arguments: [Int.min, -1, .max])
    func countsOfAnySizeAreCounted(count: Int) async throws {
        let fixture = fixture(Self.record(staleCount: count, failureCount: count))
        let config = fixture.launch(
            ScriptedDownloader(.failure(DownloadError(.httpStatus, status: 503)))
        ).config
        await config.markStale()
        await #expect(throws: DownloadError.self) { try await config.downloadNewConfig() }
        let end = try #require(config.status.throttledUntil)
        #expect(end.timeIntervalSince(fixture.time.now) <= 4.4 * 3_600)
    }

    @Test func aClockThatIsSetBackDoesNotMakeAnythingStaleInTheFuture() async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make(minimumInterval: .seconds(60)))
        let config = fixture.launch(
            ScriptedDownloader(.configuration(.titled(["Home": "1"])))
        ).config
        try await config.downloadNewConfig()
        fixture.time.advance(by: -1_000)
        #expect(config.status.freshness == .stale(since: fixture.time.now))
        await config.markStale()
        fixture.time.advance(by: -1_000)
        #expect(config.status.freshness == .stale(since: fixture.time.now))
    }

    @Test func theUserThatWasDownloadedLastIsRemembered() async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make(minimumInterval: .seconds(60)))
        let config = fixture.launch(
            ScriptedDownloader { _ in .configuration(.titled(["Home": "1"])) }
        ).config
        for user in 0..<50 { try await config.configuration(forUserID: "\(user)").download() }
        fixture.time.advance(by: -1_000)
        config.currentUserID = "new"
        try await config.downloadNewConfig()
        #expect(config.age == .zero)
    }

    @Test func crashesOfAnyNumberAreCounted() {
        let document = LaunchRecord.Document(
            userID: nil, entityTag: "t", version: 1, digest: nil)
        var record = LaunchRecord()
        record.suspects = [LaunchRecord.Count(document: document, crashCount: .max)]
        record.sessions = [LaunchRecord.Session(process: .current, document: document)]
        #expect(record.judge(crashLimit: 3) { _ in .crashed }.map(\.crashCount) == [.max])
    }
}
