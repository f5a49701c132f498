import HTTPTypes
import NIOCore
import NIOHTTP1

/// The protocol state of one HTTP/1 connection; it returns actions and has no side effects.
///
/// A request is forwarded only when it is complete, so its handler never waits for the client.
/// Pipelined requests wait until the previous answer is written: the caller queues input while
/// ``takesInput`` is false. An error that the state machine detects is the last answer of its
/// connection.
struct ConnectionStateMachine {
    /// The event that the connection waits for; each phase has its own time limit.
    enum Phase: Hashable {
        case awaitingRequest
        case readingBody
        /// The server works on an answer; there is no time limit.
        case answering
        /// The client must read the written answers.
        case sending
        /// The client must close the connection after the last answer.
        case lingering
    }

    /// The side effect of an event, to be performed by the caller.
    enum Action {
        case none
        /// Send `100 Continue`, for which the client waits before it sends the body.
        case sendContinue
        /// Answer the current, completely read request; nil means that it has no body.
        case answer(ByteBuffer?)
        /// Write the error as the last answer.
        case refuse(RequestError)
        /// Close the sending side, since everything is sent.
        case closeOutput
        case close
    }

    private enum Step {
        case awaitingHead
        case readingBody(ByteBuffer?)
        case answering
        /// Input is discarded until the last answer is sent.
        case sendingLastAnswer
        /// The sending side is closed; input is discarded.
        case lingering
    }

    private var step = Step.awaitingHead

    /// Number of answers written but not yet accepted by the socket.
    private(set) var unsentAnswers = 0

    /// True when the current request is the last of the connection.
    private var isLastRequest = false

    /// True when the client declared the current request its last.
    private var isLastOfClient = false

    /// True once the client has closed its sending side.
    private(set) var isInputClosed = false

    /// Limit of the body being read.
    private var maximumBodyBytes = 0

    var phase: Phase {
        switch step {
        case .awaitingHead: unsentAnswers > 0 ? .sending : .awaitingRequest
        case .readingBody: .readingBody
        case .answering: .answering
        case .sendingLastAnswer: .sending
        case .lingering: .lingering
        }
    }

    /// Memory of a partially received body; 0 when the body is complete, or none is being read.
    var bodyBytes: Int {
        if case .readingBody(let body?) = step { body.storageCapacity } else { 0 }
    }

    /// True when input may be passed in.
    var takesInput: Bool {
        if case .answering = step { false } else { true }
    }

    /// True when the next answer is the last one, which has `Connection: close`.
    var isLastAnswer: Bool { isLastRequest }

    /// Handles the head of a request whose body may have at most `maximumBodyBytes`.
    mutating func readHead(
        _ head: HTTPRequestHead, framing: RequestFraming, maximumBodyBytes: Int
    ) -> Action {
        guard case .awaitingHead = step else { return .none }
        self.maximumBodyBytes = maximumBodyBytes
        let hostCount = framing.hostCount
        guard hostCount == 1 || (hostCount == 0 && head.version == .http1_0) else {
            return refuse(
                .invalidArgument("The request has \(hostCount) Host fields: send exactly one."))
        }
        guard framing.hasKnownTransferCoding else { return refuse(.unsupportedTransferCoding) }
        guard framing.contentLength ?? 0 <= maximumBodyBytes else {
            return refuse(.bodyTooLarge(limit: maximumBodyBytes))
        }
        // After an upgrade or CONNECT the decoder reads no further request. HTTP/1.0 has no
        // transfer codings, so a proxy may see the message end elsewhere (RFC 9112, 6.1).
        isLastOfClient =
            !head.isKeepAlive || head.method == .CONNECT || framing.asksForUpgrade
            || (head.version != .http1_1 && framing.hasTransferCoding)
        step = .readingBody(nil)
        return framing.expectsContinue && head.version != .http1_0 ? .sendContinue : .none
    }

    mutating func readBody(_ part: ByteBuffer) -> Action {
        guard case .readingBody(var body) = step else { return .none }
        // Releases the stored reference; otherwise the append below would copy the body
        // (copy-on-write).
        step = .awaitingHead
        let size = (body?.readableBytes ?? 0) + part.readableBytes
        guard size <= maximumBodyBytes else {
            return refuse(.bodyTooLarge(limit: maximumBodyBytes))
        }
        body.setOrWriteImmutableBuffer(part)
        step = .readingBody(body)
        return .none
    }

    mutating func readEnd() -> Action {
        guard case .readingBody(let body) = step else { return .none }
        if isLastOfClient { isLastRequest = true }
        step = .answering
        return .answer(body)
    }

    /// Handles a refused head or malformed input, which is the last input of the connection.
    mutating func readUnwanted(_ error: RequestError) -> Action {
        switch step {
        case .awaitingHead, .readingBody: refuse(error)
        case .answering, .sendingLastAnswer, .lingering: .none
        }
    }

    /// Handles the end of the client's input: no further request can arrive or be completed.
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

    /// Records that the answer to the current request is completely written.
    mutating func wroteAnswer() -> Action {
        unsentAnswers += 1
        step = isLastRequest ? .sendingLastAnswer : .awaitingHead
        return .none
    }

    /// Records that the socket has accepted the oldest unsent answer.
    mutating func sentAnswer() -> Action {
        unsentAnswers -= 1
        guard case .sendingLastAnswer = step else { return .none }
        return finish()
    }

    /// Starts a graceful shutdown; a request in flight is still answered.
    mutating func quiesce() -> Action {
        isLastRequest = true
        guard case .awaitingHead = step else { return .none }
        return unsentAnswers == 0 ? .close : finish()
    }

    /// Records that the deadline of the current phase has passed.
    mutating func timeIsOver(bodyTime: Duration) -> Action {
        switch step {
        case .readingBody: refuse(.requestTimeout(bodyTime))
        case .awaitingHead, .sendingLastAnswer, .lingering: .close
        case .answering: .none
        }
    }

    /// Answers with an error, and ignores all further input.
    private mutating func refuse(_ error: RequestError) -> Action {
        isLastRequest = true
        step = .answering
        return .refuse(error)
    }

    /// Closes the connection after everything written is sent and the lingering phase, in which the
    /// client reads it, is over.
    private mutating func finish() -> Action {
        step = .sendingLastAnswer
        guard unsentAnswers == 0 else { return .none }
        step = .lingering
        return isInputClosed ? .close : .closeOutput
    }
}
