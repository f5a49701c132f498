import Foundation
package import HTTPServing
import NIOConcurrencyHelpers
import NIOCore
import Rendering

/// Distributes changes of the library to the open streams (HTTP 2).
///
/// Each event loop thread has its own streams, and works on them without a lock. The hub only
/// notifies the threads, which read the current state from the library.
package final class RealtimeHub: Sendable {
    /// Minimum period over which clients reconnect after a shutdown, in milliseconds.
    private static let minimumSpread = 1_000

    /// Maximum period over which clients reconnect after a shutdown, in milliseconds.
    private static let maximumSpread = 30_000

    private struct State: Sendable {
        /// The streams of each thread, by its event loop.
        var threads: [ObjectIdentifier: NIOLoopBound<StreamThread>] = [:]
        /// Changed overrides by project.
        var traces: [String: OverrideTraces] = [:]
        /// Open streams.
        var count = 0
        /// Maximum of `count` so far.
        var peak = 0
    }

    private let state = NIOLockedValueBox(State())

    package let library: TemplateLibrary

    let limits: ServerLimits

    let places: StreamPlaces

    let metrics = RealtimeMetrics()

    /// Creates a hub that observes a library from now on; `maximumStreams` nil means no limit.
    package init(library: TemplateLibrary, limits: ServerLimits, maximumStreams: Int? = nil) {
        self.library = library
        self.limits = limits
        places = StreamPlaces(
            maximum: maximumStreams, maximumPerAddress: limits.streamsPerAddress)
        library.observe { [weak self] in self?.tell($0) }
    }

    /// Creates a stream on the current event loop; nil when there is no such project.
    ///
    /// The stream ends when the client's token expires, unless `tokenEnd` is nil.
    func makeStream(
        _ request: StreamRequest, place: StreamPlace, tokenEnd: Date?, connection: StreamConnection
    ) -> EventStream? {
        let eventLoop = connection.eventLoop
        let thread = state.withLockedValue { state in
            let key = ObjectIdentifier(eventLoop)
            if let thread = state.threads[key] { return thread }
            let thread = NIOLoopBound(
                StreamThread(hub: self, eventLoop: eventLoop), eventLoop: eventLoop)
            state.threads[key] = thread
            return thread
        }
        return thread.value.makeStream(
            request, place: place, tokenEnd: tokenEnd, connection: connection)
    }

    /// Ends all streams, and tells their clients when to reconnect.
    package func endAll() async {
        for thread in threads {
            try? await thread.eventLoop.submit { thread.value.endAll() }.get()
        }
    }

    /// The open streams of a project, counted by their clients' versions.
    package func connections(inProject project: String) async -> ConnectionCounts {
        var counts = ConnectionCounts()
        for thread in threads {
            let part = try? await thread.eventLoop.submit {
                thread.value.project(project).map(ConnectionCounts.init) ?? ConnectionCounts()
            }.get()
            if let part { counts.add(part) }
        }
        return counts
    }

    /// The clients with an open stream of a project.
    package func listeners(inProject project: String) async -> [StreamListener] {
        var listeners: [StreamListener] = []
        for thread in threads {
            let part = try? await thread.eventLoop.submit {
                thread.value.project(project)?.streams.map(StreamListener.init) ?? []
            }.get()
            listeners += part ?? []
        }
        return listeners
    }

    func streamOpened() {
        let count = state.withLockedValue { state in
            state.count += 1
            state.peak = max(state.peak, state.count)
            return state.count
        }
        metrics.setConnections(count)
    }

    func streamClosed() {
        let count = state.withLockedValue { state in
            state.count -= 1
            return state.count
        }
        metrics.setConnections(count)
    }

    /// A random delay in milliseconds until a client reconnects, so that not all reconnect at once.
    ///
    /// With a peak of 10,000 streams it is below 5,000.
    func reconnectDelay() -> Int {
        let peak = state.withLockedValue { $0.peak }
        let spread = min(max(peak / 2, Self.minimumSpread), Self.maximumSpread)
        return Int.random(in: 0..<spread)
    }

    /// The changed overrides of a project.
    func overrideTraces(inProject project: String) -> OverrideTraces {
        state.withLockedValue { $0.traces[project] ?? OverrideTraces() }
    }

    private var threads: [NIOLoopBound<StreamThread>] {
        state.withLockedValue { Array($0.threads.values) }
    }

    /// Forwards a change to all threads.
    private func tell(_ change: LibraryChange) {
        if case .overrides(let project, let userID, let sections) = change {
            state.withLockedValue {
                $0.traces[project, default: OverrideTraces()].add(sections, ofUser: userID)
            }
        }
        for thread in threads {
            thread.eventLoop.execute { thread.value.tell(change) }
        }
    }
}
