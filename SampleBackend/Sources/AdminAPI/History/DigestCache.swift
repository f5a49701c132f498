import HTTPServing
import TemplateStore

/// What the versions of a project say, computed from their templates.
protocol VersionDigest: Sendable {
    /// Reads the versions of a project, or continues an earlier digest.
    static func read(
        from project: some VersionReading, after earlier: Self?
    ) async throws -> Self
}

/// A cache of the most recently requested digests.
///
/// It reads one digest at a time, since the first request of a project reads and checks up to
/// hundreds of templates.
actor DigestCache<Digest: VersionDigest> {
    /// Maximum number of cached digests.
    private static var maximumProjects: Int { 16 }

    /// Least recently used first.
    private var digests: [(project: String, digest: Digest)] = []

    private var reading: Task<Digest, any Error>?

    /// Returns the digest up to the current version.
    func digest(
        ofProject name: String, from project: some VersionReading
    ) async throws -> Digest {
        // A read in progress may have started before the latest version was published, so wait for
        // it and read again.
        while let task = reading {
            _ = await task.result
            // The actor may run this before the caller that started the task has cleared it.
            if reading == task { reading = nil }
        }
        let earlier = digests.first { $0.project == name }?.digest
        let task = Task(executorPreference: WorkThreads.administration) {
            try await Digest.read(from: project, after: earlier)
        }
        reading = task
        defer { if reading == task { reading = nil } }
        let digest = try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
        digests.removeAll { $0.project == name }
        digests.append((name, digest))
        if digests.count > Self.maximumProjects { digests.removeFirst() }
        return digest
    }
}
