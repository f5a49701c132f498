import Foundation
import TemplateStoreTesting
import Testing

@testable import TemplateStore

/// How many change requests a project has, and which ones go.
@Suite struct ChangeRequestTableTests {
    private typealias Limits = TemplateStoreLimits
    private static let date = Date(millisecondsSince1970: 1_790_000_000_000)

    private static func header(
        _ id: Int, _ state: StoredChangeRequest.State, size: Int = 1_000, deletedVersion: Int? = nil
    ) -> ChangeRequestHeader {
        // A higher number is younger.
        ChangeRequestHeader(
            project: "p", id: "\(id)", state: state, tag: "t\(id)",
            updateTime: date - Double(10_000 - id), deletedVersion: deletedVersion, size: size)
    }

    /// A submission of a new request with a template of a size.
    private static func submission(bytes: Int = 10) -> ChangeRequestSubmission {
        ChangeRequestSubmission(
            project: "p", id: "new",
            request: ChangeRequest(
                title: "Title", author: .init(person: "Ada", actor: "ada"), baseVersion: 1,
                creationDate: date),
            contents: ChangeRequestContents(
                base: Data("{}".utf8), edited: Data(count: bytes)),
            expectation: .absent, action: .createChangeRequest, date: date, actor: "ada")
    }

    private static func removed(
        _ headers: [ChangeRequestHeader], bytes: Int = 10, deletedVersion: Int? = nil
    ) throws -> [String] {
        try ChangeRequestTable(headers, at: date, deletedVersion: deletedVersion)
            .change(by: submission(bytes: bytes), over: nil).removed.map(\.id)
    }

    /// The requests that go for a comment on an open one of a size.
    private static func removed(
        _ headers: [ChangeRequestHeader], forOneOfSize size: Int
    ) throws -> [String] {
        let open = header(9_999, .open, size: size)
        var submission = submission()
        (submission.id, submission.contents, submission.expectation) = (open.id, nil, .present)
        return try ChangeRequestTable(headers + [open], at: date, deletedVersion: nil)
            .change(
                by: submission,
                over: StoredChangeRequest(header: open, request: submission.request)
            ).removed.map(\.id)
    }

    @Test func endedOnesAreLimitedAndThosePublishedStayLonger() throws {
        let most = Limits.endedChangeRequests
        let closed = (0..<most).map { Self.header($0, $0.isMultiple(of: 2) ? .published : .closed) }
        #expect(try Self.removed(Array(closed.dropLast())) == [])
        #expect(try Self.removed(closed) == ["1"])
        let published = (0..<most).map { Self.header($0, .published) }
        #expect(try Self.removed(published) == ["0"])
    }

    @Test func openOnesAreLimitedAndNeverGo() throws {
        let open = (0..<Limits.openChangeRequests).map { Self.header($0, .open) }
        #expect(try Self.removed(Array(open.dropLast())) == [])
        #expect(throws: TemplateStoreError.self) { try Self.removed(open) }
        // Those of an earlier project of the name are closed, and expired ones are not open.
        #expect(try Self.removed(open, deletedVersion: 7) == [])
    }

    @Test func theLargestEndedOnesGoForTheSizeOfAll() throws {
        let large = Limits.endedChangeRequestsBytes / 4
        let closed = [
            Self.header(1, .closed, size: 1_000), Self.header(2, .closed, size: large),
            Self.header(4, .closed, size: large),
        ]
        func removed(_ published: Int) throws -> [String] {
            try Self.removed(
                closed + [Self.header(3, .published, size: published)], forOneOfSize: 1_000)
        }
        #expect(try removed(large) == [])
        #expect(try removed(large * 2) == ["2"])
        #expect(try removed(large * 3) == ["2", "4"])
        #expect(try removed(large * 4) == ["2", "4", "1"])
        #expect(try removed(large * 4 + 1) == ["2", "4", "1", "3"])
    }

