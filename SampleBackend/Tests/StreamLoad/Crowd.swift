import NIOCore
import NIOPosix

/// A type that holds all clients and connects them, on one thread.
final class Crowd {
    /// The most faults that are written out.
    private static let maximumExamples = 10

    /// Where the server is, and how to reach it.
    private let options: LoadOptions

    /// The thread.
    let eventLoop: any EventLoop

    /// The clients by number.
    private(set) var clients: [StreamClient] = []

    /// What happened since the last mark.
    private var counts = Counts()

    /// When the last mark was.
    private(set) var markTime = NIODeadline.now()

    /// The data of events that are not checked yet.
    private var unchecked: [Payload] = []

    /// The clients that are to connect as soon as fewer are on their way.
    private var waiting = CircularBuffer<StreamClient>()

    /// The clients that are on their way: connecting, or without a hello yet.
    private var connecting = 0

    /// Whether clients are being connected right now: an attempt may fail at once, which makes room
    /// for the next.
    private var isConnecting = false

    /// Makes a crowd of nobody.
    ///
    /// - Parameters:
    ///   - options: Where the server is, and how to reach it.
    ///   - eventLoop: The thread.
    init(_ options: LoadOptions, eventLoop: any EventLoop) {
        self.options = options
        self.eventLoop = eventLoop
    }

    /// Makes clients, which connect.
    ///
    /// - Parameter count: How many.
    func connect(_ count: Int) {
        let first = clients.count
        clients += (first..<(first + count)).map { StreamClient(number: $0, crowd: self) }
        waiting.append(contentsOf: clients[first...])
        connectWaiting()
    }

    /// Counts from here on.
    func mark() {
        counts = Counts()
        markTime = .now()
        for client in clients {
            client.updates = 0
            client.hasHeartbeat = false
        }
    }

    /// Checks the events that came.
    ///
    /// - Returns: What happened since the last mark.
    func checkedCounts() -> Counts {
        for payload in unchecked {
            if let fault = payload.fault { count(fault, ofClient: payload.client) }
        }
        unchecked.removeAll(keepingCapacity: true)
        return counts
    }

    /// A client heard hello.
    func opened() {
        counts.opened += 1
        connecting -= 1
        connectWaiting()
    }

    /// A connection ended; the client comes back.
    ///
    /// - Parameters:
    ///   - client: Whose.
    ///   - wasOpen: Whether it had come to a hello.
    func lost(_ client: StreamClient, wasOpen: Bool) {
        if wasOpen {
            counts.lost += 1
        } else {
            counts.failed += 1
            connecting -= 1
        }
        comeBack(client)
        connectWaiting()
    }

    /// A response was no stream.
    ///
    /// - Parameter status: Its status; nil when it was not HTTP.
    func refused(status: Int?) {
        counts.refused[status ?? 0, default: 0] += 1
    }

    /// The server told a client that it ends.
    func goodbye() { counts.goodbyes += 1 }

    /// A client was told to fetch.
    func reset() { counts.resets += 1 }

    /// Something does not follow HTTP 2.
    func fault(_ client: StreamClient, _ text: String) { count(text, ofClient: client.number) }

    /// Keeps the data of an event until there is time for it.
    func checkLater(_ event: StreamEvent, of client: StreamClient) {
        unchecked.append(Payload(event, client: client.number))
    }

    /// Counts a fault.
    private func count(_ fault: String, ofClient number: Int) {
        counts.faults += 1
        if counts.faultExamples.count < Self.maximumExamples {
            counts.faultExamples.append("client \(number): \(fault)")
        }
    }

    /// Connects a client after its delay.
    private func comeBack(_ client: StreamClient) {
        eventLoop.assumeIsolated().scheduleTask(in: client.delay) {
            self.waiting.append(client)
            self.connectWaiting()
        }
    }

    /// Connects clients until enough are on their way.
    private func connectWaiting() {
        guard !isConnecting else { return }
        isConnecting = true
        defer { isConnecting = false }
        while connecting < options.connectsInFlight, let client = waiting.popFirst() {
            connecting += 1
            connect(client)
        }
    }

    /// Connects a client.
    private func connect(_ client: StreamClient) {
        let bound = NIOLoopBound(client, eventLoop: eventLoop)
        do {
            // Each source address has ports of its own.
            let source = "127.0.0.\(1 + client.number % options.sources)"
            let connection = ClientBootstrap(group: eventLoop)
                .bind(to: try SocketAddress(ipAddress: source, port: 0))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(bound.value)
                    }
                }
                .connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: options.port))
            connection.assumeIsolated().whenFailure { _ in self.connectFailed(client) }
        } catch {
            connectFailed(client)
        }
    }

    /// A connection was not made; the client tries again.
    private func connectFailed(_ client: StreamClient) {
        client.connectFailed()
        lost(client, wasOpen: false)
    }
}

@available(*, unavailable)
extension Crowd: Sendable {}
