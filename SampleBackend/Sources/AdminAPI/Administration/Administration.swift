package import ClientAPI
package import Foundation
package import HTTPServing
import HTTPTypes
import JSONTree
package import Logging
import Rendering
package import TemplateStore
import Templates

/// The operations of administrators (API 3); the routes translate them from and to HTTP.
package struct Administration: Sendable {
    package let store: any TemplateStore

    /// The published templates in memory, from which the server answers clients.
    ///
    /// It contains a publish before the publisher receives the response.
    package let library: TemplateLibrary

    package let access: AdministratorAccess
    package let metrics: LibraryMetrics

    /// Open streams of clients; nil in a process that serves no clients.
    package var hub: RealtimeHub?

    /// Reads the counts of other replicas; nil for a store that only one process uses.
    package var replicas: ReplicaBoard?

    /// Acknowledgements of versions by clients; nil when they are disabled.
    package var acknowledgements: Acknowledgements?

    /// The sampled signals of recent requests; nil when sampling is disabled.
    package var sample: SignalSample?

    /// The use of projects that is not stored yet; nil in a process that serves no clients.
    package var usage: UsageTally? { hub?.usage }

    package let now: @Sendable () -> Date

    /// This process, which counts connections and what apps report.
    package let process: ServerProcess

    /// The reason why calls to the store would only wait and fail; nil to call it.
    package var storeFault: @Sendable () async -> TemplateStoreError? = { nil }

    /// Receives the error of each failed call to the store, and when the call began.
    package var onStoreFailure: @Sendable (TemplateStoreError, ContinuousClock.Instant) -> Void = {
        _, _ in
    }

    /// The maximum number of bytes of an answer's body.
    package var maximumAnswerBytes = Int.max

    /// True when webhooks may point at private networks and at this machine.
    package var allowsPrivateWebhooks = false

    package init(
        store: any TemplateStore, library: TemplateLibrary, access: AdministratorAccess,
        metrics: LibraryMetrics, hub: RealtimeHub? = nil,
        acknowledgements: Acknowledgements? = nil, sample: SignalSample? = nil,
        now: @escaping @Sendable () -> Date,
        allowsPrivateWebhooks: Bool = false
    ) {
        self.store = store
        self.library = library
        self.access = access
        self.metrics = metrics
        self.hub = hub
        self.acknowledgements = acknowledgements
        self.sample = sample
        self.now = now
        process = ServerProcess(startDate: now())
        self.allowsPrivateWebhooks = allowsPrivateWebhooks
    }

    /// Exchanges counts with other processes, if the store lets them.
    package mutating func exchangeCounts(logger: Logger) {
        replicas = ReplicaBoard(
            store: store, hub: hub, acknowledgements: acknowledgements, process: process,
            logger: logger)
    }

    /// Calls the store, counts and logs its failure, and maps errors to a ``RequestError``.
    ///
    /// - Parameters:
    ///   - operation: The operation's name in the metrics.
    ///   - project: The project, for the error message.
    ///   - call: The call to the store.
    /// - Returns: The result of the call.
    /// - Throws: A ``RequestError``, with status 503 when the store is unavailable.
    package func callStore<Result>(
        _ operation: String, project: String = "",
        _ call: () async throws(TemplateStoreError) -> Result
    ) async throws(RequestError) -> Result {
        do throws(TemplateStoreError) {
            if let fault = await storeFault() { throw fault }
            let start = ContinuousClock.now
            do throws(TemplateStoreError) {
                return try await call()
            } catch {
                onStoreFailure(error, start)
                throw error
            }
        } catch {
            let requestError = RequestError(error, project: project)
            if requestError.httpStatus.code >= 500 {
                metrics.countStoreError(operation: operation)
                library.log(error, operation: operation)
            }
            throw requestError
        }
    }

    /// All stored tokens, oldest first.
    func storedTokens() async throws(RequestError) -> [StoredToken] {
        try await callStore("tokens") { () throws(TemplateStoreError) in
            try await store.tokens()
        }
    }

    /// A version of a project's template; the current one when `version` is nil.
    package func template(
        version: Int? = nil, inProject project: String
    ) async throws(RequestError) -> StoredTemplate {
        let stored = try await callStore("template", project: project) {
            () throws(TemplateStoreError) in
            try await store.template(version: version, inProject: project)
        }
        if let stored { return stored }
        guard let version, library.project(project) != nil else { throw .unknownProject(project) }
        throw .notFound(
            "Version \(version) of \"\(project)\" does not exist or is no longer kept: list the "
                + "versions.")
    }

    /// Published versions of a project, newest first.
    ///
    /// - Throws: A ``RequestError`` with status 404 when nothing is published in the project.
    func versions(
        inProject project: String, matching query: VersionQuery
    ) async throws(RequestError) -> VersionPage {
        try await checkExists(project)
        return try await callStore("versions", project: project) {
            () throws(TemplateStoreError) in
            try await store.versions(inProject: project, matching: query)
        }
    }

    /// - Throws: A ``RequestError`` with status 404 when nothing is published in the project.
    func checkExists(_ project: String) async throws(RequestError) {
        if library.project(project) == nil { _ = try await template(inProject: project) }
    }
}

extension WorkThreads {
    /// The threads for requests of administrators, which read, check and compare whole templates.
    static let administration = WorkThreads()
}
