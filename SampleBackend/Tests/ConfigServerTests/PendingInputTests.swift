import NIOCore
import NIOHTTP1
import Testing

@testable import HTTPServing

/// Input that arrives while an earlier request is being answered.
struct PendingInputTests {
    /// A part of a body.
    private static func body(_ count: Int) -> PendingInput.Element {
        .part(.body(ByteBuffer(repeating: 0, count: count)))
    }

    /// Removes all input; returns the number of body bytes, and whether the end was included.
    private static func drain(_ input: inout PendingInput) -> (bytes: Int, isEnded: Bool) {
        var bytes = 0
        var isEnded = false
        while let element = input.popFirst() {
            switch element {
            case .part(.body(let part)): bytes += part.readableBytes
            case .end: isEnded = true
            default: break
            }
        }
        return (bytes, isEnded)
    }

    @Test func inputWithinTheLimitsIsKept() {
        var input = PendingInput()
        for _ in 0..<10 { input.append(Self.body(100_000)) }
        #expect(!input.isEnded)
        #expect(input.bytes >= 1_000_000)
        let found = Self.drain(&input)
        #expect(found == (1_000_000, false))
        #expect(input.bytes == 0)
    }

    @Test func inputOfMoreThanAMegabyteEndsTheConnection() {
        var input = PendingInput()
        for _ in 0..<20 { input.append(Self.body(100_000)) }
        #expect(input.isEnded)
        let found = Self.drain(&input)
        #expect(found == (1_000_000, true))
    }

    @Test func inputOfTooManyPartsEndsTheConnection() {
        var input = PendingInput()
        for _ in 0..<4_000 { input.append(Self.body(1)) }
        #expect(input.isEnded)
        let found = Self.drain(&input)
        #expect(found == (2_048, true))
    }
}
