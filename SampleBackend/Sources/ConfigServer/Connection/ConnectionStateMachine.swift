import HTTPTypes
import NIOCore
import NIOHTTP1

/// A type that decides what happens on one HTTP/1 connection; it does nothing itself.
///
/// A request is handed on only when the whole of it is here, so that whoever answers never waits
/// for a client, and a body over its limit, late or broken gets an error body of ours. An error is
/// the last answer of its connection, and comes after those to the requests before it.
struct ConnectionStateMachine {
    /// What the connection waits for, and so which time limit counts.
    enum Phase: Hashable {
        /// The head of a request.
        case awaitingRequest
        /// The rest of a request's body.
        case readingBody
        /// The server itself: no limit.
        case answering
        /// The client, to read the last answer and close.
        case lingering
    }

    /// A request that is whole.
    struct WholeRequest {
        /// The request line and header fields.
        let head: HTTPRequestHead
        /// The body; nil when there is none.
        let body: ByteBuffer?
    }

    /// An error that is the last answer, with what the access log says of its request.
    struct Refusal {
        /// What is wrong.
        let error: RequestError
        /// The request's head, when it could be read.
        let head: HTTPRequestHead?
    }

    /// What to do after something happened.
    enum Action {
        /// Nothing.
        case none
        /// Tell the client that it may send the body it announced.
        case sendContinue
        /// Hand a request on.
        case forward(WholeRequest)
        /// Write the error, then close the sending side and linger.
        case refuse(Refusal)
        /// Close the sending side and linger.
        case finish
        /// Close the connection.
        case close
    }

    /// What is being read.
    private enum Incoming {
        /// The next part is a head.
        case head
        /// A request has begun.
        case body(HTTPRequestHead, ByteBuffer?)
        /// Nothing that comes counts any more.
        case discarded
    }

    /// The most bytes of a body.
    private var maximumBodyBytes: Int

    /// What is being read.
    private var incoming = Incoming.head

    /// Requests handed on and not answered.
    private var unanswered = 0

    /// An error that waits for the answers before it.
    private var refusal: Refusal?

    /// Whether the connection closes once everything is answered.
    private var closesAfterAnswers = false

    /// Whether the last answer is written.
    private var isLingering = false

    /// Makes the state of a new connection.
    ///
    /// - Parameter maximumBodyBytes: The most bytes of a body, until a head says otherwise.
    init(maximumBodyBytes: Int) {
        self.maximumBodyBytes = maximumBodyBytes
    }

    /// What the connection waits for.
    var phase: Phase {
        if isLingering { return .lingering }
        if case .body = incoming { return .readingBody }
        return unanswered > 0 || refusal != nil ? .answering : .awaitingRequest
    }

    /// Whether the next answer is the last: then it says `Connection: close`.
    var isLastAnswer: Bool {
        closesAfterAnswers && unanswered == 1 && refusal == nil
    }

    /// Whether exactly one request is handed on and not answered.
    var isOnlyRequest: Bool { unanswered == 1 }

    /// A head arrived.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - maximumBodyBytes: The most bytes of the body behind it.
    /// - Returns: What to do.
    mutating func readHead(_ head: HTTPRequestHead, maximumBodyBytes: Int) -> Action {
        guard case .head = incoming else { return .none }
        self.maximumBodyBytes = maximumBodyBytes
        let hostFields = head.headers["host"].count
        guard hostFields == 1 || (hostFields == 0 && head.version == .http1_0) else {
            return refuse(
                .invalidArgument(
                    "The request has \(hostFields) Host fields: send exactly one."), head)
        }
        let length = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
        guard length <= maximumBodyBytes else {
            return refuse(.bodyTooLarge(limit: maximumBodyBytes), head)
        }
        incoming = .body(head, nil)
        let expects = head.headers.first(name: "expect")?.lowercased() == "100-continue"
        return expects && unanswered == 0 && head.version != .http1_0 ? .sendContinue : .none
    }

    /// A head arrived whose request is not wanted; it is the last one of the connection.
    mutating func readUnwantedHead(_ head: HTTPRequestHead, _ error: RequestError) -> Action {
        guard case .head = incoming else { return .none }
        return refuse(error, head)
    }

    /// A part of the body arrived.
    mutating func readBody(_ part: ByteBuffer) -> Action {
        guard case .body(let head, var body) = incoming else { return .none }
        incoming = .discarded
        let size = (body?.readableBytes ?? 0) + part.readableBytes
        guard size <= maximumBodyBytes else {
            return refuse(.bodyTooLarge(limit: maximumBodyBytes), head)
        }
        body.setOrWriteImmutableBuffer(part)
        incoming = .body(head, body)
        return .none
    }

    /// The end of a request arrived.
    mutating func readEnd() -> Action {
        guard case .body(let head, let body) = incoming else { return .none }
        // After an upgrade or CONNECT the decoder reads no further request.
        let isLast =
            !head.isKeepAlive || head.method == .CONNECT || head.headers.contains(name: "upgrade")
        if isLast { closesAfterAnswers = true }
        incoming = closesAfterAnswers ? .discarded : .head
        unanswered += 1
        return .forward(WholeRequest(head: head, body: body))
    }

    /// What arrived is no HTTP, or is over the limits of a head.
    mutating func readGarbage(_ error: RequestError) -> Action {
        switch incoming {
        case .head: refuse(error, nil)
        case .body(let head, _): refuse(error, head)
        case .discarded: .none
        }
    }

    /// The client closed its sending side.
    mutating func inputClosed() -> Action {
        // No request can come, or become whole, any more.
        phase == .answering ? .none : .close
    }

    /// The last part of an answer was written.
    mutating func wroteEnd() -> Action {
        unanswered -= 1
        guard unanswered <= 0 else { return .none }
        if let refusal {
            self.refusal = nil
            isLingering = true
            return .refuse(refusal)
        }
        return closesAfterAnswers ? finish() : .none
    }

    /// The server shuts down: what has begun is finished.
    mutating func quiesce() -> Action {
        closesAfterAnswers = true
        switch phase {
        case .awaitingRequest: return .close
        case .lingering, .answering, .readingBody: return .none
        }
    }

    /// The time of the current phase is over.
    mutating func timeIsOver(bodyTime: Duration) -> Action {
        switch phase {
        case .readingBody:
            guard case .body(let head, _) = incoming else { return .close }
            return refuse(.requestTimeout(bodyTime), head)
        case .awaitingRequest, .lingering:
            return .close
        case .answering:
            return .none
        }
    }

    /// Refuses everything from here on, after the answers that are still to come.
    private mutating func refuse(_ error: RequestError, _ head: HTTPRequestHead?) -> Action {
        incoming = .discarded
        let refusal = Refusal(error: error, head: head)
        guard unanswered == 0 else {
            self.refusal = refusal
            return .none
        }
        isLingering = true
        return .refuse(refusal)
    }

    /// Lingers until the client has seen the last answer.
    private mutating func finish() -> Action {
        incoming = .discarded
        isLingering = true
        return .finish
    }
}
