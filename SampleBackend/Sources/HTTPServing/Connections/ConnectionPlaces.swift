import NIOConcurrencyHelpers
import NIOCore
import Synchronization

/// Counts the connections of a server, and makes room for new ones when all places are taken.
///
/// Then the connection is closed that has waited longest for its client: for a request, for the
/// rest of one, or for an answer to be read. So whoever opens connections and leaves them idle
/// keeps nobody else out. Streams never make room; ``StreamPlaces`` bounds them.
package final class ConnectionPlaces: Sendable {
    /// A connection that is no stream.
    final class Occupant: Sendable {
        fileprivate let channel: any Channel
        /// Since when the connection waits for its client, as `NIODeadline`; 0 while the server is
        /// at work.
        fileprivate let waitingSince = Atomic<UInt64>(NIODeadline.now().uptimeNanoseconds)
        /// The index in the list, changed while it is locked; -1 outside.
        fileprivate let index = Atomic(-1)

        fileprivate init(_ channel: any Channel) {
            self.channel = channel
        }
    }

    /// How many connections are compared to find one to close.
    private static let sampleSize = 64

    fileprivate struct State: Sendable {
        var occupants: [Occupant] = []
        /// Where the next sample begins.
        var sampleIndex = 0
    }

    private let state = NIOLockedValueBox(State())

    /// Whether the next connection that waits for its client is closed.
    private let needsRoom = Atomic(false)

    /// The most connections.
    private let maximum: Int

    /// Makes places.
    ///
    /// - Parameter maximum: The most connections, from 1.
    package init(maximum: Int) {
        self.maximum = maximum
    }

    /// Remembers a new connection, which waits for its client.
    func enter(_ channel: any Channel) -> Occupant {
        let occupant = Occupant(channel)
        state.withLockedValue { state in
            occupant.index.store(state.occupants.count, ordering: .relaxed)
            state.occupants.append(occupant)
        }
        return occupant
    }

    /// Forgets a connection that ended, or became a stream.
    func leave(_ occupant: Occupant) {
        state.withLockedValue { $0.remove(occupant) }
    }

    /// Notes whether a connection waits for its client from now on.
    func setWaiting(_ isWaiting: Bool, _ occupant: Occupant) {
        let time = isWaiting ? NIODeadline.now().uptimeNanoseconds : 0
        occupant.waitingSince.store(time, ordering: .relaxed)
        if isWaiting, needsRoom.load(ordering: .relaxed) { makeRoom() }
    }

    /// Closes the connection that has waited longest for its client, of those that are compared.
    private func makeRoom() {
        let closed = state.withLockedValue { state -> Occupant? in
            let count = min(state.occupants.count, Self.sampleSize)
            var longest: (occupant: Occupant, time: UInt64)?
            for offset in 0..<count {
                let occupant = state.occupants[(state.sampleIndex + offset) % state.occupants.count]
                let time = occupant.waitingSince.load(ordering: .relaxed)
                if time > 0, longest.map({ time < $0.time }) ?? true { longest = (occupant, time) }
            }
            state.sampleIndex &+= count
            if let longest { state.remove(longest.occupant) }
            if !state.occupants.isEmpty { state.sampleIndex %= state.occupants.count }
            return longest?.occupant
        }
        needsRoom.store(closed == nil, ordering: .relaxed)
        guard let closed else { return }
        // Later: this may be called while the connection's handlers are at work.
        closed.channel.eventLoop.execute { closed.channel.closeAtOnce() }
    }
}

extension ConnectionPlaces.State {
    /// Removes a connection, once.
    fileprivate mutating func remove(_ occupant: ConnectionPlaces.Occupant) {
        let index = occupant.index.exchange(-1, ordering: .relaxed)
        guard index >= 0 else { return }
        let last = occupants.removeLast()
        guard last !== occupant else { return }
        occupants[index] = last
        last.index.store(index, ordering: .relaxed)
    }
}

extension ConnectionPlaces {
    /// Whether a connection more may be accepted beside so many; if not, room is made for one.
    func hasRoom(beside count: Int) -> Bool {
        let hasRoom = count < maximum
        if hasRoom { needsRoom.store(false, ordering: .relaxed) } else { makeRoom() }
        return hasRoom
    }
}
