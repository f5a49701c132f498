import Foundation
import JSONTree
import TemplateStore
import Templates
import Testing

@testable import AdminAPI

/// Pinned values of an earlier time, from entries of the audit trail.
struct PastPinsTests {
    private static let time = Date(timeIntervalSince1970: 1_000_000)

    /// An entry some seconds after the time.
    private static func entry(
        _ seconds: TimeInterval, from before: String?, to after: String?, user: String = "1"
    ) -> AuditEntry {
        AuditEntry(
            of: OverridesChange(
                project: "p", userID: user, content: after.map { Data($0.utf8) },
                date: time + seconds, actor: "ada"),
            replacing: before.map { Data($0.utf8) }, revision: .zero)
    }

    private static func entry(_ action: AuditEntry.Action, _ seconds: TimeInterval) -> AuditEntry {
        AuditEntry(
            revision: .zero, project: "p", date: time + seconds, actor: "ada", action: action,
            subject: "1")
    }

    private static func pins(current: String?) -> PastPins {
        PastPins(at: time, current: ["1": current.map { Data($0.utf8) }])
    }

    private static func known(_ json: JSONNode) -> PastPins.Outcome? {
        PinnedValues(jsonData: json.jsonData()).map { .known($0) }
    }

    @Test func laterChangesAreRevertedUpToTheTime() {
        var pins = Self.pins(current: #"{"A":{"c":3}}"#)
        pins.take(Self.entry(2, from: #"{"A":{"b":2}}"#, to: #"{"A":{"c":3}}"#))
        pins.take(Self.entry(1.5, from: "{}", to: #"{"A":{"b":9}}"#, user: "2"))
        pins.take(Self.entry(0.001, from: nil, to: #"{"A":{"b":2}}"#))
        #expect(!pins.isComplete)
        pins.take(Self.entry(0, from: #"{"A":{"a":1}}"#, to: nil))
        #expect(pins.isComplete)
        #expect(pins.outcomes == ["1": Self.known([:])])
    }

    @Test func theChangeOfTheSameInstantCounts() {
        var pins = Self.pins(current: #"{"A":{"a":1}}"#)
        pins.take(Self.entry(0, from: nil, to: #"{"A":{"a":1}}"#))
        #expect(pins.outcomes == ["1": Self.known(["A": ["a": 1]])])
    }

    @Test func anEntryLongBeforeTheTimeEndsTheReading() {
        var pins = Self.pins(current: #"{"A":{"a":1}}"#)
        // Within the tolerance for clocks that differ.
        pins.take(Self.entry(.publish, -80_000))
        #expect(!pins.isComplete)
        pins.take(Self.entry(.publish, -90_000))
        #expect(pins.outcomes == ["1": Self.known(["A": ["a": 1]])])
    }

    @Test(arguments: [AuditEntry.Action.createProject, .deleteProject])
    func nothingIsPinnedBeforeTheProject(action: AuditEntry.Action) {
        var pins = Self.pins(current: #"{"A":{"a":1}}"#)
        pins.take(Self.entry(1, from: nil, to: #"{"A":{"a":1}}"#))
        pins.take(Self.entry(action, -1))
        #expect(pins.outcomes == ["1": Self.known([:])])
    }

    @Test func valuesWithoutAnEntryAreUnknown() {
        var pins = Self.pins(current: #"{"A":{"a":1}}"#)
        pins.reachStart()
        #expect(pins.outcomes["1"] == .unknown("The audit trail does not have their beginning."))
        #expect(pins.contradicted.isEmpty)
    }

    @Test func aMissingChangeIsUnknownAndReadAgain() {
        for current in [nil, #"{"A":{"a":2}}"#] {
            var pins = Self.pins(current: current)
            pins.take(Self.entry(1, from: nil, to: #"{"A":{"a":1}}"#))
            #expect(
                pins.outcomes["1"] == .unknown("The audit trail contradicts the current values."))
            #expect(pins.contradicted == ["1"])
        }
        var removed = Self.pins(current: #"{"A":{"a":2}}"#)
        removed.take(Self.entry(1, from: #"{"A":{"a":1}}"#, to: nil))
        #expect(removed.contradicted == ["1"])
    }

    @Test func aCutEntryIsUnknown() {
        let long = String(repeating: "x", count: 5_000)
        var pins = Self.pins(current: nil)
        pins.take(Self.entry(1, from: #"{"A":{"a":"\#(long)"}}"#, to: nil))
        guard case .unknown(let reason) = pins.outcomes["1"] else {
            Issue.record("\(pins.outcomes)")
            return
        }
        #expect(reason.contains("1970-01-12T13:46:41.000Z"), "\(reason)")
        #expect(pins.contradicted.isEmpty)
    }

    @Test func moreEntriesThanAreReadAreUnknown() {
        var pins = Self.pins(current: nil)
        pins.stop(after: 10)
        #expect(
            pins.outcomes["1"]
                == .unknown(
                    "The audit trail has more than 10 later entries, the most that are read."))
    }
}
