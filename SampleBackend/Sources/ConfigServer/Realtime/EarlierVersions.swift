import NIOCore
import Rendering
import TemplateStore

/// A type that reads earlier versions for clients that come back, each once for all of them.
///
/// It belongs to one thread.
final class EarlierVersions {
    /// The most versions that are kept.
    private static let maximumCount = 8

    /// The project's name.
    private let project: String

    /// What reads them.
    private let library: TemplateLibrary

    /// The versions that were asked for, the last one at the end.
    private var versions: [(number: Int, template: EventLoopFuture<CompiledTemplate?>)] = []

    /// Makes an empty collection.
    init(project: String, library: TemplateLibrary) {
        self.project = project
        self.library = library
    }

    /// A version, worked out; nil when it is no longer kept.
    ///
    /// - Parameters:
    ///   - number: The version's number.
    ///   - eventLoop: The thread.
    /// - Returns: The version, or the error of the store.
    func version(
        _ number: Int, on eventLoop: any EventLoop
    ) -> EventLoopFuture<CompiledTemplate?> {
        if let known = versions.first(where: { $0.number == number }) { return known.template }
        let template = eventLoop.makeFutureWithTask { [library, project] in
            try await library.version(number, ofProject: project)
        }
        if versions.count == Self.maximumCount { versions.removeFirst() }
        versions.append((number, template))
        // What failed is read again.
        template.assumeIsolated().whenFailure { _ in
            self.versions.removeAll { $0.number == number }
        }
        return template
    }
}

@available(*, unavailable)
extension EarlierVersions: Sendable {}
