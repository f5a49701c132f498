import ActiveConfigEventStream
import Testing

/// Limits on the memory and the time that a stream may use.
struct EventStreamLimitsTests {
    /// Appends pieces until the parser fails, and returns the events parsed before the failure.
    private static func eventsBeforeFailure(
        _ pieces: [String], maximumBytes: Int
    ) -> (count: Int, failure: EventStreamError?) {
        var parser = EventStreamParser(maximumBytes: maximumBytes)
        var count = 0
        do throws(EventStreamError) {
            for piece in pieces {
                parser.append(Array(piece.utf8))
                while try parser.next() != nil { count += 1 }
            }
            return (count, nil)
        } catch {
            return (count, error)
        }
    }

    @Test(
        arguments: [
            ("data: 45678\n\n", nil), ("data: 456789\n\n", .lineTooLong(maximumBytes: 11)),
            (":2345678901\n\n", nil), (":23456789012", .lineTooLong(maximumBytes: 11)),
            ("data: 1234\ndata: 123456\n\n", .lineTooLong(maximumBytes: 11)),
            ("data:12345\ndata:12345\n\n", nil),
            ("data:12345\ndata:123456\n\n", .dataTooLong(maximumBytes: 11)),
            (String(repeating: "data\n", count: 12) + "\n", nil),
            (String(repeating: "data\n", count: 13) + "\n", .dataTooLong(maximumBytes: 11)),
            (String(repeating: "id: 1\n:\n", count: 100) + "data: x\n\n", nil),
        ] as [(String, EventStreamError?)])
    func linesAndDataAreLimitedHoweverTheyArrive(text: String, failure: EventStreamError?) {
        let stream = "data: x\n\n" + text
        let whole = Self.eventsBeforeFailure([stream], maximumBytes: 11)
        let bytewise = Self.eventsBeforeFailure(
            stream.unicodeScalars.map { String($0) }, maximumBytes: 11)
        #expect(whole.failure == failure)
        #expect(bytewise.failure == failure)
        #expect(whole.count == bytewise.count)
        #expect(whole.count >= 1)
    }

    @Test func aParserThatFailedStaysSo() throws {
        var parser = EventStreamParser(maximumBytes: 4)
        parser.append(Array("12345".utf8))
        for _ in 0..<2 {
            #expect(throws: EventStreamError.lineTooLong(maximumBytes: 4)) { try parser.next() }
            parser.append(Array("\n\ndata\n\n".utf8))
        }
    }

    /// Would take minutes if each piece searched or copied the line from its start.
    @Test(.timeLimit(.minutes(2)))
    func aLongLineInSmallPiecesIsSearchedOnce() throws {
        let (piece, count) = ([UInt8](repeating: UInt8(ascii: "x"), count: 16), 100_000)
        var parser = EventStreamParser(maximumBytes: 8 << 20)
        parser.append(Array("data: ".utf8))
        for _ in 0..<count {
            parser.append(piece)
            #expect(try parser.next() == nil)
        }
        parser.append(Array("\n\n".utf8))
        guard case .event(let event)? = try parser.next() else {
            Issue.record("no event")
            return
        }
        #expect(event.data.count == 16 * count)
    }

    /// Would take minutes if each line copied the lines before it.
    @Test(.timeLimit(.minutes(2)))
    func manyLinesOfDataAreCopiedOnce() throws {
        let count = 200_000
        var parser = EventStreamParser(maximumBytes: 8 << 20)
        for _ in 0..<count {
            parser.append(Array("data: 0123456789\n".utf8))
            #expect(try parser.next() == nil)
        }
        parser.append(Array("\n".utf8))
        guard case .event(let event)? = try parser.next() else {
            Issue.record("no event")
            return
        }
        #expect(event.data.count == 11 * count - 1)
    }

    /// If each piece ends in the middle of a line, the parser's buffer is never empty.
    @Test func memoryIsBoundedWhenPiecesNeverEndWithALine() throws {
        var parser = EventStreamParser(maximumBytes: 1 << 10)
        parser.append(Array("data: 1".utf8))
        var largest = 0
        for _ in 0..<10_000 {
            parser.append(Array("\n\ndata: 1".utf8))
            while case .event(let event)? = try parser.next() {
                largest = max(largest, event.data.capacity)
            }
        }
        #expect(largest <= 1 << 10, "\(largest)")
    }
}
