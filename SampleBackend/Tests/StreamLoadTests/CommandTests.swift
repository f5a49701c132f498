import Testing

@testable import StreamLoad

/// Parsing the lines of standard input.
struct CommandTests {
    @Test func eachCommandIsRead() {
        #expect(Command("connect 19000") == .connect(count: 19_000))
        #expect(Command("mark") == .mark)
        #expect(Command("opened 60") == .opened(seconds: 60))
        #expect(Command("told 8 1 60") == .told(version: 8, cohorts: 1, seconds: 60))
        #expect(Command("report 10") == .report(cohorts: 10))
    }

    @Test(arguments: ["", "connect", "connect x", "connect -1", "mark 1", "told 8 1", "stop"])
    func everyOtherLineIsRefused(line: String) {
        #expect(Command(line) == nil)
    }
}
