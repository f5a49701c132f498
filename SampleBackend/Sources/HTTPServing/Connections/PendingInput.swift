import NIOCore
import NIOHTTP1

/// A queue for the input that a client sends while an earlier request is being answered.
///
/// One read yields at most a few hundred parts, and the socket is not read again until they are
/// processed. When a client closes its sending side, however, NIO reads all remaining bytes. Parts
/// over the limits are then dropped, and the connection ends after the answers to the parts before
/// them.
struct PendingInput {
    enum Element {
        case part(HTTPServerRequestPart)
        /// Malformed HTTP, or a head that exceeds its limits.
        case garbage(RequestError)
        /// The client has closed its sending side.
        case end
    }

    /// Maximum number of parts.
    ///
    /// A TLS read yields at most 16 KiB, and a request has at least 25 bytes.
    private static let maximumCount = 2_048

    /// Maximum total bytes of heads and bodies.
    private static let maximumBytes = 1 << 20

    /// Approximate memory of a part without its text, in bytes.
    private static let partBytes = 128

    private var elements: [Element] = []

    /// Index of the oldest element.
    private var start = 0

    /// Approximate memory of the queue, in bytes.
    private(set) var bytes = 0

    /// True once the client has closed its sending side or parts were dropped; later elements are
    /// ignored.
    private(set) var isEnded = false

    var isEmpty: Bool { elements.isEmpty }

    /// Appends an element, or the end of the input when a limit is exceeded.
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
    /// Approximate memory of the request line and the header fields, in bytes.
    var approximateBytes: Int {
        headers.reduce(uri.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
}
