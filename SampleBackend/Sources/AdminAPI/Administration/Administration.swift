package import ClientAPI
package import Foundation
package import HTTPServing
import HTTPTypes
import JSONTree
import Rendering
package import TemplateStore
import Templates

/// A type that does what administrators ask for (HTTP 3); the routes translate from and to HTTP.
package struct Administration: Sendable {
    /// Where templates are kept.
    package let store: any TemplateStore

    /// What clients are answered from; it hears of a publish here before the publisher does.
    package let library: TemplateLibrary

    /// The tokens.
    package let access: AdministratorAccess

    /// What is counted.
    package let metrics: LibraryMetrics

    /// Who listens; nil where no client can.
    package var hub: RealtimeHub?

    /// The clock.
    package let now: @Sendable () -> Date

    /// Whether webhooks may be made on private networks and on this machine.
    package var allowsPrivateWebhooks = false

    package init(
        store: any TemplateStore, library: TemplateLibrary, access: AdministratorAccess,
        metrics: LibraryMetrics, hub: RealtimeHub? = nil, now: @escaping @Sendable () -> Date,
        allowsPrivateWebhooks: Bool = false
    ) {
        self.store = store
        self.library = library
        self.access = access
        self.metrics = metrics
        self.hub = hub
        self.now = now
        self.allowsPrivateWebhooks = allowsPrivateWebhooks
    }

    /// Runs a call of the store, counts its failure, and turns that into a client's error.
    ///
    /// - Parameters:
    ///   - operation: What the store is asked for, for the metrics.
    ///   - project: The project that is asked for.
    ///   - call: The call.
    /// - Returns: What the call returns.
    /// - Throws: A ``RequestError``, with status 503 when the store is away.
    package func callStore<Result>(
        _ operation: String, project: String = "",
        _ call: () async throws(TemplateStoreError) -> Result
    ) async throws(RequestError) -> Result {
        do throws(TemplateStoreError) {
            return try await call()
        } catch {
            let requestError = RequestError(error, project: project)
            if requestError.httpStatus.code >= 500 {
                metrics.countStoreError(operation: operation)
                library.log(error, operation: operation)
            }
            throw requestError
        }
    }

    /// Makes this server know the tokens that are stored.
    package func reloadTokens() async throws(RequestError) {
        access.setTokens(try await storedTokens())
    }

    /// All tokens of the store, the oldest first, sessions of the console among them.
    func storedTokens() async throws(RequestError) -> [StoredToken] {
        try await callStore("tokens") { () throws(TemplateStoreError) in
            try await store.tokens()
        }
    }

    /// A version of a project's template; the current one without a number.
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

    /// Throws a ``RequestError`` with status 404 unless something was published in a project.
    func checkExists(_ project: String) async throws(RequestError) {
        if library.project(project) == nil { _ = try await template(inProject: project) }
    }
}
