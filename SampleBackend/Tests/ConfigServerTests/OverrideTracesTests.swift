import JSONTree
import Testing

@testable import ClientAPI

struct OverrideTracesTests {
    @Test func aUserHasTheSectionsThatWerePinned() {
        var traces = OverrideTraces()
        traces.add(["A"], ofUser: "1")
        traces.add(["B"], ofUser: "1")
        #expect(traces.sections(ofUser: "1") == ["A", "B"])
        #expect(traces.sections(ofUser: "2") == [])
        #expect(traces.sections(ofUser: nil) == [])
    }

    @Test func noUserIsKnownOnceTooManyUsersHadValuesPinned() {
        var traces = OverrideTraces()
        for number in 1...10_000 { traces.add(["A"], ofUser: "\(number)") }
        #expect(traces.sections(ofUser: "10000") == ["A"])
        traces.add(["A"], ofUser: "10001")
        for user in ["1", "10001", "none"] {
            #expect(traces.sections(ofUser: user) == nil, "\(user)")
        }
        traces.add(["A"], ofUser: "1")
        #expect(traces.sections(ofUser: "1") == nil)
    }
}
