import HTTPServing
import InMemoryTemplateStore
import Logging
import Testing

@testable import ClientAPI

struct RealtimeHubTests {
    /// A hub without a server.
    private let hub = RealtimeHub(
        library: TemplateLibrary(
            store: InMemoryTemplateStore(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
        limits: ClientLimits(), unreadTime: ServerLimits().unreadTime)

    /// The longest of many delays, in milliseconds.
    private func longestDelay() throws -> Int {
        let delays = (0..<1_000).map { _ in hub.reconnectDelay() }
        #expect(try #require(delays.min()) >= 0)
        return try #require(delays.max())
    }

    // The probability that a thousand delays all lie in the first half of the time is 2^-1000.
    @Test func clientsReconnectOverATimeThatFitsTheLargestNumberOfStreams() throws {
        #expect((500..<1_000).contains(try longestDelay()))
        for _ in 0..<10_000 { hub.countStreams(1) }
        #expect((2_500..<5_000).contains(try longestDelay()))
        // While streams end, the peak number of streams counts.
        for _ in 0..<10_000 { hub.countStreams(-1) }
        #expect((2_500..<5_000).contains(try longestDelay()))
        for _ in 0..<100_000 { hub.countStreams(1) }
        #expect((15_000..<30_000).contains(try longestDelay()))
    }
}
