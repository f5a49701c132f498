import NIOCore
import Rendering

/// A user whose client is notified of changes of the user's document, by a stream or a long poll.
///
/// It belongs to one event loop and is in the list of ``project`` while it is open.
class Subscription {
    let request: StreamRequest

    /// The list that contains the subscription while it is open.
    let project: ProjectStreams

    /// Index in the list of ``project``.
    final var place = 0

    /// The last pass of ``project`` that reached the subscription.
    final var pass = 0

    /// The basis of the client's document in that pass.
    final var basis: DocumentBasis

    /// Number of `update` and `reset` events sent to the client, by which it detects lost events.
    final var eventCount = 0

    /// True while the server determines the changes since the client's last version.
    ///
    /// The result includes the versions published until then, so the stream skips their changes.
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

    /// The version that the client named and the store never made, until the client has a later one;
    /// nil for other clients.
    ///
    /// The client may ignore lower versions, so it does not have the delivered one.
    var unknownVersion: Int? {
        get { nil }
        set {}
    }

    /// The stream that this subscription represents; nil for a long poll and for all users of a
    /// stream except one.
    var ledStream: EventStream? { nil }

    /// Notifies the client of a change, and returns the size of the notification in bytes.
    func tell(_ event: StreamEvent) -> Int { 0 }

    /// Records that the client has everything for a version; call it after ``tell(_:)``.
    func advance(to version: Int) {}

    /// Ends the subscription because the server is shutting down.
    func endForShutdown() {}
}

@available(*, unavailable)
extension Subscription: Sendable {}
