import ActiveConfigEventStream
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

/// Parsing of a stream's bytes into events, however the bytes are split.
struct EventReaderTests {
    private static let text =
        "event: hello\nid: 7\nretry: 2000\ndata: {}\n\n: heartbeat\n\nid: 8\ndata: a\ndata: é\n\nx: y\n"
    private static let elements: [EventStreamParser.Element] = [
        .retry(milliseconds: 2_000), .event(ServerEvent(name: "hello", id: "7", data: [123, 125])),
        .comment(" heartbeat"), .event(ServerEvent(id: "8", data: Array("a\né".utf8))),
    ]

    /// All events of the pieces of the text.
    private static func events(
        of pieces: [ArraySlice<UInt8>], limits: ConfigurationLimits = .default
    ) async throws -> [ActiveConfigEvent] {
        let reader = EventReader(limits)
        let rest = Locked(pieces[...])
        var events: [ActiveConfigEvent] = []
        while let event = try await reader.next(of: {
            rest.withLock { $0.popFirst() }.map(Array.init)
        }) {
            events.append(event)
        }
        return events
    }

    @Test func aStreamThatIsCutAnywhereHasTheSameEventsAndSize() async throws {
        let bytes = Array(Self.text.utf8)
        for place in 0...bytes.count {
            let pieces = [bytes[..<place], bytes[place...]].filter { !$0.isEmpty }
            let events = try await Self.events(of: pieces)
            #expect(events.compactMap(\.element) == Self.elements)
            #expect(events.reduce(0) { $0 + $1.byteCount } == bytes.count)
        }
    }

    @Test func eachByteThatArrivesGivesAnEvent() async throws {
        let bytes = Array(Self.text.utf8)
        let events = try await Self.events(of: bytes.indices.map { bytes[$0...$0] })
        #expect(events.compactMap(\.element) == Self.elements)
        #expect(events.count == bytes.count)
        #expect(events.allSatisfy { $0.byteCount == 1 })
    }

    @Test func aLineOverTheLimitIsAnError() async {
        await #expect(throws: EventStreamError.lineTooLong(maximumBytes: 4)) {
            try await Self.events(
                of: [Array("data: a".utf8)[...]], limits: ConfigurationLimits(maximumSize: 4))
        }
    }

    @Test(
        arguments: [
            (.event(ServerEvent(name: "update", id: "7", data: Array("é".utf8))), 33),
            (.comment(""), 3), (nil, 0),
        ] as [(EventStreamParser.Element?, Int)])
    func anEventWithoutASizeHasThatOfItsElement(element: EventStreamParser.Element?, size: Int) {
        #expect(ActiveConfigEvent(element).byteCount == size)
    }

    @Test func noSizeIsTooLargeToBeAdded() {
        let size = ActiveConfigEvent(nil, byteCount: .max).byteCount
        #expect(!size.addingReportingOverflow(size).overflow)
        #expect(ActiveConfigEvent(nil, byteCount: .min).byteCount == 0)
    }
}
