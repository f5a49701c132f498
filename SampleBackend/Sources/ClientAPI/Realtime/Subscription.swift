import NIOCore
import Rendering

/// A user whose client is told when the user's document changes: through a stream, or by a long
/// poll.
///
/// It belongs to one event loop, and is in the list of ``project`` while it is open.
class Subscription {
    let request: StreamRequest

    /// The list that contains it while it is open.
    let project: ProjectStreams

    /// Index in the list of ``project``.
    final var place = 0

    /// The last pass of ``project`` that reached the subscription.
    final var pass = 0

    /// The basis of the client's document in that pass.
    final var basis: DocumentBasis

    /// Number of `update` and `reset` events that the client was sent, by which it notices a lost one.
    final var eventCount = 0

    /// True while the changes since the client's last version are being determined, which will
    /// include those that come meanwhile.
    final var isCatchingUp = false

    /// Creates a subscription that is not in the list yet.
    init(_ request: StreamRequest, project: ProjectStreams) {
        self.request = request
        self.project = project
        basis = project.published.basis(for: request.targetingContext)
    }

    var isClosed: Bool { true }

    /// The newest version that the client has.
    var deliveredVersion: Int { 0 }

    /// The stream whose life the subscription represents; nil for a long poll, and for all users of
    /// a stream but one.
    var ledStream: EventStream? { nil }

    /// Tells the client of a change, and returns the bytes that this takes.
    func tell(_ event: StreamEvent) -> Int { 0 }

    /// Records that the client needs nothing more for a version; call it after ``tell(_:)``.
    func advance(to version: Int) {}

    /// Ends it because the server is shutting down.
    func endForShutdown() {}
}

@available(*, unavailable)
extension Subscription: Sendable {}
