import Foundation
import Testing

@testable import ActiveConfig

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct WaitingEventsTests {
    private static let read = ConfigurationEvent.Kind.read(
        SettingRead(SettingPath("Home", "title"), "1", from: .stored))

    private func element(
        _ kind: ConfigurationEvent.Kind, _ userID: String = "1"
    ) -> WaitingEvents.Element {
        WaitingEvents.Element(
            event: ConfigurationEvent(kind, userID: userID, document: nil, time: .now),
            numbers: 1...1)
    }

    /// During continuous events, at least one is always queued.
    @Test func itsMemoryIsBoundedByTheQueuedEvents() {
        var waiting = WaitingEvents()
        for kind in [Self.read, .active] { _ = waiting.add(element(kind)) }
        for number in 0..<10_000 {
            _ = waiting.add(element(number.isMultiple(of: 2) ? Self.read : .active))
            _ = waiting.removeFirst()
        }
        #expect(!waiting.isEmpty)
        #expect(waiting.capacity < 64)
    }

    @Test func theOldestReadsAreLeftOutFirstAndForgettingsNever() {
        var waiting = WaitingEvents()
        for userID in ["a", "b"] { _ = waiting.add(element(Self.read, userID)) }
        for number in 2..<WaitingEvents.maximumCount {
            #expect(waiting.add(element(.active, "\(number)")) == nil)
        }
        #expect(waiting.add(element(.active, "new"))?.event.userID == "a")
        #expect(waiting.add(element(Self.read, "c"))?.event.userID == "b")
        #expect(waiting.add(element(.forgotten, "gone")) == nil)
        #expect(waiting.add(element(.active, "newer"))?.event.userID == "c")
        // Without queued reads, the oldest event is dropped.
        #expect(waiting.add(element(.active, "newest"))?.event.userID == "2")
        #expect(waiting.removeFirst()?.event.userID == "gone")
        #expect(waiting.removeFirst()?.event.userID == "3")
    }

    @Test func eventsOfAllKindsComeInTheirOrder() {
        var waiting = WaitingEvents()
        for number in 0..<100 {
            _ = waiting.add(
                element(number.isMultiple(of: 3) ? Self.read : .active, "\(number % 50)"))
        }
        #expect(waiting.removeAll(of: UserID("7")).count == 2)
        var order: [String?] = []
        while let next = waiting.removeFirst() { order.append(next.event.userID) }
        #expect(order == (0..<100).map { "\($0 % 50)" }.filter { $0 != "7" })
        #expect(waiting.isEmpty)
    }
}
