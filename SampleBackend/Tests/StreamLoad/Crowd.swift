import NIOCore
import NIOPosix

/// All clients; connects them and counts their events, on one thread.
final class Crowd {
    /// Maximum number of violations that are reported as text.
    private static let maximumExamples = 10

    /// Address of the server, and connection limits.
    private let options: LoadOptions

    /// The thread.
    let eventLoop: any EventLoop

    /// Clients by number.
    private(set) var clients: [StreamClient] = []

    /// Counts since the last mark.
    private var counts = Counts()

    /// Time of the last mark.
    private(set) var markTime = NIODeadline.now()

    /// Data of events that have not been checked yet.
    private var unchecked: [Payload] = []

    /// Clients that connect once fewer connections are in progress.
    private var waiting = CircularBuffer<StreamClient>()

    /// Number of clients that are connecting, or have not received a hello yet.
    private var connecting = 0

    /// True while `connectWaiting` runs: an attempt may fail immediately, which calls it again.
    private var isConnecting = false

    /// Creates a crowd without clients.
    init(_ options: LoadOptions, eventLoop: any EventLoop) {
        self.options = options
        self.eventLoop = eventLoop
    }

    /// Adds clients and connects them.
    func connect(_ count: Int) {
        let first = clients.count
        clients += (first..<(first + count)).map { StreamClient(number: $0, crowd: self) }
        waiting.append(contentsOf: clients[first...])
        connectWaiting()
    }

    /// Resets the counts.
    func mark() {
        counts = Counts()
        markTime = .now()
        for client in clients {
            client.updates = 0
            client.hasHeartbeat = false
        }
    }

    /// Checks the data of the received events, and returns the counts since the last mark.
    func checkedCounts() -> Counts {
        for payload in unchecked {
            if let fault = payload.fault { count(fault, ofClient: payload.client) }
        }
        unchecked.removeAll(keepingCapacity: true)
        return counts
    }

    /// Counts a client's hello.
    func opened() {
        counts.opened += 1
        connecting -= 1
        connectWaiting()
    }

    /// Counts a connection that ended, before its hello unless `wasOpen`, and reconnects the
    /// client.
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

    /// Counts a response that was not a stream; `status` nil stands for a response that was not
    /// HTTP.
    func refused(status: Int?) {
        counts.refused[status ?? 0, default: 0] += 1
    }

    /// Counts a client that received the announcement that the stream ends.
    func goodbye() { counts.goodbyes += 1 }

    /// Counts a client that received a reset.
    func reset() { counts.resets += 1 }

    /// Counts a violation of PROTOCOL 2.
    func fault(_ client: StreamClient, _ text: String) { count(text, ofClient: client.number) }

    /// Keeps the data of an event for a later check.
    func checkLater(
        _ event: StreamEvent, of client: StreamClient, resumedVersion: Int? = nil
    ) {
        unchecked.append(
            Payload(event, client: client.number, resumedVersion: resumedVersion))
    }

    private func count(_ fault: String, ofClient number: Int) {
        counts.faults += 1
        if counts.faultExamples.count < Self.maximumExamples {
            counts.faultExamples.append("client \(number): \(fault)")
        }
    }

    /// Reconnects a client after its delay.
    private func comeBack(_ client: StreamClient) {
        eventLoop.assumeIsolated().scheduleTask(in: client.delay) {
            self.waiting.append(client)
            self.connectWaiting()
        }
    }

    /// Connects waiting clients, up to the maximum number in flight.
    private func connectWaiting() {
        guard !isConnecting else { return }
        isConnecting = true
        defer { isConnecting = false }
        while connecting < options.connectsInFlight, let client = waiting.popFirst() {
            connecting += 1
            connect(client)
        }
    }

    private func connect(_ client: StreamClient) {
        let bound = NIOLoopBound(client, eventLoop: eventLoop)
        do {
            // Each source address has its own ports.
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

    /// Counts a failed connection attempt, and lets the client retry.
    private func connectFailed(_ client: StreamClient) {
        client.connectFailed()
        lost(client, wasOpen: false)
    }
}

@available(*, unavailable)
extension Crowd: Sendable {}
