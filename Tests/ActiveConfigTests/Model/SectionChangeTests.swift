import ActiveConfig
import ActiveConfigTesting
import Testing

struct SectionChangeTests {
    private func change(
        _ old: [String: SettingValue]?, _ new: [String: SettingValue]?
    ) -> SectionChange {
        SectionChange(
            sectionName: "Home", old: old.map { .make($0) }, new: new.map { .make($0) },
            reason: .downloaded)
    }

    @Test func theChangeNamesTheKeysThatDiffer() {
        let change = change(
            ["same": 1, "changed": 1, "kind": 1, "list": [["a": 2]], "gone": 1, "lost": nil],
            ["same": 1, "changed": 2, "kind": true, "list": [["a": 2.0]], "new": 1, "found": nil])
        #expect(change.addedKeys == ["found", "new"])
        #expect(change.removedKeys == ["gone", "lost"])
        #expect(change.changedKeys == ["changed", "kind"])
    }

    @Test func allKeysOfANewSectionAreAdded() {
        let change = change(nil, ["b": 1, "a": 1])
        #expect(change.addedKeys == ["a", "b"])
        #expect(change.removedKeys.isEmpty && change.changedKeys.isEmpty)
    }

    @Test func allKeysOfASectionThatIsGoneAreRemoved() {
        let change = change(["b": 1, "a": 1], nil)
        #expect(change.removedKeys == ["a", "b"])
        #expect(change.addedKeys.isEmpty && change.changedKeys.isEmpty)
    }

    @Test func reasonsHaveNames() {
        #expect("\(SectionChange.Reason.restored)" == "restored")
        #expect("\(SectionChange.Reason.downloaded)" == "downloaded")
        #expect("\(SectionChange.Reason.userChanged)" == "userChanged")
    }

    @Test func equalityCountsEverything() {
        let first = SectionChange(
            sectionName: "Home", old: nil, new: .make(), userID: "1", reason: .downloaded)
        let others = [
            SectionChange(
                sectionName: "Other", old: nil, new: .make(), userID: "1", reason: .downloaded),
            SectionChange(
                sectionName: "Home", old: .make(), new: .make(), userID: "1", reason: .downloaded),
            SectionChange(
                sectionName: "Home", old: nil, new: nil, userID: "1", reason: .downloaded),
            SectionChange(
                sectionName: "Home", old: nil, new: .make(), userID: nil, reason: .downloaded),
            SectionChange(
                sectionName: "Home", old: nil, new: .make(), userID: "1", reason: .restored),
        ]
        #expect(Set(others + [first, first]).count == 6)
    }
}
