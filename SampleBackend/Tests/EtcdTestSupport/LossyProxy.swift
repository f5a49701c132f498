import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// A proxy before a member, which loses or holds back what a test wants.
package final class LossyProxy: Sendable {
    /// What happens to a request whose bytes contain a text.
    package enum Fault: Sendable {
        /// The member gets it, and its connection is closed when the answer comes.
        case answerIsLost
        /// It is held back until ``release()``.
        case requestIsHeld
    }

    fileprivate struct State {
        var fault: Fault?
        var text = ""
        /// How many more requests it strikes.
        var count = 0
        var struck = 0
        var held: [@Sendable () -> Void] = []
    }

    private let listener: any Channel
    private let state = NIOLockedValueBox(State())

    /// The URL of the proxy.
    package var url: String { "http://127.0.0.1:\(listener.localAddress?.port ?? 0)" }

    /// The number of requests that were struck.
    package var struck: Int { state.withLockedValue(\.struck) }

    /// Starts a proxy before a URL of this machine.
    package init(before member: String) async throws {
        let port = Int(member.split(separator: ":").last ?? "") ?? 0
        let state = state
        listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { client in
                let loses = NIOLockedValueBox(false)
                // Nothing is read before the connection to the member stands.
                return client.setOption(.autoRead, value: false).flatMap {
                    ClientBootstrap(group: client.eventLoop)
                        .channelInitializer { member in
                            member.eventLoop.makeCompletedFuture {
                                try member.pipeline.syncOperations.addHandler(
                                    ProxyEnd(other: client, state: nil, losesAnswers: loses))
                            }
                        }
                        .connect(host: "127.0.0.1", port: port)
                }.flatMap { member in
                    client.eventLoop.makeCompletedFuture {
                        try client.pipeline.syncOperations.addHandler(
                            ProxyEnd(other: member, state: state, losesAnswers: loses))
                    }.flatMap { client.setOption(.autoRead, value: true) }
                }.flatMapErrorThrowing { error in
                    client.close(promise: nil)
                    throw error
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    /// Strikes the next requests that contain a text.
    package func strike(_ fault: Fault, requestsWith text: String, count: Int = .max) {
        state.withLockedValue { state in
            state.fault = fault
            state.text = text
            state.count = count
        }
    }

    /// Strikes no more requests, and forwards those that were held.
    package func release() {
        let held = state.withLockedValue { state in
            state.fault = nil
            defer { state.held = [] }
            return state.held
        }
        for forward in held { forward() }
    }

    package func close() async { try? await listener.close() }

    /// One of the two connections; forwards what it reads to the other.
    private final class ProxyEnd: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let other: any Channel
        /// Of the client's connection; nil for the member's.
        private let state: NIOLockedValueBox<State>?
        /// True from a request on whose answer is lost.
        private let losesAnswers: NIOLockedValueBox<Bool>
        private var request = ""

        init(
            other: any Channel, state: NIOLockedValueBox<State>?,
            losesAnswers: NIOLockedValueBox<Bool>
        ) {
            self.other = other
            self.state = state
            self.losesAnswers = losesAnswers
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            guard let state else {
                if losesAnswers.withLockedValue(\.self) {
                    context.close(promise: nil)
                } else {
                    other.writeAndFlush(buffer, promise: nil)
                }
                return
            }
            request += String(buffer: buffer)
            let other = other
            let fault = state.withLockedValue { state -> Fault? in
                guard let fault = state.fault, state.count > 0, request.contains(state.text) else {
                    return nil
                }
                state.count -= 1
                state.struck += 1
                if case .requestIsHeld = fault {
                    state.held.append { other.writeAndFlush(buffer, promise: nil) }
                }
                return fault
            }
            // A body is small here, so that it comes whole.
            if request.hasSuffix("}") { request = "" }
            switch fault {
            case .requestIsHeld?: break
            case .answerIsLost?:
                losesAnswers.withLockedValue { $0 = true }
                other.writeAndFlush(buffer, promise: nil)
            case nil: other.writeAndFlush(buffer, promise: nil)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            // A request that is held outlives its client.
            let holds = state?.withLockedValue { !$0.held.isEmpty } ?? false
            if !holds { other.close(promise: nil) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
