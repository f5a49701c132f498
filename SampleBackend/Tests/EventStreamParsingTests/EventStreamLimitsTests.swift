import EventStreamParsing
import NIOCore
import Testing

/// The memory and the time that a stream may cost.
struct EventStreamLimitsTests {
    /// Appends pieces until the parser fails, and returns the events before.
    private static func eventsBeforeFailure(
        _ pieces: [String], maximumBytes: Int
    ) -> (count: Int, failure: EventStreamError?) {
        var parser = EventStreamParser(maximumBytes: maximumBytes)
        var count = 0
        do throws(EventStreamError) {
            for piece in pieces {
                parser.append(ByteBuffer(string: piece))
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
        parser.append(ByteBuffer(string: "12345"))
        for _ in 0..<2 {
            #expect(throws: EventStreamError.lineTooLong(maximumBytes: 4)) { try parser.next() }
            parser.append(ByteBuffer(string: "\n\ndata\n\n"))
        }
    }

    /// Takes minutes when each piece searches or copies the line from its start.
    @Test(.timeLimit(.minutes(1)))
    func aLongLineInSmallPiecesIsSearchedOnce() throws {
        let (piece, count) = (ByteBuffer(repeating: UInt8(ascii: "x"), count: 16), 100_000)
        var parser = EventStreamParser(maximumBytes: 8 << 20)
        parser.append(ByteBuffer(string: "data: "))
        for _ in 0..<count {
            parser.append(piece)
            #expect(try parser.next() == nil)
        }
        parser.append(ByteBuffer(string: "\n\n"))
        guard case .event(let event)? = try parser.next() else {
            Issue.record("no event")
            return
        }
        #expect(event.data.readableBytes == 16 * count)
    }

    /// Takes minutes when each line copies those before.
    @Test(.timeLimit(.minutes(1)))
    func manyLinesOfDataAreCopiedOnce() throws {
        let count = 200_000
        var parser = EventStreamParser(maximumBytes: 8 << 20)
        for _ in 0..<count {
            parser.append(ByteBuffer(string: "data: 0123456789\n"))
            #expect(try parser.next() == nil)
        }
        parser.append(ByteBuffer(string: "\n"))
        guard case .event(let event)? = try parser.next() else {
            Issue.record("no event")
            return
        }
        #expect(event.data.readableBytes == 11 * count - 1)
    }

    /// A stream of which each piece ends in the middle of a line never comes to an empty buffer.
    @Test func memoryIsBoundedWhenPiecesNeverEndWithALine() throws {
        var parser = EventStreamParser(maximumBytes: 1 << 10)
        parser.append(ByteBuffer(string: "data: 1"))
        var largest = 0
        for _ in 0..<10_000 {
            parser.append(ByteBuffer(string: "\n\ndata: 1"))
            while case .event(let event)? = try parser.next() {
                largest = max(largest, event.data.storageCapacity)
            }
        }
        #expect(largest <= 1 << 10, "\(largest)")
    }

    @Test func aSingleLineOfDataSharesTheBytesThatWereRead() throws {
        let text = "data: " + String(repeating: "x", count: 1_000)
        let bytes = ByteBuffer(string: text + String(repeating: "\n", count: 10_000))
        var parser = EventStreamParser(maximumBytes: 1 << 20)
        parser.append(bytes)
        guard case .event(let event)? = try parser.next() else {
            Issue.record("no event")
            return
        }
        #expect(event.data.storageCapacity == bytes.storageCapacity)
    }
}
