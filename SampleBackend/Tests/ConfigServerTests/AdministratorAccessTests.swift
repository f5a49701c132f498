import Foundation
import HTTPServing
import NIOConcurrencyHelpers
import SeededRandomness
import TemplateStore
import Testing

@testable import AdminAPI

/// Expiry of tokens and sessions over time, without reading the store.
struct AdministratorAccessTests {
    private let start = Date(timeIntervalSince1970: 1_700_000_000)
    private let time: NIOLockedValueBox<Date>
    private let access: AdministratorAccess

    init() {
        let time = NIOLockedValueBox(start)
        self.time = time
        access = AdministratorAccess(environmentToken: SecretHash(of: "of the environment")) {
            time.withLockedValue { $0 }
        }
    }

    /// Advances the clock.
    private func advance(to seconds: TimeInterval) {
        time.withLockedValue { $0 = start + seconds }
    }

    /// A token that expires after ten seconds.
    private func makeToken() -> AccessToken {
        AccessToken(name: "t", role: .editor, date: start, expirationDate: start + 10)
    }

    @Test func aTokenEndsAtItsExpiration() async {
        let token = makeToken()
        await access.readTokens { [token.stored] }
        advance(to: 9.9)
        #expect(access.holder(ofToken: token.text)?.administrator.name == "t")
        advance(to: 10)
        #expect(access.holder(ofToken: token.text) == nil)
        #expect(access.holder(ofToken: "of the environment") != nil)
    }

    @Test func aSessionEndsWithItsToken() async throws {
        let token = makeToken()
        await access.readTokens { [token.stored] }
        let holder = try #require(access.holder(ofToken: token.text))
        let session = AdministratorSession(of: holder, date: start)
        await access.readSessions { _ in [session.stored] }
        advance(to: 9.9)
        #expect(access.holder(ofSession: session.text)?.holder.tokenID == token.stored.id)
        advance(to: 10)
        #expect(access.holder(ofSession: session.text) == nil)
    }

    @Test func aSessionEndsAfterItsLifetime() async throws {
        let holder = try #require(access.holder(ofToken: "of the environment"))
        let session = AdministratorSession(of: holder, date: start)
        await access.readSessions { _ in [session.stored] }
        advance(to: AdministratorSession.lifetime - 1)
        #expect(access.holder(ofSession: session.text) != nil)
        advance(to: AdministratorSession.lifetime)
        #expect(access.holder(ofSession: session.text) == nil)
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func aReadOfAllTokensChangesNoneThatWasAddedOrRevokedMeanwhile() async throws {
        let (revoked, new) = (makeToken(), makeToken())
        await access.readTokens { [revoked.stored] }
        let (began, beginning) = AsyncStream.makeStream(of: Void.self)
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        async let slow: Void = access.readTokens {
            beginning.finish()
            for await _ in release {}
            return [revoked.stored]
        }
        for await _ in began {}
        #expect(await access.addToken(new.stored) {})
        access.removeToken(id: revoked.stored.id)
        releasing.finish()
        await slow
        #expect(access.holder(ofToken: revoked.text) == nil)
        #expect(access.holder(ofToken: new.text) != nil)
    }

    @Test func aTokenThatMayHaveBeenRevokedWhileItWasStoredIsReadAgain() async {
        let token = makeToken()
        let isKnown = await access.addToken(token.stored) {
            // Another process has revoked the token, and the follower reads the change.
            await access.readTokens { [] }
        }
        #expect(!isKnown)
        #expect(access.holder(ofToken: token.text) == nil)
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func aReadOfAllSessionsChangesNoneThatBeganOrEndedMeanwhile() async throws {
        let holder = try #require(access.holder(ofToken: "of the environment"))
        let (ended, new, kept) = (
            AdministratorSession(of: holder, date: start),
            AdministratorSession(of: holder, date: start),
            AdministratorSession(of: holder, date: start)
        )
        await access.addSession(ended.stored) {}
        let (began, beginning) = AsyncStream.makeStream(of: Void.self)
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        // A slow read that starts before one session ends and another begins.
        async let slow: Void = access.readSessions { _ in
            beginning.finish()
            for await _ in release {}
            return [ended.stored, kept.stored]
        }
        for await _ in began {}
        await access.addSession(new.stored) {}
        access.removeSession(id: ended.stored.id)
        releasing.finish()
        await slow
        #expect(access.holder(ofSession: ended.text) == nil)
        #expect(access.holder(ofSession: new.text) != nil)
        #expect(access.holder(ofSession: kept.text) != nil)
        // Another process has ended the session.
        await access.readSession(id: new.stored.id) { nil }
        #expect(access.holder(ofSession: new.text) == nil)
    }

    @Test func aSessionThatCouldNotBeStoredIsNotValid() async throws {
        let holder = try #require(access.holder(ofToken: "of the environment"))
        let session = AdministratorSession(of: holder, date: start)
        await #expect(throws: CancellationError.self) {
            try await access.addSession(session.stored) { throw CancellationError() }
        }
        #expect(access.holder(ofSession: session.text) == nil)
    }

    @Test func aUseIsTakenOnce() async {
        let token = makeToken()
        await access.readTokens { [token.stored] }
        _ = access.holder(ofToken: token.text)
        advance(to: 1)
        _ = access.holder(ofToken: token.text)
        _ = access.holder(ofToken: "of the environment")
        #expect(access.takeUses() == [token.stored.id: start + 1])
        #expect(access.takeUses() == [:])
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func aReadThatBeganEarlierDoesNotReplaceALaterOne() async throws {
        let (old, new) = (makeToken(), makeToken())
        let (began, beginning) = AsyncStream.makeStream(of: Void.self)
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        // A slow read that starts before the old token is revoked and the new one is stored.
        async let slow: Void = access.readTokens {
            beginning.finish()
            for await _ in release {}
            return [old.stored]
        }
        for await _ in began {}
        await access.readTokens { [new.stored] }
        releasing.finish()
        await slow
        #expect(access.holder(ofToken: old.text) == nil)
        #expect(access.holder(ofToken: new.text) != nil)
        // The next read does not wait for the slow one.
        await access.readTokens { [old.stored] }
        #expect(access.holder(ofToken: new.text) == nil)
    }
}
