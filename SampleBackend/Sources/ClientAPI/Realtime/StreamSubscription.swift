import Foundation
import NIOCore
import Rendering
import Templates

/// A user of a stream.
final class StreamSubscription: Subscription {
    /// The stream, which retains its subscriptions until it is closed.
    let stream: EventStream

    private let isLeading: Bool

    /// The newest version whose events are written, or that leaves the client's document unchanged.
    private(set) var writtenVersion: Int

    /// True until the socket has accepted the events of ``writtenVersion``.
    var isUnsettled = false

    /// True when the user's events did not fit and are replaced with a `reset`.
    var needsReset = false

    private var settledVersion: Int

    /// The version floor with which the client was compared last, or was told to fetch its document.
    var versionFloor: Int

    private var namedUnknownVersion: Int?

    /// Creates a subscription; exactly one of each stream is the leading one.
    init(
        _ request: StreamRequest, stream: EventStream, project: ProjectStreams, isLeading: Bool
    ) {
        self.stream = stream
        self.isLeading = isLeading
        writtenVersion = project.published.compiled.version.number
        settledVersion = writtenVersion
        versionFloor = project.hub.library.versionFloor
        super.init(request, project: project)
    }

    override var isClosed: Bool { stream.isClosed }
    override var deliveredVersion: Int { settledVersion }
    override var unknownVersion: Int? {
        get { namedUnknownVersion.flatMap { $0 > settledVersion ? $0 : nil } }
        set { namedUnknownVersion = newValue }
    }
    override var ledStream: EventStream? { isLeading ? stream : nil }

    override func tell(_ event: StreamEvent) -> Int {
        let event = request.namesUser ? event.naming(request.document.userID) : event
        stream.send(event, for: self)
        return event.size
    }

    override func advance(to version: Int) {
        writtenVersion = version
        stream.settle(self)
    }

    override func endForShutdown() {
        ledStream?.endForShutdown()
    }

    /// Records that the socket has accepted everything that was written.
    func settle() {
        isUnsettled = false
        settledVersion = writtenVersion
    }
}
