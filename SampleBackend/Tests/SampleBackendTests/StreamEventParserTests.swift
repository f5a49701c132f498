import Foundation
import Testing

@testable import SampleBackend

/// Parsing the events of a stream.
@Suite struct StreamEventParserTests {
    private static let text = """
        : a comment
        event: hello
        id: 7
        retry: 2000
        data: {"a":
        data:1}

        data: é

        id: 8

        event: update\r
        data: x\r
        \r
        event: broken
        """

    @Test func findsEventsHoweverTheBytesAreCut() throws {
        let expected = [
            StreamEvent(name: "hello", id: "7", data: "{\"a\":\n1}"),
            StreamEvent(name: "message", id: "7", data: "é"),
            StreamEvent(name: "update", id: "8", data: "x"),
        ]
        let bytes = Data(Self.text.utf8)
        for size in 1...bytes.count {
            var parser = StreamEventParser()
            var events: [StreamEvent] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                events += try parser.read(Data(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            #expect(events == expected, "\(size)")
            #expect(parser.lastEventID == "8")
            #expect(parser.retry == 2_000)
        }
    }
}
