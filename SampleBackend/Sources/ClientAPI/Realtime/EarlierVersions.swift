import NIOCore
import Rendering
import TemplateStore

/// The earlier versions that clients come back with, each read and worked out once for all of them.
///
/// To work out a large template takes as long as thousands of requests, and a client may come back
/// with any version. So what is kept and what is worked out in a second are bounded by the size of
/// the templates. It belongs to one thread.
final class EarlierVersions {
    /// A version that was asked for.
    private struct Entry {
        /// The version, worked out.
        let template: EventLoopFuture<CompiledTemplate?>
        /// The bytes it is stored in; nil while it is read.
        var size: Int?
        /// The number of the last question for it.
        var use: UInt64
    }

    /// The most bytes of templates that are kept.
    private static let maximumKeptBytes = 8 << 20

    /// The most versions that are read at once.
    private static let maximumReads = 4

    /// The bytes that a version counts for at least.
    private static let minimumSize = 16 << 10

    /// The project's name.
    private let project: String

    /// What reads them.
    private let library: TemplateLibrary

    /// The versions that were asked for.
    private var entries: [Int: Entry] = [:]

    /// The number of the last question.
    private var use: UInt64 = 0

    /// What may still be worked out now.
    private var allowance: Allowance

    /// Makes an empty collection.
    init(project: String, library: TemplateLibrary, now: NIODeadline = .now()) {
        self.project = project
        self.library = library
        allowance = Allowance(now: now)
    }

    /// A version, worked out; nil when it is no longer kept.
    ///
    /// - Parameters:
    ///   - number: The version's number.
    ///   - eventLoop: The thread.
    ///   - now: The time.
    /// - Returns: The version, or the error of the store; nil when too much was worked out lately.
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
        let version = eventLoop.makeFutureWithTask { [library, project] in
            try await library.version(number, ofProject: project)
        }
        let template = version.map { $0?.template }
        entries[number] = Entry(template: template, use: use)
        version.assumeIsolated().whenComplete { result in
            switch result {
            case .success(let version): self.keep(number, size: version?.size ?? 0)
            // What failed is read again.
            case .failure: self.entries[number] = nil
            }
        }
        return template
    }

    /// Counts a version that was read, and forgets those that were asked for longest ago.
    private func keep(_ number: Int, size: Int) {
        let size = max(size, Self.minimumSize)
        allowance.spend(size)
        entries[number]?.size = size
        var total = entries.values.reduce(0) { $0 + ($1.size ?? 0) }
        let oldest = entries.filter { $0.key != number && $0.value.size != nil }
            .sorted { $0.value.use < $1.value.use }
        for (key, entry) in oldest where total > Self.maximumKeptBytes {
            total -= entry.size ?? 0
            entries[key] = nil
        }
    }
}

extension EarlierVersions {
    /// The bytes of templates that may be worked out: some at once, then so many a second.
    struct Allowance {
        /// The most bytes at once.
        private static let maximum = 8.0 * 1_048_576

        /// The bytes that are added in a second.
        private static let bytesPerSecond = 1_048_576.0

        /// The bytes that are left; less than 0 after a large template.
        private var bytes = Self.maximum

        /// When that was so.
        private var time: NIODeadline

        /// Makes a full allowance.
        init(now: NIODeadline) { time = now }

        /// Whether anything is left.
        mutating func isLeft(at now: NIODeadline) -> Bool {
            let seconds = Double(max((now - time).nanoseconds, 0)) / 1_000_000_000
            bytes = min(bytes + seconds * Self.bytesPerSecond, Self.maximum)
            time = max(time, now)
            return bytes > 0
        }

        /// Takes bytes away.
        mutating func spend(_ size: Int) { bytes -= Double(size) }
    }
}

@available(*, unavailable)
extension EarlierVersions: Sendable {}
