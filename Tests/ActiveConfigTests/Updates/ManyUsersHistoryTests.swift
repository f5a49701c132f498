import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Intervals, refusals and freshness of more users than the store remembers.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ManyUsersHistoryTests {
    private static let users = (0..<Rounds.count(300, nightly: 2_000)).map { "user-\($0)" }

    private static func download(_ handles: [UserConfiguration]) async -> [DownloadOutcome?] {
        var outcomes: [DownloadOutcome?] = []
        for handle in handles { outcomes.append(try? await handle.download().outcome) }
        return outcomes
    }

    @Test func theIntervalAppliesToEachUserInMemory() async throws {
        let store = InMemoryStore()
        let fixture = UpdatesFixture(store, fetchPolicy: .minimumInterval(.seconds(3_600)))
        let launch = fixture.launch(
            ScriptedDownloader { _ in .configuration(.titled(["Home": "1"], entityTag: "\"1\"")) })
        let handles = Self.users.map { launch.config.configuration(forUserID: $0) }
        for round in 0..<2 {
            let outcomes = await Self.download(handles)
            #expect(Set(outcomes) == [round == 0 ? .downloaded : .withinInterval])
            fixture.time.advance(by: 60)
        }
        #expect(launch.downloader.requests.count == handles.count)
        #expect(handles.count { $0.status.freshness == .upToDate } == handles.count)
        #expect(handles.count { $0.status.confirmationDate != nil } == handles.count)
        // What is written stays small.
        let record = try #require(store.clientState(named: "downloads"))
        #expect(record.count < 20_000)

        await launch.config.markStale()
        #expect(handles.count { $0.status.freshness == .upToDate } == 0)
        fixture.time.advance(by: 60)
        #expect(Set(await Self.download(handles)) == [.downloaded])
        #expect(handles.count { $0.status.freshness == .upToDate } == handles.count)
    }

    @Test func aRefusalHoldsNoUserBackAndIsOneWarningForEach() async throws {
        let launch = UpdatesFixture(fetchPolicy: .make()).launch(
            ScriptedDownloader { _ in .failure(DownloadError(.httpStatus, status: 403)) })
        let handles = Self.users.prefix(200).map { launch.config.configuration(forUserID: $0) }
        for _ in 0..<2 { #expect(Set(await Self.download(handles)) == [nil]) }
        #expect(launch.downloader.requests.count == 2 * handles.count)
        #expect(handles.count { $0.status.throttledUntil != nil } == 0)
        #expect(launch.log.messages(ofLevel: .warning).count == handles.count)
    }

    @Test func theActivationOfEachUserInMemoryIsConfirmed() async throws {
        let fixture = UpdatesFixture(
            fetchPolicy: .minimumInterval(.seconds(3_600)), activation: .manual)
        let launch = fixture.launch(
            ScriptedDownloader { _ in .configuration(.titled(["Home": "1"])) })
        let handles = Self.users.prefix(100).map { launch.config.configuration(forUserID: $0) }
        for handle in handles { try await handle.download() }
        for handle in handles { await handle.activate() }
        #expect(handles.count { $0.status.freshness == .upToDate } == handles.count)
        #expect(handles.count { $0.status.confirmationDate != nil } == handles.count)
    }

    @Test func usersWhoHaveLeftMemoryAreDropped() async throws {
        var options = ActiveConfigOptions()
        options.userCacheLimits = UserCacheLimits(maximumCount: 10)
        options.fetchPolicy = .minimumInterval(.seconds(3_600))
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader { _ in .configuration(.titled(["Home": "1"])) },
            options: options)
        let kept = config.configuration(forUserID: "kept")
        try await kept.download()
        for user in Self.users { try await config.configuration(forUserID: user).download() }
        let remembered = Self.users.count { user in
            config.users.history.users.withLock { $0[UserID(user)] != nil }
        }
        #expect((1...300).contains(remembered))
        #expect(try await kept.download().outcome == .withinInterval)
    }

    /// Its later success, or its activation, applies here as well.
    @Test func whatAnotherProcessHasRecordedSinceApplies() throws {
        let (store, time) = (InMemoryStore(), DeviceTime())
        func history() -> DownloadHistory {
            DownloadHistory(
                store: store, policy: .make(), now: { time.now }, log: .disabled)
        }
        let (here, there) = (history(), history())
        let user = UserID("1")
        here.noteFailure(
            of: here.request(of: user, ""),
            DownloadError(.httpStatus, status: 503, retryAfter: .seconds(600)), after: .zero)
        #expect(here.waitEnd != nil)
        time.advance(by: 60)
        there.noteSuccess(
            of: there.request(of: user, ""), .downloaded, after: .zero, isActive: false)
        here.refresh()
        #expect(here.waitEnd == nil)
        #expect(here.time(of: user) == time.now && here.confirmationDate(of: user) == nil)
        time.advance(by: 60)
        here.noteSuccess(
            of: here.request(of: user, ""), .downloaded, after: .zero, isActive: false)
        there.refresh()
        there.noteActivation(of: user)
        here.refresh()
        #expect(here.confirmationDate(of: user) == time.now)
    }
}
