import NIOCore
import NIOHTTP1

/// What a client has sent ahead, in order, while a request before it is answered.
///
/// One read makes a few hundred parts at most, after which the socket is not read. Only when a
/// client closes its sending side does NIO read all that is left; what is over the limits then is
/// dropped, so that the connection ends after the answers before.
struct PendingInput {
    /// Something that the connection reads.
    enum Element {
        /// A part of a request.
        case part(HTTPServerRequestPart)
        /// What is no HTTP.
        case garbage(RequestError)
        /// The client sends nothing more.
        case end
    }

    /// The most parts: a read of encrypted bytes has at most 16 KiB, a request at least 25 bytes.
    private static let maximumCount = 2_048

    /// The most bytes of heads and bodies together.
    private static let maximumBytes = 1 << 20

    /// About what a part takes besides its text.
    private static let partBytes = 128

    private var elements: [Element] = []

    /// The index of the oldest.
    private var start = 0

    /// About the bytes that it takes.
    private(set) var bytes = 0

    /// Whether the client sends nothing more.
    private(set) var isEnded = false

    /// Whether nothing waits.
    var isEmpty: Bool { elements.isEmpty }

    /// Keeps something.
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

    /// Takes the oldest.
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
        case .part(.head(let head)):
            head.headers.reduce(partBytes + head.uri.utf8.count) {
                $0 + $1.name.utf8.count + $1.value.utf8.count
            }
        case .part(.end), .garbage, .end: partBytes
        }
    }
}
