import Foundation

/// libFuzzer target for the parser of event streams.
///
/// The first byte of an input determines where the rest is split.
enum EventStreamFuzzer {
    private typealias Parsed = (elements: [EventStreamParser.Element], failure: EventStreamError?)

    static func run(_ input: [UInt8]) {
        guard let first = input.first else { return }
        let text = Array(input.dropFirst())
        for maximum in [8, 64, 1 << 20] {
            let whole = parse([text], maximum)
            let cut = min(Int(first), text.count)
            require(
                equal(parse([Array(text[..<cut]), [], Array(text[cut...])], maximum), whole),
                "a split changes nothing")
            require(
                equal(parse(text.map { [$0] }, maximum), whole), "single bytes change nothing")
            for case .event(let event) in whole.elements {
                require(event.data.count <= maximum, "the data is within the limit")
                require(!event.name.isEmpty, "an event has a name")
            }
        }
        checkLineEnds(text)
        checkWriting(text)
    }

    /// Requires that the kind of line end makes no difference.
    private static func checkLineEnds(_ text: [UInt8]) {
        guard !text.contains(0x0D) else { return }
        let whole = parse([text], 1 << 20)
        for end in [[0x0D], [0x0D, 0x0A]] as [[UInt8]] {
            let other = text.flatMap { $0 == 0x0A ? end : [$0] }
            require(equal(parse([other], 1 << 20), whole), "line ends are equivalent")
        }
    }

    /// Requires that parsed events survive being written and parsed again.
    private static func checkWriting(_ text: [UInt8]) {
        let whole = parse([text], 1 << 20)
        var written: [UInt8] = []
        for case .event(let event) in whole.elements {
            if let id = event.id { written += Array("id: \(id)\n".utf8) }
            written += Array("event: \(event.name)\n".utf8)
            for line in event.data.split(separator: 0x0A, omittingEmptySubsequences: false) {
                written += Array("data: ".utf8) + line + [0x0A]
            }
            written.append(0x0A)
        }
        let events = whole.elements.filter {
            if case .event = $0 { return true }
            return false
        }
        require(parse([written], 1 << 20).elements == events, "events survive being written")
    }

    private static func parse(_ pieces: [[UInt8]], _ maximumBytes: Int) -> Parsed {
        var parser = EventStreamParser(maximumBytes: maximumBytes)
        var elements: [EventStreamParser.Element] = []
        do throws(EventStreamError) {
            for piece in pieces {
                parser.append(piece)
                while let element = try parser.next() { elements.append(element) }
            }
            return (elements, nil)
        } catch {
            return (elements, error)
        }
    }

    private static func equal(_ left: Parsed, _ right: Parsed) -> Bool {
        left.elements == right.elements && left.failure == right.failure
    }

    private static func require(_ holds: Bool, _ property: StaticString) {
        if holds { return }
        FileHandle.standardError.write(Data("does not hold: \(property)\n".utf8))
        abort()
    }
}

/// Entry point that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    EventStreamFuzzer.run(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
