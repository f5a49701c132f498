import HTTPTypes
import NIOCore
import NIOHTTP1

/// Decides what happens on one HTTP/1 connection, one request at a time; it does nothing itself.
///
/// A request is handed on only when the whole of it is here, so that whoever answers never waits
/// for a client. Nothing behind it counts before its answer is written: the caller holds input
/// back while ``takesInput`` is false. An error found here is the last answer of its connection.
struct ConnectionStateMachine {
    /// What the connection waits for, and so which time limit counts.
    enum Phase: Hashable {
        /// The head of a request.
        case awaitingRequest
        /// The rest of a request's body.
        case readingBody
        /// The server itself: no limit.
        case answering
        /// The client, to read answers that are written.
        case sending
        /// The client, to close after it has the last answer.
        case lingering
    }

    /// What to do after something happened.
    enum Action {
        /// Nothing.
        case none
        /// Tell the client that it may send the body it announced.
        case sendContinue
        /// Answer the current request, whose body is whole; nil when it has none.
        case answer(ByteBuffer?)
        /// Write the error as the last answer.
        case refuse(RequestError)
        /// Close the sending side: everything is sent.
        case closeOutput
        /// Close the connection.
        case close
    }

    private enum Step {
        case awaitingHead
        case readingBody(ByteBuffer?)
        case answering
        /// Input is discarded until the last answer is sent.
        case sendingLastAnswer
        /// The sending side is closed, input is discarded.
        case lingering
    }

    private var step = Step.awaitingHead

    /// Answers that are written, and not taken by the socket.
    private(set) var unsentAnswers = 0

    /// Whether no request is taken after the one being read or answered.
    private var isLastRequest = false

    /// Whether the client takes the request being read for its last.
    private var isLastOfClient = false

    /// Whether the client sends nothing more.
    private(set) var isInputClosed = false

    /// Of the body being read.
    private var maximumBodyBytes = 0

    /// What the connection waits for.
    var phase: Phase {
        switch step {
        case .awaitingHead: unsentAnswers > 0 ? .sending : .awaitingRequest
        case .readingBody: .readingBody
        case .answering: .answering
        case .sendingLastAnswer: .sending
        case .lingering: .lingering
        }
    }

    /// Whether what arrives may be passed in.
    var takesInput: Bool {
        if case .answering = step { false } else { true }
    }

    /// Whether the answer to the current request is the last: then it says `Connection: close`.
    var isLastAnswer: Bool { isLastRequest }

    /// A head arrived.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - maximumBodyBytes: The most bytes of the body behind it.
    /// - Returns: What to do.
    mutating func readHead(_ head: HTTPRequestHead, maximumBodyBytes: Int) -> Action {
        guard case .awaitingHead = step else { return .none }
        self.maximumBodyBytes = maximumBodyBytes
        let hostFields = head.headers["host"].count
        guard hostFields == 1 || (hostFields == 0 && head.version == .http1_0) else {
            return refuse(
                .invalidArgument(
                    "The request has \(hostFields) Host fields: send exactly one."))
        }
        let length = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
        guard length <= maximumBodyBytes else {
            return refuse(.bodyTooLarge(limit: maximumBodyBytes))
        }
        // After an upgrade or CONNECT the decoder reads no further request.
        isLastOfClient =
            !head.isKeepAlive || head.method == .CONNECT || head.headers.contains(name: "upgrade")
        step = .readingBody(nil)
        let expects = head.headers.first(name: "expect")?.lowercased() == "100-continue"
        return expects && head.version != .http1_0 ? .sendContinue : .none
    }

    /// A head arrived whose request is not wanted; it is the last one of the connection.
    mutating func readUnwantedHead(_ error: RequestError) -> Action {
        guard case .awaitingHead = step else { return .none }
        return refuse(error)
    }

    /// A part of the body arrived.
    mutating func readBody(_ part: ByteBuffer) -> Action {
        guard case .readingBody(var body) = step else { return .none }
        // Otherwise the body would be copied for each part.
        step = .awaitingHead
        let size = (body?.readableBytes ?? 0) + part.readableBytes
        guard size <= maximumBodyBytes else {
            return refuse(.bodyTooLarge(limit: maximumBodyBytes))
        }
        body.setOrWriteImmutableBuffer(part)
        step = .readingBody(body)
        return .none
    }

    /// The end of a request arrived.
    mutating func readEnd() -> Action {
        guard case .readingBody(let body) = step else { return .none }
        if isLastOfClient { isLastRequest = true }
        step = .answering
        return .answer(body)
    }

    /// What arrived is no HTTP, or is over the limits of a head.
    mutating func readGarbage(_ error: RequestError) -> Action {
        switch step {
        case .awaitingHead, .readingBody: refuse(error)
        case .answering, .sendingLastAnswer, .lingering: .none
        }
    }

    /// The client closed its sending side: no request can come, or become whole, any more.
    mutating func inputClosed() -> Action {
        isInputClosed = true
        switch step {
        case .awaitingHead, .readingBody: return finish()
        case .answering:
            isLastRequest = true
            return .none
        case .sendingLastAnswer: return .none
        case .lingering: return .close
        }
    }

    /// The whole answer to the current request was written.
    mutating func wroteAnswer() -> Action {
        unsentAnswers += 1
        step = isLastRequest ? .sendingLastAnswer : .awaitingHead
        return .none
    }

    /// The socket took the oldest answer that it had not taken.
    mutating func sentAnswer() -> Action {
        unsentAnswers -= 1
        guard case .sendingLastAnswer = step else { return .none }
        return finish()
    }

    /// The server shuts down: what has begun is finished.
    mutating func quiesce() -> Action {
        isLastRequest = true
        guard case .awaitingHead = step else { return .none }
        return unsentAnswers == 0 ? .close : finish()
    }

    /// The time of the current phase is over.
    mutating func timeIsOver(bodyTime: Duration) -> Action {
        switch step {
        case .readingBody: refuse(.requestTimeout(bodyTime))
        case .awaitingHead, .sendingLastAnswer, .lingering: .close
        case .answering: .none
        }
    }

    /// Refuses everything from here on.
    private mutating func refuse(_ error: RequestError) -> Action {
        isLastRequest = true
        step = .answering
        return .refuse(error)
    }

    /// Ends the connection once everything written is sent, and lingers until the client has it.
    private mutating func finish() -> Action {
        step = .sendingLastAnswer
        guard unsentAnswers == 0 else { return .none }
        step = .lingering
        return isInputClosed ? .close : .closeOutput
    }
}
