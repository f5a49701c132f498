/// A type that says how many streams are open, and which versions their clients have.
package struct ConnectionCounts: Sendable, Hashable {
    /// The streams by the newest version of which their client has everything.
    package private(set) var versions: [Int: Int] = [:]

    /// All streams.
    package var count: Int { versions.values.reduce(0, +) }

    /// Counts nothing.
    init() {}

    /// Counts the streams of one thread.
    init(_ project: ProjectStreams) {
        for stream in project.streams { versions[stream.deliveredVersion, default: 0] += 1 }
    }

    /// Adds the streams of another thread.
    mutating func add(_ other: ConnectionCounts) {
        versions.merge(other.versions, uniquingKeysWith: +)
    }
}
