import Foundation
import InMemoryTemplateStore
import JSONTree
import NIOCore
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import AdminAPI
@testable import ConfigServer
@testable import HTTPServing

/// Failed attempts to sign in, and their entries in the audit trail.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct FailedSignInTests {
    private let start = Date(timeIntervalSince1970: 1_000_000)

    private func address(_ number: Int) throws -> ClientAddress {
        ClientAddress(try #require(IPAddress("192.0.2.\(number)")))
    }

    /// The attempts to record; a test fails without them.
    private static func given(_ failed: FailedSignIns?) throws -> FailedSignIns {
        try #require(failed)
    }

    @Test func theFirstAttemptIsRecordedAtOnceAndLaterOnesTogether() throws {
        var tally = FailedSignInTally()
        let none = tally.take(at: start)
        #expect(none == nil)
        tally.add(from: try address(1), at: start)
        let first = try Self.given(tally.take(at: start))
        #expect(first.count == 1)
        #expect(first.addresses == ["192.0.2.1"])
        for second in 1...29 {
            tally.add(from: try address(second), at: start + Double(second))
            let none = tally.take(at: start + Double(second))
            #expect(none == nil)
        }
        let later = try Self.given(tally.take(at: start + 30))
        #expect(later.count == 29)
        #expect(later.addresses == ["192.0.2.1", "192.0.2.2", "192.0.2.3"])
        #expect(later.hasMoreAddresses)
        #expect(later.startDate == start + 1)
        #expect(later.endDate == start + 29)
        let quiet = tally.take(at: start + 3_600)
        #expect(quiet == nil)
    }

    @Test func anAttackOfADayHasFewEntries() throws {
        var tally = FailedSignInTally()
        var entries = 0
        var attempts = 0
        for second in 0..<86_400 {
            for _ in 0..<5 { tally.add(from: try address(1), at: start + Double(second)) }
            if let failed = tally.take(at: start + Double(second)) {
                entries += 1
                attempts += failed.count
            }
        }
        attempts += try Self.given(tally.take(at: start + 86_400, isLast: true)).count
        #expect(entries < 40)
        #expect(attempts == 5 * 86_400)
        // After a quiet time, the next attempt is recorded at once again.
        tally.add(from: nil, at: start + 200_000)
        let again = tally.take(at: start + 200_000)
        #expect(again?.count == 1)
        tally.add(from: nil, at: start + 200_030)
        let soon = tally.take(at: start + 200_030)
        #expect(soon?.count == 1)
    }

    @Test func attemptsThatCouldNotBeStoredAreInTheNextEntry() throws {
        var tally = FailedSignInTally()
        tally.add(from: try address(1), at: start)
        let first = try Self.given(tally.take(at: start))
        tally.add(from: try address(2), at: start + 1)
        tally.giveBack(first)
        let both = try Self.given(tally.take(at: start + 60))
        #expect(both.count == 2)
        #expect(both.addresses == ["192.0.2.1", "192.0.2.2"])
        #expect(both.startDate == start)
        #expect(both.endDate == start + 1)
    }

    @Test func theAuditTrailHasAFailedSignInWithoutTheToken() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            for _ in 0..<3 {
                let answer = try await server.administer(
                    "POST", "/console/session", body: ["token": "nearly-valid"], token: nil)
                #expect(answer.status == 401)
            }
            let audit = try await server.administer(
                "GET", "/v1/projects/default/audit?action=FAILED_SIGN_IN")
            #expect(!String(decoding: audit.body, as: UTF8.self).contains("nearly-valid"))
            let entries = try #require(try audit.json["entries"]?.arrayValue)
            #expect(entries.map { $0["subject"] } == ["127.0.0.1"])
            #expect(entries.map { $0["detail"] } == ["1 attempt"])
            #expect(entries.map { $0["actor"] } == [""])
        }
    }

    @Test func aSignInWithAValidTokenIsNoFailure() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            _ = try await server.administer(
                "POST", "/console/session",
                body: ["token": .string(RunningServer.administratorToken)], token: nil)
            let audit = try await server.administer(
                "GET", "/v1/projects/default/audit?action=FAILED_SIGN_IN")
            #expect(try audit.json["entries"] == [])
        }
    }
}
