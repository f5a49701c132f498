import AdminAPI
import ClientAPI
import Foundation
import HTTPServing
public import HTTPTypes
public import Logging
public import NIOCore
public import TemplateStore

/// Handles administrator requests without a server: the same routes over a store that is open in
/// this process.
///
/// ```swift
/// let local = try await LocalAdministration(store: store, administratorName: "ada", logger: logger)
/// let answer = await local.answer(method: .get, path: "/v1/projects/default/remoteConfig")
/// ```
///
/// No token is needed: access to the store already allows everything.
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

    /// Prefix, in the audit trail, of the names of administrators who open a store directly.
    public static let namePrefix = Administrator.localNamePrefix

    private let dispatcher: RequestDispatcher
    private let caller: AdministratorCaller

    /// Creates an administration and reads a store.
    ///
    /// - Parameters:
    ///   - store: Keeps templates and tokens; the caller closes it.
    ///   - administratorName: The actor recorded in the audit trail.
    ///   - logger: Receives the reasons of failures.
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
            // Allowed here, because each server checks the address again at every delivery.
            allowsPrivateWebhooks: true)
        administration.replicas = ReplicaBoard(
            store: store, hub: nil, acknowledgements: nil, logger: logger)
        dispatcher = RequestDispatcher(
            groups: [administration.group(recognition: nil)], unknownPath: RequestError.unknownPath,
            logger: logger)
        caller = AdministratorCaller(
            Administrator(name: administratorName, role: .publisher))
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
