import NIOConcurrencyHelpers
import NIOCore
import Synchronization

/// Limits the number of connections, and makes room for new ones when the limit is reached.
///
/// To make room, it closes the connection that has waited longest for its client: for a request,
/// for the rest of one, or for the client to read an answer. A client that holds many idle
/// connections therefore cannot lock others out. Streams are never closed to make room;
/// ``StreamPlaces`` limits them.
package final class ConnectionPlaces: Sendable {
    final class Occupant: Sendable {
        fileprivate let channel: any Channel
        /// When the wait for the client started, in nanoseconds of `NIODeadline`; 0 while the
        /// server works on an answer.
        fileprivate let waitingSince = Atomic<UInt64>(NIODeadline.now().uptimeNanoseconds)
        /// Index in the list, written under the list's lock; -1 when the connection is not in the
        /// list.
        fileprivate let index = Atomic(-1)

        fileprivate init(_ channel: any Channel) {
            self.channel = channel
        }
    }

    /// Number of connections to compare when one must be closed.
    private static let sampleSize = 64

    fileprivate struct State: Sendable {
        var occupants: [Occupant] = []
        /// Index at which the next sample begins.
        var sampleIndex = 0
    }

    private let state = NIOLockedValueBox(State())

    /// True when the next connection that starts to wait for its client should make room.
    private let needsRoom = Atomic(false)

    private let maximum: Int

    /// Creates an empty list for at most `maximum` connections, or ``minimum`` if that is more.
    package init(maximum: Int) {
        self.maximum = max(maximum, Self.minimum)
    }

    /// The minimum number of connections for the server to work: one in use, and one more, since
    /// room for the next connection is made in advance.
    package static let minimum = 2

    /// Adds a new connection in the waiting state.
    func enter(_ channel: any Channel) -> Occupant {
        let occupant = Occupant(channel)
        state.withLockedValue { state in
            occupant.index.store(state.occupants.count, ordering: .relaxed)
            state.occupants.append(occupant)
        }
        return occupant
    }

    /// Removes a connection that was closed or became a stream.
    func leave(_ occupant: Occupant) {
        state.withLockedValue { $0.remove(occupant) }
    }

    /// Records that a connection starts or stops to wait for its client.
    func setWaiting(_ isWaiting: Bool, _ occupant: Occupant) {
        let time = isWaiting ? NIODeadline.now().uptimeNanoseconds : 0
        occupant.waitingSince.store(time, ordering: .relaxed)
        if isWaiting, needsRoom.load(ordering: .relaxed) { makeRoom() }
    }

    /// Closes the connection that has waited longest for its client, among a sample.
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
        // Deferred because this may be called from the connection's own handlers.
        closed.channel.eventLoop.execute { closed.channel.closeAtOnce() }
    }
}

extension ConnectionPlaces.State {
    /// Removes a connection; idempotent.
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
    /// Returns true when a connection may be accepted in addition to `count`; otherwise makes room
    /// for it.
    func hasRoom(beside count: Int) -> Bool {
        let hasRoom = count < maximum
        if hasRoom { needsRoom.store(false, ordering: .relaxed) } else { makeRoom() }
        return hasRoom
    }
}
