import NIOCore
import NIOHTTP1

/// A queue of the input that a client sends ahead while a request before it is answered.
///
/// One read yields a few hundred parts at most, after which the socket is not read. Only when a
/// client closes its sending side does NIO read all remaining bytes; parts over the limits are then
/// dropped, so that the connection ends after the answers before them.
struct PendingInput {
    enum Element {
        case part(HTTPServerRequestPart)
        /// Malformed HTTP, or a head over its limits.
        case garbage(RequestError)
        /// The client has closed its sending side.
        case end
    }

    /// Maximum parts: a read of encrypted bytes has at most 16 KiB, a request at least 25 bytes.
    private static let maximumCount = 2_048

    /// Maximum bytes of heads and bodies together.
    private static let maximumBytes = 1 << 20

    /// Approximate memory of a part besides its text, in bytes.
    private static let partBytes = 128

    private var elements: [Element] = []

    /// Index of the oldest element.
    private var start = 0

    /// Approximate memory of the queue.
    private(set) var bytes = 0

    /// True once the client has closed its sending side, or parts were dropped; then nothing is
    /// appended.
    private(set) var isEnded = false

    var isEmpty: Bool { elements.isEmpty }

    /// Appends an element, or the end of the input when a limit is reached.
    mutating func append(_ element: Element) {
        guard !isEnded else { return }
        bytes += Self.size(of: element)
        if elements.count >= Self.maximumCount || bytes > Self.maximumBytes {
            elements.append(.end)
        } else {
            elements.append(element)
        }
        if case .end? = elements.last { isEnded = true }
    }

    mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        let element = elements[start]
        bytes -= Self.size(of: element)
        start += 1
        if start == elements.count { self = PendingInput() }
        return element
    }

    private static func size(of element: Element) -> Int {
        switch element {
        case .part(.body(let part)): partBytes + part.readableBytes
        case .part(.head(let head)): partBytes + head.approximateBytes
        case .part(.end), .garbage, .end: partBytes
        }
    }
}

extension HTTPRequestHead {
    /// Approximate memory of the texts.
    var approximateBytes: Int {
        headers.reduce(uri.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
}
