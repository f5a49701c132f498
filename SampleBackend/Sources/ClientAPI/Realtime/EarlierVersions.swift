import HTTPServing
import NIOCore
import Rendering
import TemplateStore
import Templates

/// A cache of earlier versions for clients that reconnect; each is read and compiled once for all
/// clients.
///
/// Compiling a large template takes as long as thousands of requests, and a client may resume from
/// any version. Therefore the cache and the compilations per second are both limited, measured by
/// the size of the templates. The cache belongs to one thread.
final class EarlierVersions {
    private struct Entry {
        let template: EventLoopFuture<CompiledTemplate?>
        /// Stored size in bytes; nil while it is being read.
        var size: Int?
        /// The value of the use counter at the last request, for evicting the least recently used.
        var use: UInt64
    }

    /// Maximum bytes of cached templates.
    private static let maximumKeptBytes = 8 << 20

    /// Maximum concurrent reads.
    private static let maximumReads = 4

    /// The minimum size that a version counts, in bytes.
    private static let minimumSize = 16 << 10

    private let project: String
    private let library: TemplateLibrary

    /// Entries by version number.
    private var entries: [Int: Entry] = [:]

    /// A counter of requests, which orders entries by their last use.
    private var use: UInt64 = 0

    private var allowance: Allowance

    init(project: String, library: TemplateLibrary, now: NIODeadline = .now()) {
        self.project = project
        self.library = library
        allowance = Allowance(now: now)
    }

    /// A compiled version.
    ///
    /// The future's value is nil when the version is no longer stored or cannot be read; it fails
    /// with the store's error.
    ///
    /// Returns nil when too many versions are being read, or too much was compiled recently.
    func version(
        _ number: Int, on eventLoop: any EventLoop, now: NIODeadline = .now()
    ) -> EventLoopFuture<CompiledTemplate?>? {
        use += 1
        if entries[number] != nil {
            entries[number]?.use = use
            return entries[number]?.template
        }
        let reads = entries.values.count { $0.size == nil }
        guard reads < Self.maximumReads, allowance.isLeft(at: now) else { return nil }
        let promise = eventLoop.makePromise(of: (template: CompiledTemplate, size: Int)?.self)
        Task(executorPreference: WorkThreads.streams) { [library, project] in
            do {
                promise.succeed(try await library.version(number, ofProject: project))
            } catch {
                promise.fail(error)
            }
        }
        let version = promise.futureResult
        let template = version.map { $0?.template }
        entries[number] = Entry(template: template, use: use)
        version.assumeIsolated().whenComplete { result in
            switch result {
            case .success(let version): self.keep(number, size: version?.size ?? 0)
            // Failures are not cached.
            case .failure: self.entries[number] = nil
            }
        }
        return template
    }

    /// Accounts for a version that was read, and evicts the least recently used versions.
    private func keep(_ number: Int, size: Int) {
        let size = max(size, Self.minimumSize)
        allowance.spend(size)
        entries[number]?.size = size
        var total = entries.values.reduce(0) { $0 + ($1.size ?? 0) }
        // names: the key is a number
        let oldest = entries.filter { $0.key != number && $0.value.size != nil }
            .sorted { $0.value.use < $1.value.use }
        for (key, entry) in oldest where total > Self.maximumKeptBytes {
            total -= entry.size ?? 0
            entries[key] = nil
        }
    }
}

extension EarlierVersions {
    /// A token bucket for compilations, in bytes of templates.
    struct Allowance {
        /// Capacity in bytes.
        private static let maximum = 8.0 * 1_048_576

        /// Refill rate in bytes per second.
        private static let bytesPerSecond = 1_048_576.0

        /// Remaining bytes; negative after a large template.
        private var bytes = Self.maximum

        /// The time of the last refill.
        private var time: NIODeadline

        init(now: NIODeadline) { time = now }

        mutating func isLeft(at now: NIODeadline) -> Bool {
            let seconds = Double(max((now - time).nanoseconds, 0)) / 1_000_000_000
            bytes = min(bytes + seconds * Self.bytesPerSecond, Self.maximum)
            time = max(time, now)
            return bytes > 0
        }

        mutating func spend(_ size: Int) { bytes -= Double(size) }
    }
}

@available(*, unavailable)
extension EarlierVersions: Sendable {}
