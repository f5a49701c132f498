import AdminAPI
import ClientAPI
import Foundation
import HTTPServing
public import HTTPTypes
public import Logging
public import NIOCore
public import TemplateStore

/// Handles administrator requests without a server: the same routes on a store that this process
/// has opened.
///
/// ```swift
/// let local = try await LocalAdministration(store: store, administratorName: "ada", logger: logger)
/// let answer = await local.answer(method: .get, path: "/v1/projects/default/remoteConfig")
/// ```
///
/// It requires no token, since access to the store already allows everything.
public struct LocalAdministration: Sendable {
    /// The response to a request.
    public struct Answer: Sendable {
        /// The status code.
        public let status: HTTPResponse.Status
        /// The header fields.
        public let headerFields: HTTPFields
        /// The whole body.
        public let body: ByteBuffer
    }

    /// The prefix that the audit trail adds to the names of administrators who open a store
    /// directly.
    public static let namePrefix = Administrator.localNamePrefix

    private let dispatcher: RequestDispatcher
    private let caller: AdministratorCaller

    /// Creates an administration and reads a store.
    ///
    /// - Parameters:
    ///   - store: The store of templates and tokens; the caller closes it.
    ///   - administratorName: The actor recorded in the audit trail.
    ///   - logger: Receives the reasons for failures.
    /// - Throws: `TemplateStoreError` when the store cannot be read.
    public init(
        store: any TemplateStore, administratorName: String, logger: Logger
    ) async throws(TemplateStoreError) {
        let metrics = LibraryMetrics()
        let library = TemplateLibrary(store: store, logger: logger, metrics: metrics)
        try await library.load()
        let access = AdministratorAccess(environmentToken: nil)
        var administration = Administration(
            store: store, library: library, access: access, metrics: metrics, now: { Date() },
            // Allowed here because every server checks the address again before each delivery.
            allowsPrivateWebhooks: true)
        administration.exchangeCounts(logger: logger)
        dispatcher = RequestDispatcher(
            groups: [administration.group(recognition: nil)], unknownPath: RequestError.unknownPath,
            logger: logger)
        caller = AdministratorCaller(
            // Who may open the store may change everything in it; the reason is still recorded.
            Administrator(name: administratorName, role: .publisher, mayBypass: true))
    }

    /// Handles a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path and the query, percent-encoded.
    ///   - headerFields: The header fields.
    ///   - body: The whole body.
    /// - Returns: The response that a server would send.
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
