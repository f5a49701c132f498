import Foundation
import TemplateStore
import Testing

struct VersionFloorTests {
    /// 2020-01-01T00:00:00Z.
    private static let beginning = 1_577_836_800.0

    @Test(arguments: [
        (3, beginning + 218_000_000.9, 218_000_000), (3, beginning + 4, 4), (3, beginning + 3, 4),
        (0, beginning, 1), (0, beginning - 1, 1), (8, -1e300, 9), (8, Double.nan, 9),
        (300_000_000, beginning + 218_000_000, 300_000_001),
        (3, beginning + 5e9, Int(Int32.max) - 1), (3, Double.infinity, Int(Int32.max) - 1),
    ])
    func aFloorIsTheTimeOrAboveTheNewest(newest: Int, time: Double, floor: Int) {
        let date = Date(timeIntervalSince1970: time)
        #expect(VersionFloor.raised(above: newest, at: date) == floor)
    }

    /// The versions of a month, one each minute, stay below the floor of a restore after it.
    @Test func noCountOfPublishesReachesTheNextFloor() {
        let date = Date(timeIntervalSince1970: Self.beginning + 218_000_000)
        let first = VersionFloor.raised(above: 3, at: date)
        let published = first + 30 * 24 * 60
        // Of the same backup, which knows nothing of the versions since.
        let second = VersionFloor.raised(above: 3, at: date + 30 * 24 * 3600)
        #expect(second > published)
        #expect(VersionFloor.raised(above: first, at: date) == first + 1)
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "x", ""])
    func aDamagedEntryHasNoFloor(subject: String) {
        for action in [AuditEntry.Action.raiseVersions, .publish] {
            let entry = AuditEntry(
                revision: .zero, project: nil, date: Date(), actor: "", action: action,
                subject: subject)
            #expect(entry.versionFloor == nil)
            #expect(entry.highestVersion == nil)
        }
    }
}