    /// Whoever makes and closes requests removes no record of who approved a version.
    @Test func openOnesRemoveNoPublishedOnes() throws {
        let most = Limits.openChangeRequestsBytes
        let others = [
            Self.header(1, .open, size: most - 10_000),
            Self.header(2, .published, size: Limits.endedChangeRequestsBytes),
        ]
        #expect(try Self.removed(others) == [])
    }

    @Test func openOnesOverTheSizeAreRefused() throws {
        let large = Limits.openChangeRequestsBytes / 2
        let open = [Self.header(1, .open, size: large), Self.header(2, .closed, size: large)]
        #expect(try Self.removed(open, bytes: large - 10_000) == [])
        let error = #expect(throws: TemplateStoreError.self) {
            try Self.removed(open, bytes: large)
        }
        #expect(error?.code == .tooManyChangeRequests)
        #expect(error?.message.contains("128 MB") == true)
    }

    @Test func aChangeWithoutTemplatesIsStoredInAFullProject() throws {
        let large = Limits.openChangeRequestsBytes
        let others = [Self.header(1, .open, size: large)]
        #expect(try Self.removed(others, forOneOfSize: large) == [])
    }

    /// A clock that is ahead removes no request that only seems to have expired.
    @Test func aClockAheadRemovesNoOpenOnes() throws {
        let open = (0..<20).map { Self.header($0, .open, size: Limits.openChangeRequestsBytes / 8) }
        let ended = (100..<(100 + Limits.endedChangeRequests)).map { Self.header($0, .closed) }
        let ahead = Self.date + 2 * Limits.changeRequestLifetime
        var submission = Self.submission()
        submission.date = ahead
        let change = try ChangeRequestTable(open + ended, at: ahead, deletedVersion: nil)
            .change(by: submission, over: nil)
        #expect(change.removed.map(\.id) == ["100"])
    }

    /// What is over a limit, since votes and comments are stored in any case, can still become
    /// smaller.
    @Test func whatIsTooLargeCanBecomeSmaller() throws {
        let open = Self.header(1, .open, size: Limits.openChangeRequestsBytes + 1_000)
        var submission = Self.submission()
        (submission.id, submission.expectation) = (open.id, .present)
        submission.request.text = String(repeating: "x", count: Limits.changeRequestBytes)
        submission.request.contentDigest = submission.contents.map(ChangeRequest.digest) ?? ""
        let known = StoredChangeRequest(header: open, request: submission.request)
        let table = ChangeRequestTable(
            [open, Self.header(2, .open)], at: Self.date, deletedVersion: nil)
        #expect(try table.change(by: submission, over: known).removed == [])
        submission.request.text? += "x"
        #expect(throws: TemplateStoreError.self) {
            try table.change(by: submission, over: known)
        }
    }

    @Test func theVotesOfOnePersonLeaveRoomForOthers() {
        var request = Self.submission().request
        for number in 0..<200 {
            request.add(
                ChangeRequest.Vote(
                    person: "Eve", actor: "eve", verdict: .requestChanges, digest: "",
                    liveVersion: number, comment: String(repeating: "\u{1}", count: 1_000),
                    date: Self.date))
        }
        #expect(request.record.count < Limits.changeRequestBytes + 20_000)
        #expect(request.votes.first?.liveVersion == 199)
        #expect(request.comments.count > 20)
    }

    /// However large the ended ones are, a project stays near its limit.
    @Test func manyLargeOnesStayNearTheLimit() throws {
        var headers: [ChangeRequestHeader] = []
        for number in 0..<600 {
            let size = [1_000, 30 << 20, 3 << 20, 200_000][number % 4]
            let removed = try Self.removed(headers, forOneOfSize: size)
            headers.removeAll { removed.contains($0.id) }
            headers.append(Self.header(number, .closed, size: size))
            #expect(
                headers.reduce(0) { $0 + $1.size } <= Limits.endedChangeRequestsBytes + 33 << 20)
        }
    }
}
