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
        let large = Limits.changeRequestsBytes / 4
        let ended = [
            Self.header(1, .closed, size: 1_000), Self.header(2, .closed, size: large),
            Self.header(3, .published, size: large * 2), Self.header(4, .closed, size: large),
        ]
        #expect(try Self.removed(ended, forOneOfSize: 1_000) == ["2"])
        #expect(try Self.removed(ended, forOneOfSize: large) == ["2", "4"])
        #expect(try Self.removed(ended, forOneOfSize: large * 3) == ["2", "4", "1", "3"])
    }

    @Test func openOnesOverTheSizeAreRefused() throws {
        let large = Limits.changeRequestsBytes / 2
        let open = [Self.header(1, .open, size: large), Self.header(2, .closed, size: large)]
        #expect(try Self.removed(open, bytes: large - 10_000) == ["2"])
        let error = #expect(throws: TemplateStoreError.self) {
            try Self.removed(open, bytes: large)
        }
        #expect(error?.code == .tooManyChangeRequests)
        #expect(error?.message.contains("256 MB") == true)
    }

    @Test func aChangeWithoutTemplatesIsStoredInAFullProject() throws {
        let large = Limits.changeRequestsBytes
        let others = [Self.header(1, .open, size: large)]
        #expect(try Self.removed(others, forOneOfSize: large) == [])
    }

    /// However large the ended ones are, a project stays near its limit.
    @Test func manyLargeOnesStayNearTheLimit() throws {
        var headers: [ChangeRequestHeader] = []
        for number in 0..<600 {
            let size = [1_000, 30 << 20, 3 << 20, 200_000][number % 4]
            let removed = try Self.removed(headers, forOneOfSize: size)
            headers.removeAll { removed.contains($0.id) }
            headers.append(Self.header(number, .closed, size: size))
            #expect(headers.reduce(0) { $0 + $1.size } <= Limits.changeRequestsBytes + 33 << 20)
        }
    }
}
