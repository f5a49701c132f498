import ActiveConfig
import ActiveConfigTesting
import Testing

/// Faults of the original that no other suite covers.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct OriginalFaultsTests {
    @Test(
        "Names that start with @ and empty names are ordinary names",
        arguments: ["@count", "@", ""])
    func namesAreData(name: String) async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(.titled([name: "x"])), .configuration(.make())))
        let listener = fixture.listener(name)
        try await fixture.config.downloadNewConfig()
        #expect(fixture.config[name]?.title == "x")
        try await fixture.config.downloadNewConfig()
        #expect(fixture.config[name] == nil)
        fixture.drain()
        #expect(listener.sections == [.titled("x"), nil])
    }

    @Test("The setter and ending downloads do not wait for each other")
    func theSetterDoesNotDeadlock() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { .configuration(.titled(["Home": "\($0.number)"])) })
        let config = fixture.config
        let listener = fixture.listener { config, _ in config.currentUserID = "from a listener" }
        try await withThrowingTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for turn in 0..<200 {
                        config.currentUserID = "\((task + turn) % 3)"
                        try await config.downloadNewConfig()
                    }
                }
            }
            try await group.waitForAll()
        }
        fixture.drain()
        #expect(!listener.deliveries.isEmpty)
    }
}
