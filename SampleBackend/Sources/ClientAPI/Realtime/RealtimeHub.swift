import Foundation
package import HTTPServing
import NIOConcurrencyHelpers
import NIOCore
import Rendering

/// A type that connects what changes in the library with the streams that are open (HTTP 2).
///
/// Each thread of connections has streams of its own, and works on them without a lock. The hub
/// tells the threads that something changed; what, they see in the library.
package final class RealtimeHub: Sendable {
    /// The shortest time in which the clients of a server that ends come back.
    private static let minimumSpread = 1_000

    /// The longest time in which they come back.
    private static let maximumSpread = 30_000

    /// What is shared by all threads.
    private struct State: Sendable {
        /// The streams by thread.
        var threads: [ObjectIdentifier: NIOLoopBound<StreamThread>] = [:]
        /// For which users pinned values changed, by project.
        var traces: [String: OverrideTraces] = [:]
        /// How many streams are open.
        var count = 0
        /// How many were open at most.
        var peak = 0
    }

    private let state = NIOLockedValueBox(State())

    /// What holds the current configurations.
    package let library: TemplateLibrary

    /// What bounds a stream.
    let limits: ServerLimits

    /// What bounds how many streams there are.
    let places: StreamPlaces

    /// What is counted.
    let metrics = RealtimeMetrics()

    /// Makes a hub that follows a library from now on.
    ///
    /// - Parameters:
    ///   - library: What holds the current configurations.
    ///   - limits: What bounds a stream.
    ///   - maximumStreams: The most streams; nil sets no limit.
    package init(library: TemplateLibrary, limits: ServerLimits, maximumStreams: Int? = nil) {
        self.library = library
        self.limits = limits
        places = StreamPlaces(
            maximum: maximumStreams, maximumPerAddress: limits.streamsPerAddress)
        library.observe { [weak self] in self?.tell($0) }
    }

    /// Opens a stream on the thread that runs this.
    ///
    /// The stream ends with the client's token, if that ends. It is nil when there is no such project.
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

    /// Ends all streams that are still open, and tells their clients when to come back.
    package func endAll() async {
        for thread in threads {
            try? await thread.eventLoop.submit { thread.value.endAll() }.get()
        }
    }

    /// How many streams of a project are open, and which versions their clients have.
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

    /// Who listens to a project now.
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

    /// A stream was opened.
    func streamOpened() {
        let count = state.withLockedValue { state in
            state.count += 1
            state.peak = max(state.peak, state.count)
            return state.count
        }
        metrics.setConnections(count)
    }

    /// A stream was closed.
    func streamClosed() {
        let count = state.withLockedValue { state in
            state.count -= 1
            return state.count
        }
        metrics.setConnections(count)
    }

    /// When a client comes back to a server that ends: at random, so that not all come at once.
    ///
    /// - Returns: Milliseconds; with 10,000 streams, from 0 to 5,000.
    func reconnectDelay() -> Int {
        let peak = state.withLockedValue { $0.peak }
        let spread = min(max(peak / 2, Self.minimumSpread), Self.maximumSpread)
        return Int.random(in: 0..<spread)
    }

    /// For which users of a project pinned values changed.
    func overrideTraces(inProject project: String) -> OverrideTraces {
        state.withLockedValue { $0.traces[project] ?? OverrideTraces() }
    }

    /// The streams of all threads.
    private var threads: [NIOLoopBound<StreamThread>] {
        state.withLockedValue { Array($0.threads.values) }
    }

    /// Tells the streams that something changed.
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
