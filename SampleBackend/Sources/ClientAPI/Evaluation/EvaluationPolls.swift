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
        /// The projects whose document is being written; true if it changed since.
        var writing: [String: Bool] = [:]  // names: as above
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
        let waiting: [String] = state.withLockedValue { state in
            switch change {
            case .project(let name), .deletion(let name), .overrides(let name, _, _):
                state.polls[name] == nil ? [] : [name]
            case .everything: Array(state.polls.keys)
            case .versionFloor: []
            }
        }
        for name in waiting { write(name) }
    }

    /// Writes the document of a project, away from the event loops, and has the polls check it.
    ///
    /// One document of a project is written at a time; changes that arrive until it is written share
    /// the next one.
    fileprivate func write(_ project: String) {
        let isWriting = state.withLockedValue { state in
            let isWriting = state.writing[project] != nil
            state.writing[project] = isWriting
            return isWriting
        }
        guard !isWriting else { return }
        Task(executorPreference: WorkThreads.evaluation) { [self] in
            repeat {
                _ = try? source.document(inProject: project, forUserID: nil, signals: Signals())
                let polls = state.withLockedValue { $0.polls[project] ?? [:] }
                for poll in polls.values { poll.eventLoop.execute { poll.value.check() } }
                // Requests wait for the same thread, also while changes follow each other without a pause.
                await Task.yield()
            } while changedWhileWriting(project)
        }
    }

    /// Ends the writing of a project, unless it changed since the last document was begun.
    private func changedWhileWriting(_ project: String) -> Bool {
        state.withLockedValue { state in
            let hasChanged = state.writing[project] ?? false
            state.writing[project] = hasChanged ? false : nil
            return hasChanged
        }
    }

    fileprivate func written(_ project: String) -> RenderedDocument? { source.written(project) }

    fileprivate func isWritten(_ project: String) -> Bool { source.isWritten(project) }

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

    /// Starts to wait; a change between the request and `add` has woken nothing.
    func begin(on eventLoop: any EventLoop) {
        number = polls.add(self, eventLoop: eventLoop)
        timer = eventLoop.assumeIsolated().scheduleTask(in: poll.duration) {
            [weak self] () -> Void in self?.respond()
        }
        if polls.isWritten(project) { check() } else { polls.write(project) }
    }

    /// Responds when the client does not have the last written document, or when there is none.
    ///
    /// It runs on an event loop and therefore writes no document: a later one is being written, and
    /// this is called again after that.
    func check() {
        guard !isClosed else { return }
        guard let document = polls.written(project) else { return respond() }
        if poll.answers.identity(of: document).entityTag != poll.identity.entityTag { respond() }
    }

    func end(for reason: WaitEnd) {
        switch reason {
        case .inputClosed: respond()
        case .shutdown: respond(answer.asking(againAfter: polls.pollDelay()))
        }
    }

    func cancel() {
        completion = nil
        leave()
    }

    private var answer: Result<RouteResponse, RequestError> {
        guard polls.isAllowed(poll) else {
            return .failure(
                .unauthenticated("The token has expired or was revoked: send a valid one."))
        }
        guard let document = polls.written(project) else { return poll.ordinaryAnswer }
        let identity = poll.answers.identity(of: document)
        return .success(
            poll.condition.matches(identity.entityTag.opaqueTag)
                ? poll.answers.notModified(identity, for: poll.document)
                : poll.answers.answer(document, to: poll.document))
    }

    private func respond() { respond(answer) }

    private func respond(_ result: Result<RouteResponse, RequestError>) {
        guard let completion else { return }
        self.completion = nil
        leave()
        completion(poll.response(result))
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
