import Foundation
import TemplateStore
import Testing

@testable import ConfigServer

/// Which projects and rollouts a server performs at a time.
struct SchedulesUnderWayTests {
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)

    private static func header(
        _ id: String, project: String = "shop", tag: String = "1"
    ) -> ChangeRequestHeader {
        ChangeRequestHeader(
            project: project, id: id, state: .published, tag: tag, updateTime: date, size: 1,
            dueDate: date)
    }

    /// What stays due is not performed again at once, so that projects do not wake each other.
    @Test func aProjectBeginsAgainOnlyForSomethingElse() {
        let projects = ProjectsUnderWay()
        let due = [[Self.header("a")], [Self.header("b", project: "news")]]
        #expect(projects.begin(due).count == 2)
        #expect(projects.begin(due).isEmpty)
        #expect(!projects.end("shop", hasFailed: false))
        #expect(projects.begin(due).count == 1)
        #expect(projects.begin([[Self.header("a", tag: "2")]]).isEmpty)
        #expect(projects.end("shop", hasFailed: false))
        #expect(!projects.end("news", hasFailed: false))
    }

    /// Rollouts that wait do not take the places of others for ever.
    @Test func rolloutsHaveTheirTurns() throws {
        let rollouts = RolloutsUnderWay()
        let all = (0..<40).map { Self.header("\($0)", project: $0 < 20 ? "shop" : "news") }
        var seen: [String] = []
        for count in [16, 16, 8] {
            let begun = rollouts.begin(all, at: Self.date)
            #expect(begun.count == count)
            seen += begun.map(\.id)
            let waits = begun.map { rollouts.end($0, isWatched: true) }
            #expect(waits.contains(true) == (count == 16))
        }
        #expect(Set(seen).count == 40)
        #expect(rollouts.begin(all, at: Self.date).isEmpty)
        // Only what has changed is looked at again.
        let changed = rollouts.begin([Self.header("3", tag: "2")] + all.dropFirst(4), at: Self.date)
        #expect(changed.map(\.id) == ["3"])
    }
}
