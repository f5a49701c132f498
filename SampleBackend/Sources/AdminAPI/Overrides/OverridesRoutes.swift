import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import NIOCore
import NIOFoundationEssentialsCompat
import TemplateStore
import Templates

/// The routes of API 3 for the pinned values of a user.
struct OverridesRoutes: Sendable {
    let administration: Administration

    var routes: [Route] {
        [
            Route(
                "/v1/projects/{project}/users/{userID}/overrides",
                [
                    .get: Endpoint(access: RoleAccess(.viewer), handler: get),
                    .put: Endpoint(access: RoleAccess(.publisher), handler: put),
                    .delete: Endpoint(access: RoleAccess(.publisher), handler: delete),
                ])
        ]
    }

    @Sendable
    private func get(_ request: RouteRequest) async throws -> RouteResponse {
        guard let content = try await content(for: request) else { throw Self.nothingPinned }
        return Self.answer(content)
    }

    @Sendable
    private func put(_ request: RouteRequest) async throws -> RouteResponse {
        let overrides: OverridesDocument
        do {
            overrides = try OverridesDocument(jsonData: Data(buffer: request.body))
        } catch {
            throw RequestError.invalidPins(error)
        }
        let content = overrides.json.jsonData()
        try await set(content, for: request)
        return Self.answer(content)
    }

    private static func answer(_ content: Data) -> RouteResponse {
        .json(
            ByteBuffer(bytes: content),
            headerFields: [
                .eTag: "\"\(OverridesChange.tag(of: content))\"", .cacheControl: "no-store",
            ])
    }

    @Sendable
    private func delete(_ request: RouteRequest) async throws -> RouteResponse {
        guard try await content(for: request) != nil else { throw Self.nothingPinned }
        try await set(nil, for: request)
        return .json(.emptyObject)
    }

    /// The pinned values, as stored.
    private func content(for request: RouteRequest) async throws(RequestError) -> Data? {
        try await administration.checkExists(request.project)
        return try await administration.callStore("overrides", project: request.project) {
            () throws(TemplateStoreError) in
            try await administration.store.overrides(
                forUserID: request.userID, inProject: request.project)
        }
    }

    /// Replaces the pinned values that the request expects, by default any, and makes the library
    /// read the new ones; nil removes them.
    private func set(_ content: Data?, for request: RouteRequest) async throws(RequestError) {
        let change = OverridesChange(
            project: request.project, userID: request.userID, content: content,
            expectation: try StateExpectation(request.headerFields) ?? .any,
            date: administration.now(), actor: request.administrator?.name ?? "")
        try await administration.callStore("set_overrides", project: request.project) {
            () throws(TemplateStoreError) in
            try await administration.store.setOverrides(change)
        }
        // The values are stored, so a failure here is only counted and logged; the store follower
        // reads them later.
        try? await administration.callStore("overrides", project: request.project) {
            () throws(TemplateStoreError) in
            try await administration.library.readOverrides(
                ofUser: request.userID, inProject: request.project)
        }
    }

    private static let nothingPinned = RequestError.notFound(
        "Nothing is pinned for this user: pin values with PUT.")
}

extension RouteRequest {
    fileprivate var userID: String { parameters["userID"] ?? "" }
}
