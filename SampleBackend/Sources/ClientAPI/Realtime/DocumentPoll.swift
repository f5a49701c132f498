import Foundation
import HTTPServing
import HTTPTypes
import NIOCore
import Rendering
import TemplateStore
import Templates

/// A request for a document that waits until the document changes (PROTOCOL 2, long polling).
///
/// It is in the same list as streams and is notified of a publish in the same way.
final class DocumentPoll: Subscription, TimedWait, WaitingRequest {
    private let poll: PollRequest
    private let clock: PollClock
    private let hub: RealtimeHub
    private let deadline: NIODeadline

    /// The completion of the request; nil once the wait is over.
    private var completion: WaitOpening.Completion?

    /// The reserved place; released when the wait ends.
    private var streamPlace: StreamPlace?

    var clockEntry: PollClock.Entry?

    private var version: Int

    /// Creates a poll that does not wait yet.
    init(
        _ poll: PollRequest, place: StreamPlace, project: ProjectStreams, clock: PollClock,
        hub: RealtimeHub, completion: @escaping WaitOpening.Completion
    ) {
        self.poll = poll
        self.clock = clock
        self.hub = hub
        self.completion = completion
        streamPlace = place
        deadline = .now() + poll.duration
        version = poll.identity.version
        super.init(StreamRequest(document: poll.document, format: .poll), project: project)
    }

    override var isClosed: Bool { completion == nil }
    override var deliveredVersion: Int { version }

    /// Starts to wait, unless the document has changed since the request was checked.
    ///
    /// The poll is added to the list before the document is compared, so no publish is missed: a
    /// later publish finds the poll in the list, and the comparison detects an earlier one.
    func begin() {
        project.add(self)
        clock.add(self, until: deadline)
        let current = try? poll.answers.identity(of: poll.document)
        if current?.entityTag != poll.identity.entityTag { respond() }
    }

    /// Responds when the client does not have the user's current document.
    override func tell(_ event: StreamEvent) -> Int {
        let published = project.published
        let userID = poll.document.userID
        guard published.compiled.admits(userID: userID) else {
            respond()
            return 0
        }
        let document = published.rendered(for: basis, userID: userID).document
        // The thread may have been behind the library when the poll started.
        guard poll.answers.identity(of: document).entityTag != poll.identity.entityTag else {
            return 0
        }
        respond(.success(poll.answers.answer(document, to: poll.document)))
        hub.usage.recordDelivery(
            to: UsedApp(poll.document.signals), inProject: poll.document.project,
            version: published.compiled.version.number)
        if let publication = event.publication {
            hub.metrics.recordDelivery(since: publication)
        }
        return document.jsonBytes.readableBytes
    }

    override func advance(to version: Int) {
        self.version = version
    }

    override func endForShutdown() {
        end(for: .shutdown)
    }

    /// Responds as to an ordinary request, which no longer finds the project.
    func endForDeletion() { respond() }

    func end(for reason: WaitEnd) {
        switch reason {
        case .inputClosed: respond()
        case .shutdown: respond(poll.ordinaryAnswer.asking(againAfter: hub.pollDelay()))
        }
    }

    /// Responds as to an ordinary request, or refuses an expired token.
    func timeIsOver() {
        if let tokenEnd = poll.tokenEnd, tokenEnd <= Date() {
            respond(.failure(ClientAccess.expiredToken))
        } else {
            respond()
        }
    }

    func cancel() {
        completion = nil
        leave()
    }

    private func respond() {
        respond(poll.ordinaryAnswer)
    }

    private func respond(_ result: Result<RouteResponse, RequestError>) {
        guard let completion else { return }
        self.completion = nil
        leave()
        completion(poll.response(result))
    }

    private func leave() {
        streamPlace = nil
        clock.remove(self)
        project.remove(self)
    }
}
