import HTTPServing
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import Rendering
import Targeting

/// Requests of services that wait for a change of a template or its pinned values (PROTOCOL 2, long
/// polling).
final class EvaluationPolls: Sendable {
    private typealias Polls = [Int: NIOLoopBound<EvaluationPoll>]

    private struct State: Sendable {
        var polls: [String: Polls] = [:]  // names: names of projects are ASCII
        var lastNumber = 0
    }

    private let state = NIOLockedValueBox(State())
    private let hub: RealtimeHub
    private let source: EvaluationSource
    private let isAllowed: @Sendable (PollRequest) -> Bool

    /// Observes the library of a hub; `isAllowed` is false once the credentials of a request have
    /// expired or been revoked.
    init(
        hub: RealtimeHub, source: EvaluationSource,
        isAllowed: @escaping @Sendable (PollRequest) -> Bool
    ) {
        self.hub = hub
        self.source = source
        self.isAllowed = isAllowed
        hub.library.observe { [weak self] in self?.forward($0) }
    }

    private func forward(_ change: LibraryChange) {
        let waiting: [String: Polls] = state.withLockedValue { state in  // names: as above
            switch change {
            case .project(let name), .deletion(let name), .overrides(let name, _, _):
                state.polls[name].map { [name: $0] } ?? [:]
            case .everything: state.polls
            case .versionFloor: [:]
            }
        }
        for (name, polls) in waiting {
            // Written here, not by an event loop.
            _ = try? source.document(inProject: name, forUserID: nil, signals: Signals())
            for poll in polls.values { poll.eventLoop.execute { poll.value.check() } }
        }
    }

    fileprivate func add(_ poll: EvaluationPoll, eventLoop: any EventLoop) -> Int {
        state.withLockedValue { state in
            state.lastNumber += 1
            state.polls[poll.project, default: [:]][state.lastNumber] = NIOLoopBound(
                poll, eventLoop: eventLoop)
            return state.lastNumber
        }
    }

    fileprivate func remove(_ number: Int, project: String) {
        state.withLockedValue { state in
            state.polls[project]?[number] = nil
            if state.polls[project]?.isEmpty == true { state.polls[project] = nil }
        }
    }

    fileprivate func isAllowed(_ poll: PollRequest) -> Bool { isAllowed(poll) }

    fileprivate func pollDelay() -> Int { hub.pollDelay() }
}

extension EvaluationPolls: DocumentWaiting {
    func answer(
        _ poll: PollRequest, from address: ClientAddress?
    ) throws(RequestError) -> Answer {
        let place = try hub.places.take(address)
        return .waiting(
            WaitOpening { eventLoop, completion in
                let waiting = EvaluationPoll(
                    poll, place: place, polls: self, completion: completion)
                waiting.begin(on: eventLoop)
                return waiting.isClosed ? nil : waiting
            })
    }

    func isBehind(_ seenVersion: SeenVersion, inProject project: String) -> Bool {
        hub.isBehind(seenVersion, inProject: project)
    }

    func catchUp(
        beforeRefusing error: RequestError, project: String
    ) -> (@Sendable () async throws(RequestError) -> Void)? {
        hub.catchUp(beforeRefusing: error, project: project)
    }

    func answer(
        after seenVersion: SeenVersion, inProject project: String, from address: ClientAddress?,
        on threads: WorkThreads?,
        _ handler: @escaping @Sendable (_ isUnknown: Bool) async throws(RequestError) -> Answer
    ) throws(RequestError) -> Answer {
        try hub.answer(after: seenVersion, inProject: project, from: address, on: threads, handler)
    }
}

/// A waiting request, on the event loop of its connection.
private final class EvaluationPoll: WaitingRequest {
    private let poll: PollRequest
    private let polls: EvaluationPolls

    /// The completion of the request; nil once the wait is over.
    private var completion: WaitOpening.Completion?

    /// The reserved place; released when the wait ends.
    private var place: StreamPlace?
    private var number: Int?
    private var timer: Scheduled<Void>?

    var project: String { poll.document.project }
    var isClosed: Bool { completion == nil }

    init(
        _ poll: PollRequest, place: StreamPlace, polls: EvaluationPolls,
        completion: @escaping WaitOpening.Completion
    ) {
        self.poll = poll
        self.polls = polls
        self.place = place
        self.completion = completion
    }

    /// Starts to wait; a change before is found by the check after the poll was added.
    func begin(on eventLoop: any EventLoop) {
        number = polls.add(self, eventLoop: eventLoop)
        timer = eventLoop.assumeIsolated().scheduleTask(in: poll.duration) {
            [weak self] () -> Void in self?.respond()
        }
        check()
    }

    /// Responds when the client does not have the current document, or may not have it any more.
    func check() {
        guard !isClosed else { return }
        let current = try? poll.answers.identity(of: poll.document)
        if current?.entityTag != poll.identity.entityTag { respond() }
    }

    func end(for reason: WaitEnd) {
        switch reason {
        case .inputClosed: respond()
        case .shutdown:
            respond(
                answer.map { response in
                    var response = response
                    if response.status == .notModified {
                        response.headerFields[.retryAfter] = "\(polls.pollDelay())"
                    }
                    return response
                })
        }
    }

    func cancel() {
        completion = nil
        leave()
    }

    private var answer: Result<RouteResponse, RequestError> {
        polls.isAllowed(poll)
            ? poll.ordinaryAnswer
            : .failure(
                .unauthenticated("The token has expired or was revoked: send a valid one."))
    }

    private func respond() { respond(answer) }

    private func respond(_ result: Result<RouteResponse, RequestError>) {
        guard let completion else { return }
        self.completion = nil
        leave()
        completion(
            result.map { response in
                var response = response
                if let name = HTTPField.Name("Preference-Applied") {
                    response.headerFields[name] = poll.preference.applied
                }
                return response
            })
    }

    private func leave() {
        place = nil
        timer?.cancel()
        timer = nil
        if let number { polls.remove(number, project: project) }
        number = nil
    }
}

@available(*, unavailable)
extension EvaluationPoll: Sendable {}
