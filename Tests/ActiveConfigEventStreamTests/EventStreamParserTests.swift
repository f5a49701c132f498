import ActiveConfigEventStream
import Foundation
import Testing

/// Parsing of `text/event-stream` as specified by HTML (9.2.6).
struct EventStreamParserTests {
    typealias Element = EventStreamParser.Element

    private static let lineEnds = ["\n", "\r", "\r\n"]

    /// Parses a stream that arrives in pieces.
    private static func elements(
        of pieces: [some Collection<UInt8>], maximumBytes: Int = 1 << 20
    ) throws -> [Element] {
        var parser = EventStreamParser(maximumBytes: maximumBytes)
        var elements: [Element] = []
        for piece in pieces {
            parser.append(piece)
            while let element = try parser.next() { elements.append(element) }
        }
        return elements
    }

    private static func elements(of text: String) throws -> [Element] {
        try elements(of: [Array(text.utf8)])
    }

    private static func event(
        _ data: String, name: String = "message", id: String? = nil
    ) -> Element {
        .event(.init(name: name, id: id, data: Array(data.utf8)))
    }

    private static func comment(_ text: String) -> Element {
        .comment(text)
    }

    /// A stream that uses every feature; its lines end with line feeds.
    private static let text = """
        \u{FEFF}: a comment
        event: hello
        id: 7
        retry: 2000
        data: {"a":
        data:1}

        data: é

        :

        id: 8

        event: update
        data: x:y

        event: broken
        data: z

        """

    private static let expected = [
        comment(" a comment"), .retry(milliseconds: 2_000),
        event("{\"a\":\n1}", name: "hello", id: "7"), event("é", id: "7"), comment(""),
        event("x:y", name: "update", id: "8"),
    ]

    @Test(arguments: lineEnds)
    func theParserReadsPiecesOfEverySize(lineEnd: String) throws {
        let bytes = Array(Self.text.replacing("\n", with: lineEnd).utf8)
        for size in 1...bytes.count {
            let pieces = stride(from: 0, to: bytes.count, by: size).map {
                bytes[$0..<min($0 + size, bytes.count)]
            }
            #expect(try Self.elements(of: pieces) == Self.expected, "\(size)")
        }
    }

    @Test(arguments: lineEnds)
    func theParserReadsAStreamCutAtEveryByte(lineEnd: String) throws {
        let bytes = Array(Self.text.replacing("\n", with: lineEnd).utf8)
        for cut in 0...bytes.count {
            let pieces = [bytes[..<cut], [], bytes[cut...]]
            #expect(try Self.elements(of: pieces) == Self.expected, "\(cut)")
        }
    }

    @Test func theParserReturnsAnEventAsSoonAsItsLastLineEnds() throws {
        var parser = EventStreamParser(maximumBytes: 100)
        for (piece, expected) in [
            ("data: 1\r", nil), ("\n", nil), ("\r", Self.event("1")), ("\n", nil),
            ("data: 2\n", nil), ("\r", Self.event("2")), ("data: 3\r\r", Self.event("3")),
            ("\n\ndata: 4\n\n", Self.event("4")),
        ] as [(String, Element?)] {
            parser.append(piece.utf8)
            #expect(try parser.next() == expected, "\(piece.debugDescription)")
            #expect(try parser.next() == nil)
        }
    }

    @Test func lineEndsOfAllKindsMayBeMixed() throws {
        #expect(
            try Self.elements(of: "data: 1\rdata: 2\r\ndata: 3\n\rdata: 4\r\n\r\n\n\r")
                == [Self.event("1\n2\n3"), Self.event("4")])
    }

    @Test(arguments: [
        ("data: 1", "1"), ("data:1", "1"), ("data:  1", " 1"), ("data:1 ", "1 "),
        ("data", ""), ("data:", ""), ("data: ", ""), ("data\ndata", "\n"),
        ("data: a\ndata:\ndata: b", "a\n\nb"), ("data::x", ":x"), ("data: 1\n:\ndata: 2", "1\n2"),
        ("data: 1\n data: 2\nDATA: 3\ndata : 4\nunknown: 5\nunknown", "1"),
        ("data: \u{FEFF}1", "\u{FEFF}1"),
    ])
    func theParserJoinsLinesOfData(lines: String, data: String) throws {
        let elements = try Self.elements(of: lines + "\n\n")
        #expect(elements.filter { $0 != Self.comment("") } == [Self.event(data)])
    }

    @Test func eventsWithoutDataAreNotDispatched() throws {
        #expect(
            try Self.elements(of: "event: a\n\nevent: b\nid: 1\n\ndata: x\n\n")
                == [Self.event("x", id: "1")])
    }

    @Test func theLastNameOfAnEventCounts() throws {
        #expect(
            try Self.elements(of: "event: a\nevent: b\ndata: 1\n\nevent: c\nevent\ndata: 2\n\n")
                == [Self.event("1", name: "b"), Self.event("2")])
    }

    @Test func idsStayUntilTheNext() throws {
        #expect(
            try Self.elements(
                of: "data: 1\n\nid: a\ndata: 2\n\ndata: 3\n\nid: b\0\ndata: 4\n\nid\ndata: 5\n\n")
                == [
                    Self.event("1"), Self.event("2", id: "a"), Self.event("3", id: "a"),
                    Self.event("4", id: "a"), Self.event("5", id: ""),
                ])
    }

    @Test(
        arguments: [
            ("0", 0), ("15", 15), ("007", 7), ("+15", nil), ("-15", nil), ("", nil), ("1.5", nil),
            (" 1", nil), ("1 ", nil), ("１", nil), ("99999999999999999999", nil),
        ] as [(String, Int?)])
    func aRetryTimeConsistsOfDigits(value: String, milliseconds: Int?) throws {
        #expect(
            try Self.elements(of: "retry: \(value)\n")
                == (milliseconds.map { [.retry(milliseconds: $0)] } ?? []))
    }

    @Test func onlyTheFirstByteOrderMarkIsSkipped() throws {
        #expect(
            try Self.elements(of: "\u{FEFF}\u{FEFF}data: 1\n\ndata: 2\n\n\u{FEFF}data: 3\n\n")
                == [Self.event("2")])
        #expect(try Self.elements(of: "\u{FEFF}\n\u{FEFF}data: 1\n\n") == [])
    }

    @Test func invalidUTF8IsReplacedInNamesAndKeptInData() throws {
        let bytes = Array("event: ".utf8) + [0xFF] + Array("\ndata: ".utf8) + [0xFF, 10, 10]
        #expect(
            try Self.elements(of: [bytes])
                == [.event(.init(name: "\u{FFFD}", data: [0xFF]))])
    }
}
