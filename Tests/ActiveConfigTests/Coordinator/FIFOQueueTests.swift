import Testing

@testable import ActiveConfig

struct FIFOQueueTests {
    private final class Element: Sendable {}

    /// Waves of additions and removals, between which the queue is empty or not.
    @Test func elementsLeaveInTheirOrder() {
        var (queue, expected, number) = (FIFOQueue<Int>(), [Int](), 0)
        for wave in 0..<100 {
            for _ in 0..<(wave * 7 % 23) {
                queue.append(number)
                expected.append(number)
                number += 1
            }
            for _ in 0..<(wave * 5 % 19) {
                #expect(queue.first == expected.first)
                #expect(queue.popFirst() == (expected.isEmpty ? nil : expected.removeFirst()))
            }
        }
        while let element = queue.popFirst() { #expect(element == expected.removeFirst()) }
        #expect(expected.isEmpty && queue.first == nil)
    }

    @Test func aQueueKeepsNoElementThatHasLeft() {
        var queue = FIFOQueue<Element>()
        for _ in 0..<10 { queue.append(Element()) }
        weak var taken: Element?
        do {
            let first = queue.popFirst()
            taken = first
            withExtendedLifetime(first) {}
        }
        #expect(taken == nil && queue.first != nil)
    }
}
