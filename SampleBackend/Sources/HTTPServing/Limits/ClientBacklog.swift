import Metrics
import NIOConcurrencyHelpers
package import NIOCore
import NIOSSL

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Limits the memory of unsent and unprocessed data of all connections: answers and events that
/// clients do not read, incomplete request bodies, and pipelined requests.
///
/// When the limit is exceeded, the connections with the oldest data are closed. A buffer queued on
/// many connections, such as a cached document or an event, counts once because its memory is
/// shared.
package final class ClientBacklog: Sendable {
    /// Identifies counted data.
    package struct Ticket: Sendable, Hashable {
        fileprivate let number: Int
    }

    fileprivate struct Entry: Sendable {
        let channel: any Channel
        /// Bytes that are not shared with other entries.
        var ownBytes: Int
        /// Retained so that its address is not reused while the entry exists.
        let sharedBuffer: ByteBuffer?
    }

    fileprivate struct State: Sendable {
        /// Entries by ticket number.
        var entries: [Int: Entry] = [:]
        /// Reference count of each shared buffer, by its address.
        var holders: [UInt: Int] = [:]
        var bytes = 0
        var nextNumber = 0
        /// Lower bound of the numbers in ``entries``.
        var oldestNumber = 0
    }

    private let state = NIOLockedValueBox(State())
    private let limit: Int
    private let cutOff = Counter(label: "activeconfig_connections_cut_off")
    private let gauge = Gauge(label: "activeconfig_client_backlog_bytes")

    /// Creates an empty backlog of at most `limit` bytes; see ``ServerLimits/clientBacklogBytes``.
    package init(limit: Int) {
        self.limit = limit
    }

    /// The number of bytes currently counted.
    package var bytes: Int { state.withLockedValue { $0.bytes } }

    /// Counts data of a connection until ``release(_:)``, and closes connections while the limit is
    /// exceeded.
    ///
    /// `bytes` belong to this connection only; `sharedBuffer` may be queued on others as well.
    package func hold(
        _ bytes: Int, sharedBuffer: ByteBuffer? = nil, for channel: any Channel
    ) -> Ticket {
        change(for: channel) { state in
            let number = state.nextNumber
            state.nextNumber += 1
            state.add(
                Entry(channel: channel, ownBytes: bytes, sharedBuffer: sharedBuffer),
                number: number)
            return Ticket(number: number)
        }
    }

    /// Changes the number of bytes counted for a ticket, and closes connections while the limit is
    /// exceeded.
    ///
    /// The data keeps its age.
    package func resize(_ ticket: Ticket, to bytes: Int, for channel: any Channel) {
        change(for: channel) { $0.resize(ticket.number, to: bytes) }
    }

    /// Applies a change made by the handlers of `channel`, and closes the connections with the
    /// oldest data while the limit is exceeded.
    private func change<Result>(
        for channel: any Channel, _ change: (inout State) -> Result
    ) -> Result {
        let (result, closed) = state.withLockedValue { state in
            let result = change(&state)
            var closed: [any Channel] = []
            while state.bytes > limit, let channel = state.removeOldest() {
                closed.append(channel)
            }
            // Recorded under the lock: if two threads set the gauge in another order, it would keep
            // a stale value.
            gauge.record(state.bytes)
            return (result, closed)
        }
        for other in closed {
            cutOff.increment()
            if other !== channel, other.eventLoop.inEventLoop {
                other.reset()
            } else {
                // Deferred because this is called from the connection's own handlers.
                other.eventLoop.execute { other.reset() }
            }
        }
        return result
    }

    /// Stops counting data that is sent, or whose connection is closed.
    package func release(_ ticket: Ticket) {
        state.withLockedValue { state in
            state.remove(ticket.number)
            gauge.record(state.bytes)
        }
    }
}

extension ClientBacklog.State {
    fileprivate mutating func add(_ entry: ClientBacklog.Entry, number: Int) {
        entries[number] = entry
        bytes += entry.ownBytes
        guard let buffer = entry.sharedBuffer else { return }
        let count = holders[buffer.address, default: 0]
        if count == 0 { bytes += buffer.readableBytes }
        holders[buffer.address] = count + 1
    }

    fileprivate mutating func resize(_ number: Int, to bytes: Int) {
        guard let old = entries[number]?.ownBytes else { return }
        entries[number]?.ownBytes = bytes
        self.bytes += bytes - old
    }

    fileprivate mutating func remove(_ number: Int) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        bytes -= entry.ownBytes
        guard let buffer = entry.sharedBuffer else { return }
        let count = holders[buffer.address, default: 1] - 1
        holders[buffer.address] = count == 0 ? nil : count
        if count == 0 { bytes -= buffer.readableBytes }
    }

    /// Removes the oldest entry and returns its connection; nil when there are no entries.
    fileprivate mutating func removeOldest() -> (any Channel)? {
        while oldestNumber < nextNumber {
            if let entry = entries[oldestNumber] {
                remove(oldestNumber)
                return entry.channel
            }
            oldestNumber += 1
        }
        return nil
    }
}

extension ByteBuffer {
    /// The address of its readable bytes.
    fileprivate var address: UInt {
        unsafe withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }  // Only compared.
    }
}

extension Channel {
    /// Closes the connection immediately; call it on the connection's event loop.
    ///
    /// With TLS a plain `close()` waits for the client's close_notify and keeps unsent data until
    /// then.
    func closeAtOnce() {
        let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        if let tls { tls.close(promise: nil) } else { close(promise: nil) }
    }

    /// Closes the connection with a TCP reset, so the kernel drops unsent data; call it on the
    /// connection's event loop.
    package func reset() {
        if let options = self as? any SocketOptionProvider {
            // If this fails, the connection is closed without a reset.
            _ = options.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        closeAtOnce()
    }
}
