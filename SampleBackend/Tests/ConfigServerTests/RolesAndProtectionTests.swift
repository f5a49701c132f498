import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import AdminAPI
@testable import ConfigServer

/// Who may do what, with and without a protection: a row for each route of administrators (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RolesAndProtectionTests {
    /// What a protection changes for those whose role suffices.
    private enum Effect {
        case none
        /// The call needs approvals.
        case approvals
        /// The call needs a token that may bypass approvals.
        case bypass
    }

    private struct Row {
        let role: StoredToken.Role
        var effect = Effect.none
        var body: JSONNode = [:]
        var query = ""
    }

    private static let project = "/v1/projects/{project}"
    private static let template: JSONNode = [
        "parameters": ["a": ["defaultValue": ["value": "2"]]]
    ]
    private static let requestBody: JSONNode = [
        "title": "Title", "template": template, "base": "etag-default-1",
    ]

    /// The lowest role by method and path, of a change request that somebody else has made.
    private static let rows: [String: Row] = [
        "GET /v1/projects": Row(role: .viewer),
        "POST /v1/projects": Row(role: .publisher, body: ["project": "new"]),
        "DELETE \(project)": Row(role: .publisher, effect: .bypass, query: "?confirm=default"),
        "GET \(project)/details": Row(role: .viewer),
        "PUT \(project)/details": Row(role: .publisher, body: ["displayName": "Shop"]),
        "PATCH \(project)/details": Row(role: .publisher, body: ["displayName": "Shop"]),
        "GET \(project)/protection": Row(role: .viewer),
        "PUT \(project)/protection": Row(role: .publisher),
        "POST /v1/conditions:parse": Row(role: .viewer, body: ["expression": "true"]),
        "GET \(project)/remoteConfig": Row(role: .viewer),
        "PUT \(project)/remoteConfig": Row(
            role: .publisher, effect: .approvals, body: template),
        "GET \(project)/remoteConfig:listVersions": Row(role: .viewer),
        "POST \(project)/remoteConfig:rollback": Row(
            role: .publisher, effect: .approvals, body: ["versionNumber": "1"]),
        "POST \(project)/remoteConfig:undo": Row(
            role: .publisher, effect: .approvals, body: ["versionNumber": "2"]),
        "GET \(project)/remoteConfig:downloadDefaults": Row(role: .viewer, query: "?format=JSON"),
        "GET \(project)/namespaces/firebase-server/serverRemoteConfig": Row(role: .evaluator),
        "GET \(project)/remoteConfig:diff": Row(role: .viewer, query: "?from=1"),
        "GET \(project)/remoteConfig:settingHistory": Row(role: .viewer, query: "?key=a"),
        "GET \(project)/evaluation/activeconfig": Row(role: .evaluator),
        "POST \(project)/remoteConfig:merge": Row(role: .editor),
        "GET \(project)/remoteConfig:compare": Row(role: .viewer, query: "?with=default"),
        "POST \(project)/remoteConfig:promote": Row(role: .editor, body: ["from": "default"]),
        "GET \(project)/intendedDifferences": Row(role: .viewer),
        "PUT \(project)/intendedDifferences": Row(
            role: .editor, body: ["with": "default", "note": "n", "section": "s", "key": "k"]),
        "DELETE \(project)/intendedDifferences": Row(
            role: .editor, query: "?with=default&condition=c"),
        "POST \(project)/remoteConfig:import": Row(role: .editor),
        "GET \(project)/draft": Row(role: .editor),
        "PUT \(project)/draft": Row(role: .editor, body: template),
        "PATCH \(project)/draft": Row(role: .editor),
        "DELETE \(project)/draft": Row(role: .editor),
        "GET \(project)/changeRequests": Row(role: .viewer),
        "POST \(project)/changeRequests": Row(role: .editor, body: requestBody),
        "GET \(project)/changeRequests:count": Row(role: .viewer),
        "GET \(project)/changeRequests/{changeRequestID}": Row(role: .viewer),
        "PATCH \(project)/changeRequests/{changeRequestID}": Row(
            role: .editor, body: ["title": "Other"]),
        "POST \(project)/changeRequests/{changeRequestID}:approve": Row(role: .editor),
        "POST \(project)/changeRequests/{changeRequestID}:requestChanges": Row(role: .editor),
        "POST \(project)/changeRequests/{changeRequestID}:close": Row(role: .publisher),
        "POST \(project)/changeRequests/{changeRequestID}:publish": Row(
            role: .publisher, effect: .approvals),
        "GET \(project)/changeRequests/{changeRequestID}/template": Row(role: .viewer),
        "POST \(project)/changeRequests/{changeRequestID}/comments": Row(
            role: .editor, body: ["text": "Why?"]),
        "GET \(project)/scheduledPublishes": Row(role: .viewer),
        // Publishes at its time, by the approvals of that time.
        "POST \(project)/scheduledPublishes": Row(role: .publisher, body: requestBody),
        "GET \(project)/scheduledPublishes/{changeRequestID}": Row(role: .viewer),
        "PATCH \(project)/scheduledPublishes/{changeRequestID}": Row(role: .publisher),
        "DELETE \(project)/scheduledPublishes/{changeRequestID}": Row(role: .publisher),
        "GET \(project)/rollouts": Row(role: .viewer),
        "POST \(project)/rollouts": Row(role: .publisher),
        "GET \(project)/rollouts/{changeRequestID}": Row(role: .viewer),
        "POST \(project)/rollouts/{changeRequestID}:hold": Row(role: .publisher),
        "POST \(project)/rollouts/{changeRequestID}:resume": Row(role: .publisher),
        // Approved together with the start; RolloutTests has a project that is protected later.
        "POST \(project)/rollouts/{changeRequestID}:takeBack": Row(role: .publisher),
        "POST \(project)/remoteConfig:preview": Row(role: .editor),
        "GET \(project)/users/{userID}/overrides": Row(role: .viewer),
        "PUT \(project)/users/{userID}/overrides": Row(role: .publisher),
        "DELETE \(project)/users/{userID}/overrides": Row(role: .publisher),
        "GET \(project)/connections": Row(role: .viewer),
        "GET \(project)/usage": Row(role: .viewer),
        "GET \(project)/audit": Row(role: .viewer),
        "GET \(project)/webhooks": Row(role: .viewer),
        "POST \(project)/webhooks": Row(
            role: .publisher, body: ["url": "https://example.com/"]),
        "DELETE \(project)/webhooks/{webhookID}": Row(role: .publisher),
        "GET \(project)/webhooks/{webhookID}/deliveries": Row(role: .viewer),
        "GET /v1/tokens": Row(role: .publisher),
        "POST /v1/tokens": Row(role: .publisher, body: ["name": "new", "role": "viewer"]),
        "DELETE /v1/tokens/{tokenID}": Row(role: .publisher),
    ]

    @Test func eachRouteHasARow() {
        let routes = ConfigServer.endpoints.filter { endpoint in
            if case .administrator = endpoint.access { true } else { false }
        }
        #expect(Set(routes.map { "\($0.method) \($0.path)" }) == Set(Self.rows.keys))
    }

    @Test(arguments: StoredToken.Role.allCases)
    func rolesAndApprovalsDecide(role: StoredToken.Role) async throws {
        for (route, row) in Self.rows.sorted(by: { $0.key < $1.key }) {
            let open = try await Self.answer(to: route, row, as: role, isProtected: false)
            let protected = try await Self.answer(to: route, row, as: role, isProtected: true)
            let comment: Comment = "\(route) by \(role): \(open.body) \(protected.body)"
            guard role >= row.role else {
                #expect(open.status == 403 && protected.status == 403, comment)
                #expect(protected.error?.status == "PERMISSION_DENIED", comment)
                continue
            }
            #expect(![401, 403].contains(open.status), comment)
            switch row.effect {
            case .none: #expect(open.status == protected.status, comment)
            case .approvals:
                #expect(open.status == 200, comment)
                #expect(protected.error?.status == "APPROVAL_REQUIRED", comment)
            case .bypass: #expect(protected.error?.status == "PERMISSION_DENIED", comment)
            }
        }
    }

    /// The answer of a new server, whose project has two versions and a change request of a program.
    private static func answer(
        to route: String, _ row: Row, as role: StoredToken.Role, isProtected: Bool
    ) async throws -> HTTPAnswer {
        let store = InMemoryTemplateStore()
        let token = AccessToken(
            name: "test", role: role, owner: "Ada", date: Date(), expirationDate: nil)
        try await store.addToken(token.stored, actor: "test")
        return try await RunningServer.with(store: store) { server in
            for value in ["1", "3"] {
                let template: JSONNode = [
                    "parameters": ["a": ["defaultValue": ["value": .string(value)]]]
                ]
                #expect(try await server.publish(template).status == 200)
            }
            var body = requestBody
            body.setMember("base", "etag-default-2")
            let made = try await server.administer(
                "POST", "/v1/projects/default/changeRequests", body: body)
            let id = try #require(try made.json["id"]?.stringValue)
            if isProtected {
                let protected = try await server.administer(
                    "PUT", "/v1/projects/default/protection", body: ["requiredApprovals": 1],
                    fields: ["If-Match: *"])
                #expect(protected.status == 200)
            }
            let parts = route.split(separator: " ")
            var path = parts[1].replacing("{project}", with: "default")
                .replacing("{changeRequestID}", with: id)
            for name in ["{userID}", "{webhookID}", "{tokenID}"] {
                path = path.replacing(name, with: "x")
            }
            let tag = path.hasSuffix(":approve") || path.hasSuffix(":requestChanges")
            let current = try #require(made.fields["etag"])
            return try await server.administer(
                String(parts[0]), path + row.query,
                body: parts[0] == "GET" ? nil : row.body, token: token.text,
                fields: ["If-Match: \(tag ? current : "*")"])
        }
    }
}
