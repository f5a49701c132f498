/// Open streams, counted by the version that their clients have.
package struct ConnectionCounts: Sendable, Hashable {
    /// Number of streams by the newest version that was fully delivered to their client.
    package private(set) var versions: [Int: Int] = [:]

    package var count: Int { versions.values.reduce(0, +) }

    init() {}

    /// Counts the streams of one thread.
    init(_ project: ProjectStreams) {
        for stream in project.streams { versions[stream.deliveredVersion, default: 0] += 1 }
    }

    mutating func add(_ other: ConnectionCounts) {
        versions.merge(other.versions, uniquingKeysWith: +)
    }
}
