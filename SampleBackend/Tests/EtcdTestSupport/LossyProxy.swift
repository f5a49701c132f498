import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// A proxy in front of a member, which loses or holds back selected requests.
package final class LossyProxy: Sendable {
    /// The fault of a request whose bytes contain a text.
    package enum Fault: Sendable {
        /// The member receives the request; its response is dropped, and the connection closed.
        case answerIsLost
        /// The member receives the request, and another response replaces its own.
        case answerIsReplaced(status: String, body: String)
        /// The request is held back until ``release()``.
        case requestIsHeld
    }

    fileprivate struct State {
        var fault: Fault?
        var text = ""
        /// Number of matching requests that pass before the fault occurs.
        var spared = 0
        /// Number of further requests with the fault.
        var count = 0
        var struck = 0
        var held: [@Sendable () -> Void] = []
    }

    private let listener: any Channel
    private let state = NIOLockedValueBox(State())

    /// The URL of the proxy.
    package var url: String { "http://127.0.0.1:\(listener.localAddress?.port ?? 0)" }

    /// The number of requests with a fault.
    package var struck: Int { state.withLockedValue(\.struck) }

    /// Starts a proxy in front of a URL on this machine.
    package init(before member: String) async throws {
        let port = Int(member.split(separator: ":").last ?? "") ?? 0
        let state = state
        listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { client in
                let answer = NIOLockedValueBox(Answer.own)
                // Reads nothing until the connection to the member is established.
                return client.setOption(.autoRead, value: false).flatMap {
                    ClientBootstrap(group: client.eventLoop)
                        .channelInitializer { member in
                            member.eventLoop.makeCompletedFuture {
                                try member.pipeline.syncOperations.addHandler(
                                    ProxyEnd(other: client, state: nil, answer: answer))
                            }
                        }
                        .connect(host: "127.0.0.1", port: port)
                }.flatMap { member in
                    client.eventLoop.makeCompletedFuture {
                        try client.pipeline.syncOperations.addHandler(
                            ProxyEnd(other: member, state: state, answer: answer))
                    }.flatMap { client.setOption(.autoRead, value: true) }
                }.flatMapErrorThrowing { error in
                    client.close(promise: nil)
                    throw error
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    /// Applies a fault to the next requests that contain a text, after sparing the first ones.
    package func strike(
        _ fault: Fault, requestsWith text: String, sparing spared: Int = 0, count: Int = .max
    ) {
        state.withLockedValue { state in
            state.fault = fault
            state.text = text
            state.spared = spared
            state.count = count
        }
    }

    /// Applies no more faults, and forwards the held requests.
    package func release() {
        let held = state.withLockedValue { state in
            state.fault = nil
            defer { state.held = [] }
            return state.held
        }
        for forward in held { forward() }
    }

    package func close() async { try? await listener.close() }

    /// The response to a request: the member's own, none, or another one.
    private enum Answer {
        case own, none
        case other(ByteBuffer)
    }

    /// One of the two connections, which forwards its input to the other.
    private final class ProxyEnd: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let other: any Channel
        /// The state of the client's connection; nil for the member's.
        private let state: NIOLockedValueBox<State>?
        /// The response to the last request.
        private let answer: NIOLockedValueBox<Answer>
        private var request = ""

        init(
            other: any Channel, state: NIOLockedValueBox<State>?, answer: NIOLockedValueBox<Answer>
        ) {
            self.other = other
            self.state = state
            self.answer = answer
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            guard let state else {
                switch answer.withLockedValue(\.self) {
                case .own: other.writeAndFlush(buffer, promise: nil)
                case .none: context.close(promise: nil)
                case .other(let answer):
                    other.writeAndFlush(answer, promise: nil)
                    context.close(promise: nil)
                }
                return
            }
            request += String(buffer: buffer)
            let other = other
            let fault = state.withLockedValue { state -> Fault? in
                guard let fault = state.fault, state.count > 0, request.contains(state.text) else {
                    return nil
                }
                guard state.spared == 0 else {
                    state.spared -= 1
                    return nil
                }
                state.count -= 1
                state.struck += 1
                if case .requestIsHeld = fault {
                    state.held.append { other.writeAndFlush(buffer, promise: nil) }
                }
                return fault
            }
            // Bodies are small here, so each arrives in one piece.
            if request.hasSuffix("}") { request = "" }
            switch fault {
            case .requestIsHeld?: break
            case .answerIsLost?:
                answer.withLockedValue { $0 = .none }
                other.writeAndFlush(buffer, promise: nil)
            case .answerIsReplaced(let status, let body)?:
                let text =
                    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "Connection: close\r\n\r\n\(body)"
                answer.withLockedValue { $0 = .other(ByteBuffer(string: text)) }
                other.writeAndFlush(buffer, promise: nil)
            case nil: other.writeAndFlush(buffer, promise: nil)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            // A held request outlives its client.
            let holds = state?.withLockedValue { !$0.held.isEmpty } ?? false
            if !holds { other.close(promise: nil) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
