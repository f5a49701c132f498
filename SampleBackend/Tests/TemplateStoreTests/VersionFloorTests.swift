import Foundation
import TemplateStore
import Testing

struct VersionFloorTests {
    /// 2020-01-01T00:00:00Z.
    private static let beginning = 1_577_836_800.0

    @Test(arguments: [
        (3, beginning + 218_000_000.9, 218_000_000), (3, beginning + 4, 4), (3, beginning + 3, 4),
        (0, beginning, 1), (218_999_999, beginning + 218_000_000, 219_000_000),
        // The clock is wrong, or was wrong at an earlier raise.
        (219_000_000, beginning + 218_000_000, 220_000_000),
        (0, beginning - 1, 1_000_000), (8, -1e300, 1_000_008), (8, Double.nan, 1_000_008),
        (3, beginning + 1_262_303_999, 1_262_303_999), (3, beginning + 1_262_304_000, 1_000_003),
        (3, Double.infinity, 1_000_003),
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

    /// A floor of 0 would give the numbers again that clients have.
    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "0", "x", ""])
    func aDamagedEntryIsAnError(subject: String) throws {
        let raise = Self.entry(.raiseVersions, subject)
        let error = #expect(throws: TemplateStoreError.self) { _ = try raise.versionFloor }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("revision 7") == true)
        #expect(throws: TemplateStoreError.self) { _ = try raise.highestVersion }
        let publish = Self.entry(.publish, subject)
        #expect(try publish.versionFloor == nil)
        #expect(try publish.highestVersion == nil)
    }

    /// Of a store whose numbers an earlier release raised too far.
    @Test func aFloorOfMoreBitsIsRead() throws {
        let entry = Self.entry(.raiseVersions, "2147483648")
        #expect(try entry.versionFloor == 2_147_483_647)
        #expect(try entry.highestVersion == 2_147_483_647)
    }

    @Test func numbersThatAreExhaustedAreNotRaised() throws {
        let raise = VersionRaise(date: Date(timeIntervalSince1970: 0), reason: "test")
        let last = VersionFloor.maximum - 1_000_000
        #expect(try raise.applied(above: last, revision: .zero).floor == VersionFloor.maximum)
        for (minimum, highest) in [(0, last + 1), (0, Int(Int32.max)), (Int.max, 3)] {
            var raise = raise
            raise.minimum = minimum
            let error = #expect(throws: TemplateStoreError.self) {
                _ = try raise.applied(above: highest, revision: .zero)
            }
            #expect(error?.message.contains("\(max(minimum, highest))") == true)
        }
    }

    private static func entry(_ action: AuditEntry.Action, _ subject: String) -> AuditEntry {
        AuditEntry(
            revision: StoreRevision(7), project: nil, date: Date(), actor: "", action: action,
            subject: subject)
    }
}
