import HTTPServing
import HTTPTypes
import NIOCore

/// A client that has seen a later version than the server's.
protocol AheadClient: AnyObject {
    /// The version that the client has seen.
    var seenVersion: SeenVersion { get }

    /// True once the client no longer waits.
    var isClosed: Bool { get }

    /// True when the client can continue as soon as the library has its version, even during a
    /// pass.
    var needsLibraryAlone: Bool { get }

    /// Gives up because the server cannot read the version.
    func refuse()

    /// Continues because the server has caught up, or because the store has no such version.
    func goOn(hasVersion: Bool)
}

/// A request of a client that has seen a later version than the server's (PROTOCOL 1).
///
/// It is answered when the server has the version, or has found that its store does not; after two
/// seconds it is refused.
final class AheadRequest: AheadClient, TimedWait, WaitingRequest {
    /// Answers the request; true means that the store never made the version.
    typealias Handler = @Sendable (_ isUnknown: Bool) async throws(RequestError) -> Answer

    /// Maximum waiting time.
    private static let maximumWait: TimeAmount = .seconds(2)

    let seenVersion: SeenVersion
    private let handler: Handler

    /// The threads that run the handler; nil means Swift's cooperative threads.
    private let threads: WorkThreads?

    private let streams: ProjectStreams
    private let clock: PollClock

    /// The completion of the request; nil once it is answered.
    private var completion: WaitOpening.Completion?

    /// The reserved place; released when the wait ends.
    private var place: StreamPlace?

    var clockEntry: PollClock.Entry?

    /// The task of the handler; nil while the request waits for the version.
    private var work: Task<Void, Never>?

    /// The long poll that the request has become.
    private var poll: (any WaitingRequest)?

    init(
        _ seenVersion: SeenVersion, place: StreamPlace, streams: ProjectStreams, clock: PollClock,
        on threads: WorkThreads?, handler: @escaping Handler,
        completion: @escaping WaitOpening.Completion
    ) {
        self.seenVersion = seenVersion
        self.place = place
        self.streams = streams
        self.clock = clock
        self.threads = threads
        self.handler = handler
        self.completion = completion
    }

    var isClosed: Bool { completion == nil || work != nil }
    var needsLibraryAlone: Bool { true }

    func begin() {
        clock.add(self, until: .now() + Self.maximumWait)
        streams.waitForVersion(of: self)
    }

    func goOn(hasVersion: Bool) {
        guard !isClosed else { return }
        stopWaiting()
        let promise = streams.eventLoop.makePromise(of: Answer.self)
        work = Task(executorPreference: threads) { [handler] in
            do throws(RequestError) {
                promise.succeed(try await handler(!hasVersion))
            } catch {
                promise.fail(error)
            }
        }
        promise.futureResult.assumeIsolated().whenComplete { self.finish($0) }
    }

    func refuse() { respond(.failure(.unreadableVersion)) }

    private func finish(_ result: Result<Answer, any Error>) {
        guard completion != nil else { return }
        switch result {
        case .success(.response(let response)): respond(.success(response))
        case .success(.waiting(let opening)):
            let poll = opening.begin(streams.eventLoop) { self.respond($0) }
            if completion != nil { self.poll = poll }
        case .success(.stream), .success(.repeated): respond(.failure(.behindClient))
        case .failure(let error): respond(.failure(error as? RequestError ?? .behindClient))
        }
    }

    func timeIsOver() { respond(.failure(.behindClient)) }

    func end(for reason: WaitEnd) {
        if let poll {
            poll.end(for: reason)
        } else if work == nil {
            respond(.failure(.behindClient))
        }
    }

    func cancel() {
        completion = nil
        stopWaiting()
        work?.cancel()
        poll?.cancel()
        poll = nil
    }

    private func respond(_ result: Result<RouteResponse, RequestError>) {
        guard let completion else { return }
        self.completion = nil
        poll = nil
        stopWaiting()
        completion(result)
    }

    private func stopWaiting() {
        place = nil
        clock.remove(self)
    }
}

extension RequestError {
    /// 503: the server does not yet have the version that the client has seen at another replica.
    fileprivate static let behindClient = RequestError(
        httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
        message:
            "The server does not yet have the version that you have seen: try again in a second.",
        headerFields: [.retryAfter: "1"])
}

@available(*, unavailable)
extension AheadRequest: Sendable {}
