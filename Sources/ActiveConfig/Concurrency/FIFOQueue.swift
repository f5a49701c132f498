/// Elements that leave in the order in which they came, in amortized constant time.
package struct FIFOQueue<Element> {
    /// In order from `start` on; nil once taken, so that no element is kept.
    private var elements: [Element?] = []
    private var start = 0

    package init() {}

    package var first: Element? { start < elements.count ? elements[start] : nil }

    package mutating func append(_ element: Element) { elements.append(element) }

    package mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        let element = elements[start]
        elements[start] = nil
        start += 1
        if start == elements.count {
            // Gives the memory of a burst back.
            (elements, start) = ([], 0)
        } else if start > elements.count / 2 {
            // A queue that is never empty must not grow.
            elements.removeSubrange(..<start)
            start = 0
        }
        return element
    }
}

extension FIFOQueue: Sendable where Element: Sendable {}
