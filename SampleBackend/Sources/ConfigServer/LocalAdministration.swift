import AdminAPI
import ClientAPI
import Foundation
import HTTPServing
public import HTTPTypes
public import Logging
public import NIOCore
public import TemplateStore

/// Answers an administrator without a server: the same routes, over a store that is open in this
/// process.
///
/// ```swift
/// let local = try await LocalAdministration(store: store, administratorName: "ada", logger: logger)
/// let answer = await local.answer(method: .get, path: "/v1/projects/default/remoteConfig")
/// ```
///
/// Whoever can open the store may do everything, so no token is asked for.
public struct LocalAdministration: Sendable {
    /// The answer of a route.
    public struct Answer: Sendable {
        /// The status.
        public let status: HTTPResponse.Status
        /// The fields.
        public let headerFields: HTTPFields
        /// The body.
        public let body: ByteBuffer
    }

    /// Prefix of the names, in the audit trail, of administrators who open a store themselves.
    public static let namePrefix = Administrator.localNamePrefix

    private let dispatcher: RequestDispatcher
    private let caller: AdministratorCaller

    /// Reads a store.
    ///
    /// - Parameters:
    ///   - store: Where templates and tokens are kept; who made it closes it.
    ///   - administratorName: Who administers; it stands in the audit trail.
    ///   - logger: Gets the reasons of failures.
    /// - Throws: `TemplateStoreError` when the store cannot be read.
    public init(
        store: any TemplateStore, administratorName: String, logger: Logger
    ) async throws(TemplateStoreError) {
        let metrics = LibraryMetrics()
        let library = TemplateLibrary(store: store, logger: logger, metrics: metrics)
        try await library.load()
        let access = AdministratorAccess(environmentToken: nil)
        let administration = Administration(
            store: store, library: library, access: access, metrics: metrics, now: { Date() },
            // Each server decides at each delivery; whoever can open the store runs it.
            allowsPrivateWebhooks: true)
        dispatcher = RequestDispatcher(
            groups: [administration.group(recognition: nil)], unknownPath: .unknownPath,
            logger: logger)
        caller = AdministratorCaller(
            Administrator(name: administratorName, role: .publisher))
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path and the query, percent-encoded.
    ///   - headerFields: The fields.
    ///   - body: The body.
    /// - Returns: What a server would have answered.
    public func answer(
        method: HTTPRequest.Method, path: String, headerFields: HTTPFields = [:],
        body: ByteBuffer = ByteBuffer()
    ) async -> Answer {
        let response = await dispatcher.respond(
            method: method, path: path, headerFields: headerFields, body: body, caller: caller)
        return Answer(
            status: response.status, headerFields: response.headerFields, body: response.body)
    }
}
