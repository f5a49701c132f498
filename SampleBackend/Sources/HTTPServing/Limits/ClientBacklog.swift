import Metrics
import NIOConcurrencyHelpers
package import NIOCore

/// Bounds the memory of what waits for clients, over all connections: answers and events that they
/// do not read, and requests that they sent ahead.
///
/// Over the limit, the connections that have kept something waiting longest are closed. A buffer
/// that many connections wait to send, such as a cached document or an event, counts once, since
/// there is only one of it.
package final class ClientBacklog: Sendable {
    /// Something that waits.
    package struct Ticket: Sendable, Hashable {
        fileprivate let number: Int
    }

    fileprivate struct Entry: Sendable {
        let channel: any Channel
        /// The bytes that no other entry shares.
        let ownBytes: Int
        /// Kept, so that its address is nobody else's meanwhile.
        let sharedBuffer: ByteBuffer?
    }

    fileprivate struct State: Sendable {
        /// What waits, by the number of its ticket.
        var entries: [Int: Entry] = [:]
        /// The holders of each shared buffer, by its address.
        var holders: [UInt: Int] = [:]
        var bytes = 0
        var nextNumber = 0
        /// No entry has a lower number.
        var oldestNumber = 0
    }

    private let state = NIOLockedValueBox(State())

    /// The most bytes.
    private let limit: Int

    private let cutOff = Counter(label: "activeconfig_connections_cut_off")
    private let gauge = Gauge(label: "activeconfig_client_backlog_bytes")

    /// Makes an empty backlog.
    ///
    /// - Parameter limit: The most bytes, as ``ServerLimits/clientBacklogBytes``.
    package init(limit: Int) {
        self.limit = limit
    }

    /// The bytes that wait.
    package var bytes: Int { state.withLockedValue { $0.bytes } }

    /// Counts something that waits, and closes the connections that are too much.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that nobody shares.
    ///   - sharedBuffer: A buffer that other connections may wait to send as well.
    ///   - channel: The connection.
    /// - Returns: What to give back by ``release(_:)``.
    package func hold(
        _ bytes: Int, sharedBuffer: ByteBuffer? = nil, for channel: any Channel
    ) -> Ticket {
        let (ticket, closed, total) = state.withLockedValue { state in
            let number = state.nextNumber
            state.nextNumber += 1
            state.add(
                Entry(channel: channel, ownBytes: bytes, sharedBuffer: sharedBuffer),
                number: number)
            var closed: [any Channel] = []
            while state.bytes > limit, let channel = state.removeOldest() {
                closed.append(channel)
            }
            return (Ticket(number: number), closed, state.bytes)
        }
        gauge.record(total)
        for other in closed {
            cutOff.increment()
            if other !== channel, other.eventLoop.inEventLoop {
                other.reset()
            } else {
                // Later: this is called while the connection's handlers are at work.
                other.eventLoop.execute { other.reset() }
            }
        }
        return ticket
    }

    /// Forgets what was sent, or whose connection is gone.
    package func release(_ ticket: Ticket) {
        let total = state.withLockedValue { state in
            state.remove(ticket.number)
            return state.bytes
        }
        gauge.record(total)
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

    fileprivate mutating func remove(_ number: Int) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        bytes -= entry.ownBytes
        guard let buffer = entry.sharedBuffer else { return }
        let count = holders[buffer.address, default: 1] - 1
        holders[buffer.address] = count == 0 ? nil : count
        if count == 0 { bytes -= buffer.readableBytes }
    }

    /// Forgets the entry that has waited longest.
    ///
    /// - Returns: Its connection; nil without entries.
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
    /// Where its bytes are.
    fileprivate var address: UInt {
        unsafe withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }  // compared only
    }
}
