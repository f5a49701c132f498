import ActiveConfigTesting
import Foundation

@testable import ActiveConfig
@testable import ActiveConfigRealtime

/// A connection whose answers and bytes are set by a test.
final class PreparedConnection: ActiveConfigEventConnection {
    typealias Document = @Sendable (ConfigurationState?) async throws -> DocumentAnswer

    let userID: String?
    /// The body of the stream's request; empty if it has none.
    let body: Data
    let events = StreamBuffer<Void, UInt8>(maximumSize: 1 << 20)
    private let reader = EventReader()
    private let closed = Locked(false)
    private let closing = AsyncStream.makeStream(of: Void.self)
    private let answer: Document
    private let opening: @Sendable (Data) async throws -> Void

    init(
        _ userID: String?, body: Data = Data(),
        document answer: @escaping Document = { _ in DocumentAnswer(nil) },
        opening: @escaping @Sendable (Data) async throws -> Void = { _ in }
    ) {
        self.userID = userID
        self.body = body
        self.answer = answer
        self.opening = opening
    }

    var isClosed: Bool { closed.withLock { $0 } }

    func waitUntilClosed() async { for await _ in closing.stream {} }

    func send(_ text: String) {
        _ = events.receive(text.utf8, size: text.utf8.count) { _ in DownloadError(.bodyTooLarge) }
    }

    func document(
        lastKnown: ConfigurationState?, wait: Duration?
    ) async throws -> DocumentAnswer {
        try await answer(lastKnown)
    }

    func openEvents(lastEventID: String?) async throws { try await opening(body) }
    func nextEvent() async throws -> ActiveConfigEvent? {
        try await reader.next { try await events.next() }
    }

    func close() {
        closed.withLock { $0 = true }
        closing.continuation.finish()
        events.end(.failure(CancellationError()))
    }
}

/// An event source that makes such connections.
struct PreparedSource: ActiveConfigEventSource {
    let make: @Sendable (String?) -> PreparedConnection

    func connection(forUserID userID: String?) -> any ActiveConfigEventConnection { make(userID) }
}
