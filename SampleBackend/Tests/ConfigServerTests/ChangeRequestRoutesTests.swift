import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Templates
import Testing

@testable import AdminAPI
@testable import ConfigServer

/// Change requests and protected projects over HTTP (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ChangeRequestRoutesTests {
    private static let project = "/v1/projects/default"
    private static let requests = project + "/changeRequests"

    /// A server whose project `default` has version 1 with the settings `a` and `b`, and the tokens
    /// of three people and a program.
    private struct Trial: Sendable {
        let server: RunningServer
        let store: InMemoryTemplateStore
        /// Ada publishes; Bob and Eve edit.
        let ada: String
        let bob: String
        let eve: String
        /// An editor without an owner.
        let program: String

        static func with(
            protection: JSONNode? = ["requiredApprovals": 1],
            _ body: @Sendable (Trial) async throws -> Void
        ) async throws {
            let store = InMemoryTemplateStore()
            try await RunningServer.with(store: store) { server in
                #expect(try await server.publish(template(["a": "1", "b": "1"])).status == 200)
                let trial = Trial(
                    server: server, store: store,
                    ada: try await token("ada", "publisher", owner: "Ada", on: server),
                    bob: try await token("bob", "editor", owner: "Bob", on: server),
                    eve: try await token("eve", "editor", owner: "Eve", on: server),
                    program: try await token("ci", "editor", on: server))
                if let protection {
                    #expect(try await trial.protect(protection).status == 200)
                }
                try await body(trial)
            }
        }

        static func token(
            _ name: String, _ role: String, owner: String? = nil, bypass: Bool = false,
            on server: RunningServer
        ) async throws -> String {
            var body: JSONNode = ["name": .string(name), "role": .string(role)]
            body.setMember("owner", owner.map { .string($0) })
            if bypass { body.setMember("bypass", .bool(true)) }
            let answer = try await server.administer("POST", "/v1/tokens", body: body)
            return try #require(try answer.json["token"]?.stringValue)
        }

        func protect(
            _ body: JSONNode, token: String = RunningServer.administratorToken
        ) async throws -> HTTPAnswer {
            try await server.administer(
                "PUT", project + "/protection", body: body, token: token, fields: ["If-Match: *"])
        }

        /// Makes a request that sets the values of the template of the version `base`.
        func make(
            _ values: [String: String], conditions: [String] = [], base: Int = 1,
            token: String? = nil
        ) async throws -> (id: String, tag: String) {
            let answer = try await server.administer(
                "POST", requests,
                body: [
                    "title": "Title",
                    "template": ChangeRequestRoutesTests.template(values, conditions: conditions),
                    "base": .string("etag-default-\(base)"),
                ], token: token ?? ada)
            #expect(answer.status == 201, "\(answer.error?.message ?? "")")
            let id = try #require(try answer.json["id"]?.stringValue)
            return (id, try #require(answer.fields["etag"]))
        }

        func get(_ id: String) async throws -> JSONNode {
            try await server.administer("GET", "\(requests)/\(id)").json
        }

        func act(
            _ act: String, on request: (id: String, tag: String), by token: String,
            body: JSONNode? = nil, query: String = ""
        ) async throws -> HTTPAnswer {
            try await server.administer(
                "POST", "\(requests)/\(request.id):\(act)\(query)", body: body ?? [:], token: token,
                fields: ["If-Match: \(request.tag)"])
        }

        /// Acts, and returns the request with its new tag.
        func acted(
            _ name: String, on request: (id: String, tag: String), by token: String
        ) async throws -> (id: String, tag: String) {
            let answer = try await act(name, on: request, by: token)
            #expect(answer.status == 200, "\(name): \(answer.error?.message ?? "")")
            return (request.id, try #require(answer.fields["etag"]))
        }

        /// Publishes directly, past the protection.
        func publishOver(_ template: JSONNode) async throws {
            let answer = try await server.administer(
                "PUT", project + "/remoteConfig?bypass=Test", body: template,
                fields: ["If-Match: *"])
            #expect(answer.status == 200, "\(answer.error?.message ?? "")")
        }

        func patch(
            _ body: JSONNode, _ request: (id: String, tag: String), by token: String
        ) async throws -> HTTPAnswer {
            try await server.administer(
                "PATCH", "\(requests)/\(request.id)", body: body, token: token,
                fields: ["If-Match: \(request.tag)"])
        }

        func version() async throws -> Int? {
            try await store.template(version: nil, inProject: "default")?.version.number
        }

        func values() async throws -> [String: String] {
            let json = try await server.administer("GET", project + "/remoteConfig").json
            var values: [String: String] = [:]
            for (key, parameter) in json["parameters"]?.objectValue ?? [:] {
                values[key] = parameter["defaultValue"]?["value"]?.stringValue
            }
            return values
        }
    }

    /// A template of settings with these values; the first one has a value for each condition.
    private static func template(
        _ values: [String: String], conditions: [String] = [],
        expressions: [String: String] = [:]
    ) -> JSONNode {
        var parameters = JSONNode.emptyObject
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            var parameter: JSONNode = ["defaultValue": ["value": .string(value)]]
            if key == "a", !conditions.isEmpty {
                var conditional = JSONNode.emptyObject
                for name in conditions {
                    conditional.setMember(name, ["value": .string(value + name)])
                }
                parameter.setMember("conditionalValues", conditional)
            }
            parameters.setMember(key, parameter)
        }
        return [
            "conditions": .array(
                conditions.map { name in
                    [
                        "name": .string(name),
                        "expression": .string(expressions[name] ?? "device.os == 'ios'"),
                    ]
                }), "parameters": parameters,
        ]
    }

    /// What stores a version, by its method and path; the value asks for it.
    private static let writing: [String: JSONNode] = [
        "PUT /v1/projects/{project}/remoteConfig": template(["a": "2"]),
        "POST /v1/projects/{project}/remoteConfig:rollback": ["versionNumber": "1"],
        "POST /v1/projects/{project}/remoteConfig:undo": ["versionNumber": "2"],
        "POST /v1/projects/{project}/changeRequests/{changeRequestID}:publish": [:],
    ]

    /// The routes of administrators that change something other than versions.
    private static let notWriting: Set<String> = [
        "PUT /v1/projects/{project}/details", "PATCH /v1/projects/{project}/details",
        "PUT /v1/projects/{project}/protection", "POST /v1/projects",
        "DELETE /v1/projects/{project}", "PUT /v1/projects/{project}/draft",
        "PATCH /v1/projects/{project}/draft", "DELETE /v1/projects/{project}/draft",
        "POST /v1/projects/{project}/changeRequests",
        "PATCH /v1/projects/{project}/changeRequests/{changeRequestID}",
        "POST /v1/projects/{project}/changeRequests/{changeRequestID}:approve",
        "POST /v1/projects/{project}/changeRequests/{changeRequestID}:requestChanges",
        "POST /v1/projects/{project}/changeRequests/{changeRequestID}:close",
        "POST /v1/projects/{project}/changeRequests/{changeRequestID}/comments",
        // What is published later passes the gate then.
        "POST /v1/projects/{project}/scheduledPublishes",
        "PATCH /v1/projects/{project}/scheduledPublishes/{changeRequestID}",
        "DELETE /v1/projects/{project}/scheduledPublishes/{changeRequestID}",
        "POST /v1/projects/{project}/rollouts",
        "POST /v1/projects/{project}/rollouts/{changeRequestID}:hold",
        "POST /v1/projects/{project}/rollouts/{changeRequestID}:resume",
        // Approved together with the start; RolloutTests has a project that is protected later.
        "POST /v1/projects/{project}/rollouts/{changeRequestID}:takeBack",
        "POST /v1/projects/{project}/remoteConfig:merge",
        "POST /v1/projects/{project}/remoteConfig:promote",
        "PUT /v1/projects/{project}/intendedDifferences",
        "DELETE /v1/projects/{project}/intendedDifferences",
        "POST /v1/projects/{project}/remoteConfig:import",
        "POST /v1/projects/{project}/remoteConfig:preview", "POST /v1/conditions:parse",
        "PUT /v1/projects/{project}/users/{userID}/overrides",
        "DELETE /v1/projects/{project}/users/{userID}/overrides",
        "POST /v1/projects/{project}/webhooks",
        "DELETE /v1/projects/{project}/webhooks/{webhookID}", "POST /v1/tokens",
        "DELETE /v1/tokens/{tokenID}",
    ]

    // T1
    @Test func everyRouteThatStoresAVersionNeedsApprovals() async throws {
        let changing = ConfigServer.endpoints.filter { endpoint in
            guard case .administrator = endpoint.access else { return false }
            return endpoint.path.hasPrefix("/v1/") && !["GET", "HEAD"].contains(endpoint.method)
        }.map { "\($0.method) \($0.path)" }
        // A new route that changes something belongs in one of the two tables.
        #expect(Set(changing) == Self.notWriting.union(Self.writing.keys))
        try await Trial.with(protection: nil) { trial in
            try await trial.publishOver(Self.template(["a": "2", "b": "1"]))
            #expect(try await trial.protect(["requiredApprovals": 2]).status == 200)
            let open = try await trial.make(["a": "3", "b": "1"], base: 2)
            for (route, body) in Self.writing {
                let parts = route.split(separator: " ")
                let target = parts[1].replacing("{project}", with: "default")
                    .replacing("{changeRequestID}", with: open.id)
                let isOfRequest = target.contains("changeRequests")
                for tag in isOfRequest ? [open.tag, "*"] : ["*", "\"etag-default-2\""] {
                    for token in [trial.ada, RunningServer.administratorToken] {
                        let answer = try await trial.server.administer(
                            String(parts[0]), String(target), body: body, token: token,
                            fields: ["If-Match: \(tag)"])
                        #expect(answer.status == 403, "\(route) \(tag)")
                        #expect(answer.error?.status == "APPROVAL_REQUIRED", "\(route) \(tag)")
                    }
                }
            }
            #expect(try await trial.version() == 2)
            let check = try await trial.server.administer(
                "PUT", Self.project + "/remoteConfig?validateOnly=true",
                body: Self.template(["a": "2"]), token: trial.bob, fields: ["If-Match: *"])
            #expect(check.status == 200)
        }
    }

    @Test func anApprovedRequestIsMergedAndPublished() async throws {
        try await Trial.with { trial in
            let open = try await trial.make(["a": "2", "b": "1"])
            #expect(try await trial.get(open.id)["state"] == "open")
            #expect(try await trial.get(open.id)["missingApprovals"] == 1)
            let approved = try await trial.acted("approve", on: open, by: trial.bob)
            #expect(try await trial.get(open.id)["state"] == "approved")
            let listed = try await trial.server.administer(
                "GET", Self.requests + "?state=approved"
            ).json["changeRequests"]?.arrayValue
            #expect(listed?.count == 1)
            // T11
            try await trial.publishOver(Self.template(["a": "1", "b": "9"]))
            let published = try await trial.act("publish", on: approved, by: trial.ada)
            #expect(published.status == 200, "\(published.error?.message ?? "")")
            #expect(try await trial.values() == ["a": "2", "b": "9"])
            let ended = try await trial.get(open.id)
            #expect(ended["state"] == "published")
            #expect(ended["ending"]?["versionNumber"] == "3")
            #expect(
                try await trial.act("publish", on: approved, by: trial.ada).status == 409)
            let entries = try await trial.store.auditEntries(
                inProject: "default", matching: AuditQuery())
            #expect(entries.first?.detail?.contains(open.id) == true)
            #expect(entries.contains { $0.action == .approveChangeRequest })
        }
    }

    @Test func theEditedTemplateOfARequestCanBeRead() async throws {
        try await Trial.with { trial in
            let request = try await trial.make(["a": "2", "b": "1"])
            let target = "\(Self.requests)/\(request.id)/template"
            let answer = try await trial.server.administer("GET", target, token: trial.bob)
            #expect(answer.status == 200)
            let parameters = try answer.json["parameters"]
            #expect(parameters?["a"]?["defaultValue"]?["value"] == .string("2"))
            #expect(parameters?["b"]?["defaultValue"]?["value"] == .string("1"))
            let missing = try await trial.server.administer(
                "GET", "\(Self.requests)/none/template", token: trial.bob)
            #expect(missing.status == 404)
        }
    }

    // T2, T3, T4
    @Test func votesAreForOneContent() async throws {
        try await Trial.with { trial in
            let open = try await trial.make(["a": "2", "b": "1"])
            let approved = try await trial.acted("approve", on: open, by: trial.bob)
            let renamed = try await trial.patch(["title": "Other"], approved, by: trial.ada)
            #expect(renamed.status == 200)
            #expect(try renamed.json["state"] == "approved")
            let tag = try #require(renamed.fields["etag"])
            let edited = try await trial.patch(
                ["template": Self.template(["a": "3", "b": "1"])], (open.id, tag), by: trial.ada)
            #expect(try edited.json["state"] == "open")
            #expect(try edited.json["votes"]?.arrayValue?.first?["outdated"] == true)
            let late = try await trial.act("approve", on: (open.id, tag), by: trial.eve)
            #expect(late.status == 412)
            #expect(try await trial.get(open.id)["votes"]?.arrayValue?.count == 1)
            let newest = (open.id, try #require(edited.fields["etag"]))
            let refused = try await trial.act("publish", on: newest, by: trial.ada)
            #expect(refused.error?.status == "APPROVAL_REQUIRED")
        }
    }

    /// The same template over another base takes back what was published since.
    @Test func anotherBaseMakesVotesOutdated() async throws {
        try await Trial.with { trial in
            let values = ["a": "2", "b": "1"]
            let open = try await trial.make(values)
            try await trial.publishOver(Self.template(["a": "1", "b": "9"]))
            let approved = try await trial.acted("approve", on: open, by: trial.bob)
            let rebased = try await trial.patch(
                ["template": Self.template(values), "base": "etag-default-2"], approved,
                by: trial.ada)
            #expect(rebased.status == 200)
            #expect(try rebased.json["votes"]?.arrayValue?.first?["outdated"] == true)
            let newest = (open.id, try #require(rebased.fields["etag"]))
            let refused = try await trial.act("publish", on: newest, by: trial.ada)
            #expect(refused.error?.status == "APPROVAL_REQUIRED")
            #expect(try await trial.values() == ["a": "1", "b": "9"])
        }
    }

    // T5
    @Test func requestedChangesPreventAPublish() async throws {
        try await Trial.with { trial in
            var open = try await trial.make(["a": "2", "b": "1"])
            open = try await trial.acted("approve", on: open, by: trial.bob)
            open = try await trial.acted("requestChanges", on: open, by: trial.eve)
            #expect(try await trial.get(open.id)["state"] == "changesRequested")
            #expect(try await trial.act("publish", on: open, by: trial.ada).status == 403)
            open = try await trial.acted("approve", on: open, by: trial.eve)
            #expect(try await trial.act("publish", on: open, by: trial.ada).status == 200)
        }
    }

    /// T5: whatever the number of approvals.
    @Test func requestedChangesCountMoreThanEnoughApprovals() async throws {
        try await Trial.with(protection: ["requiredApprovals": 2]) { trial in
            let zoe = try await Trial.token("zoe", "editor", owner: "Zoe", on: trial.server)
            var open = try await trial.make(["a": "2", "b": "1"])
            for token in [trial.bob, zoe] {
                open = try await trial.acted("approve", on: open, by: token)
            }
            open = try await trial.acted("requestChanges", on: open, by: trial.eve)
            let refused = try await trial.act("publish", on: open, by: trial.ada)
            #expect(refused.status == 403)
            #expect(try await trial.version() == 1)
            open = try await trial.acted("approve", on: open, by: trial.eve)
            #expect(try await trial.act("publish", on: open, by: trial.ada).status == 200)
        }
    }

    // T6, T7, T8, T21
    @Test(arguments: [false, true])
    func whoMadeARequestVotesOnlyWhereThatIsAllowed(selfApproval: Bool) async throws {
        let protection: JSONNode = [
            "requiredApprovals": 1, "selfApproval": .bool(selfApproval),
        ]
        try await Trial.with(protection: protection) { trial in
            let second = try await Trial.token("ada 2", "editor", owner: "Ada", on: trial.server)
            let open = try await trial.make(["a": "2", "b": "1"])
            let edited = try await trial.patch(
                ["template": Self.template(["a": "3", "b": "1"])], open, by: trial.bob)
            let newest = (open.id, try #require(edited.fields["etag"]))
            #expect(try await trial.act("approve", on: newest, by: trial.program).status == 403)
            for token in [second, trial.bob] {
                let tag = try #require(try await trial.get(open.id)["etag"]?.stringValue)
                let answer = try await trial.act("approve", on: (open.id, tag), by: token)
                #expect(answer.status == (selfApproval ? 200 : 403))
            }
            #expect(
                try await trial.get(open.id)["state"] == (selfApproval ? "approved" : "open"))
            _ = try await trial.make(["a": "4", "b": "1"], token: trial.program)
        }
    }

    // T9
    @Test func aVoteCountsWhileItsPersonHasATokenWithTheRole() async throws {
        try await Trial.with { trial in
            let open = try await trial.make(["a": "2", "b": "1"])
            let approved = try await trial.acted("approve", on: open, by: trial.bob)
            let tokens = try await trial.store.tokens()
            let bob = try #require(tokens.first { $0.name == "bob" })
            _ = try await trial.server.administer("DELETE", "/v1/tokens/\(bob.id)")
            #expect(try await trial.get(open.id)["missingApprovals"] == 1)
            #expect(try await trial.act("publish", on: approved, by: trial.ada).status == 403)
            _ = try await Trial.token("bob's viewer", "viewer", owner: "Bob", on: trial.server)
            #expect(try await trial.act("publish", on: approved, by: trial.ada).status == 403)
            _ = try await Trial.token("bob's new", "editor", owner: "Bob", on: trial.server)
            #expect(try await trial.act("publish", on: approved, by: trial.ada).status == 200)
        }
    }

    // T10
    @Test func aChangeOfTheProtectionPublishesNothing() async throws {
        try await Trial.with(protection: ["requiredApprovals": 2]) { trial in
            let open = try await trial.make(["a": "2", "b": "1"])
            let approved = try await trial.acted("approve", on: open, by: trial.bob)
            #expect(try await trial.act("publish", on: approved, by: trial.ada).status == 403)
            // Only a token that may bypass approvals lowers them.
            #expect(
                try await trial.protect(["requiredApprovals": 1], token: trial.ada).status == 403)
            for body in [
                ["requiredApprovals": 11], ["requiredApprovals": "1"], [:],
                ["requiredApprovals": 1, "selfApproval": 1],
            ] as [JSONNode] {
                #expect(try await trial.protect(body).status == 400, "\(body)")
            }
            #expect(
                try await trial.protect(["requiredApprovals": 3], token: trial.ada).status == 200)
            #expect(try await trial.protect(["requiredApprovals": 1]).status == 200)
            #expect(try await trial.version() == 1)
            #expect(try await trial.get(open.id)["state"] == "approved")
            #expect(try await trial.act("publish", on: approved, by: trial.ada).status == 200)
        }
    }

    // T12
    @Test func aVoteIsOutdatedByAPublishOfWhatTheRequestUses() async throws {
        try await Trial.with { trial in
            try await trial.publishOver(Self.template(["a": "1", "b": "1"], conditions: ["x"]))
            let open = try await trial.make(["a": "2", "b": "1"], conditions: ["x"], base: 2)
            let approved = try await trial.acted("approve", on: open, by: trial.bob)
            try await trial.publishOver(
                Self.template(
                    ["a": "1", "b": "1"], conditions: ["x"],
                    expressions: ["x": "device.os == 'android'"]))
            let seen = try await trial.get(open.id)
            #expect(seen["state"] == "open")
            #expect(seen["votes"]?.arrayValue?.first?["outdated"] == true)
            let refused = try await trial.act("publish", on: approved, by: trial.ada)
            #expect(refused.error?.status == "APPROVAL_REQUIRED")
            // The tag is of a state without the second publish.
            let unseen = try await trial.acted("approve", on: approved, by: trial.bob)
            #expect(try await trial.act("publish", on: unseen, by: trial.ada).status == 403)
            let newest = try #require(try await trial.get(open.id)["etag"]?.stringValue)
            let again = try await trial.acted(
                "approve", on: (open.id, "\"\(newest)\""), by: trial.bob)
            #expect(try await trial.act("publish", on: again, by: trial.ada).status == 200)
        }
    }

    @Test func theOpenRequestsAreCounted() async throws {
        try await Trial.with(protection: nil) { trial in
            func count() async throws -> JSONNode {
                try await trial.server.administer("GET", Self.requests + ":count").json
            }
            #expect(try await count() == ["open": 0])
            let first = try await trial.make(["a": "2", "b": "1"])
            _ = try await trial.make(["a": "1", "b": "2"])
            #expect(try await count() == ["open": 2])
            #expect(try await trial.act("close", on: first, by: trial.ada).status == 200)
            #expect(try await count() == ["open": 1])
            let unknown = try await trial.server.administer(
                "GET", "/v1/projects/none/changeRequests:count")
            #expect(unknown.status == 404)
        }
    }

    // T16
    @Test func aPublishThatDeletesWhatARequestUsesNamesTheRequest() async throws {
        try await Trial.with(protection: nil) { trial in
            try await trial.publishOver(
                Self.template(["a": "1", "b": "1", "c": "1"], conditions: ["x"]))
            func put(_ template: JSONNode, dry: Bool = true) async throws -> String? {
                let answer = try await trial.server.administer(
                    "PUT", Self.project + "/remoteConfig" + (dry ? "?validateOnly=true" : ""),
                    body: template, fields: ["If-Match: *"])
                #expect(answer.status == 200, "\(answer.error?.message ?? "")")
                return answer.fields["warning"]
            }
            let lacksAll = Self.template(["c": "1"])
            #expect(try await put(lacksAll) == nil)
            let open = try await trial.make(
                ["a": "2", "b": "1", "c": "1"], conditions: ["x"], base: 2)
            // It deletes `c` itself.
            let other = try await trial.make(["a": "1", "b": "2"], conditions: ["x"], base: 2)
            for (template, names) in [
                (Self.template(["a": "1", "b": "1", "c": "2"], conditions: ["x"]), []),
                (
                    Self.template(["a": "1", "b": "1", "c": "1"]),
                    [
                        "The open change request \(open.id), 'Title', uses the condition 'x', "
                            + "which this template deletes."
                    ]
                ),
                (
                    Self.template(["b": "1", "c": "1"], conditions: ["x"]),
                    ["the setting 'Default.a', which"]
                ),
                (Self.template(["a": "1", "b": "1"], conditions: ["x"]), []),
                (
                    Self.template(["a": "1", "c": "1"], conditions: ["x"]),
                    [other.id, "the setting 'Default.b', which"]
                ),
                // Of several fields of a name, the answer has the last one.
                (lacksAll, [open.id, "the condition 'x' and the setting 'Default.a', which"]),
            ] as [(JSONNode, [String])] {
                let warning = try await put(template)
                if names.isEmpty { #expect(warning?.contains("change request") != true) }
                for name in names {
                    #expect(warning?.contains(name) == true, "\(warning ?? "") has no \(name)")
                }
            }
            #expect(try await put(lacksAll, dry: false)?.contains(open.id) == true)
            #expect(try await trial.get(open.id)["state"] == "needsAttention")
            let refused = try await trial.act("publish", on: open, by: trial.ada)
            #expect(refused.error?.status == "MERGE_CONFLICT")
            #expect(try await trial.values() == ["c": "1"])
        }
    }

    /// T16: also a rollback and an undo.
    @Test(arguments: ["rollback", "undo"])
    func aReturnThatDeletesWhatARequestUsesNamesTheRequest(act: String) async throws {
        try await Trial.with(protection: nil) { trial in
            try await trial.publishOver(
                Self.template(["a": "1", "b": "1", "c": "1"], conditions: ["x"]))
            func take(back version: Int) async throws -> String? {
                let answer = try await trial.server.administer(
                    "POST", Self.project + "/remoteConfig:\(act)",
                    body: ["versionNumber": .number("\(version)")])
                #expect(answer.status == 200, "\(answer.error?.message ?? "")")
                return answer.fields["warning"]
            }
            // The version to return to, or whose changes are taken back.
            let version = act == "undo" ? 2 : 1
            #expect(try await take(back: version) == nil)
            try await trial.publishOver(
                Self.template(["a": "1", "b": "1", "c": "1"], conditions: ["x"]))
            let open = try await trial.make(
                ["a": "1", "b": "1", "c": "2"], conditions: ["x"], base: 4)
            let warning = try await take(back: act == "undo" ? 4 : 1)
            #expect(warning?.contains(open.id) == true, "\(warning ?? "")")
            #expect(warning?.contains("the setting 'Default.c'") == true, "\(warning ?? "")")
            #expect(try await trial.get(open.id)["state"] == "needsAttention")
        }
    }

    @Test func aRequestForChangesOutlivesTheTokenOfThePerson() async throws {
        try await Trial.with { trial in
            var open = try await trial.make(["a": "2", "b": "1"])
            open = try await trial.acted("approve", on: open, by: trial.bob)
            open = try await trial.acted("requestChanges", on: open, by: trial.eve)
            let eve = try #require(try await trial.store.tokens().first { $0.name == "eve" })
            let revoked = try await trial.server.administer(
                "DELETE", "/v1/tokens/\(eve.id)", token: trial.ada)
            #expect(revoked.status == 200)
            #expect(try await trial.act("publish", on: open, by: trial.ada).status == 403)
        }
    }

    // T14
    @Test func aConflictNamesThePlaceAndItsAuthor() async throws {
        try await Trial.with { trial in
            let open = try await trial.make(["a": "2", "b": "1"])
            let approved = try await trial.acted("approve", on: open, by: trial.bob)
            try await trial.publishOver(Self.template(["a": "9", "b": "1"]))
            #expect(try await trial.get(open.id)["state"] == "needsAttention")
            let answer = try await trial.act("publish", on: approved, by: trial.ada)
            #expect(answer.status == 409)
            #expect(answer.error?.status == "MERGE_CONFLICT")
            let conflict = try answer.json["error"]?["details"]?.arrayValue?.first
            #expect(conflict?["key"] == "a")
            #expect(conflict?["base"] == ["value": "1"])
            #expect(conflict?["mine"] == ["value": "2"])
            #expect(conflict?["theirs"] == ["value": "9"])
            #expect(conflict?["changedBy"]?["updateUser"]?["name"] == "environment")
            #expect(try await trial.version() == 2)
        }
    }

    // T18
    @Test func aBypassNeedsAReasonAndThePermission() async throws {
        try await Trial.with { trial in
            let open = try await trial.make(["a": "2", "b": "1"])
            for query in ["?bypass", "?bypass=", "?bypass=%20"] {
                let answer = try await trial.act(
                    "publish", on: open, by: RunningServer.administratorToken, query: query)
                #expect(answer.status == 400, "\(query)")
            }
            let refused = try await trial.act(
                "publish", on: open, by: trial.ada, query: "?bypass=Fire")
            #expect(refused.error?.status == "PERMISSION_DENIED")
            let creation = try await trial.server.administer(
                "POST", "/v1/tokens",
                body: ["name": "mine", "role": "publisher", "bypass": true], token: trial.ada)
            #expect(creation.status == 403)
            let zoe = try await Trial.token(
                "zoe", "publisher", owner: "Zoe", bypass: true, on: trial.server)
            let answer = try await trial.act("publish", on: open, by: zoe, query: "?bypass=Fire")
            #expect(answer.status == 200)
            let description = try answer.json["version"]?["description"]?.stringValue
            #expect(description?.contains("Without approval: Fire") == true)
            let ending = try await trial.get(open.id)["ending"]
            #expect(ending?["bypassReason"] == "Fire")
            #expect(ending?["person"] == "Zoe")
            let entry = try await trial.store.auditEntries(
                inProject: "default", matching: AuditQuery(limit: 1)
            ).first
            #expect(entry?.actor == "zoe")
            #expect(entry?.detail?.contains("Fire") == true)
        }
    }

    @Test func aPublisherCannotVoteAsSomebodyElse() async throws {
        try await Trial.with { trial in
            func create(_ name: String, owner: String) async throws -> Int {
                try await trial.server.administer(
                    "POST", "/v1/tokens",
                    body: [
                        "name": .string(name), "role": "editor", "owner": .string(owner),
                    ], token: trial.ada
                ).status
            }
            let others = try await create("bob's, by ada", owner: "Bob")
            #expect(others == 403)
            let own = try await create("ada's, by ada", owner: "Ada")
            #expect(own == 200)
        }
    }

    @Test func aProtectedProjectIsDeletedByTokensThatMayBypass() async throws {
        try await Trial.with { trial in
            let archived = try await trial.server.administer(
                "PATCH", Self.project + "/details", body: ["archived": true], token: trial.ada)
            #expect(archived.status == 200)
            let path = Self.project + "?confirm=default"
            #expect(
                try await trial.server.administer("DELETE", path, token: trial.ada).status == 403)
            #expect(try await trial.server.administer("DELETE", path).status == 200)
        }
    }

    // T19
    @Test func theExactContentOfAVersionIsRolledBackWithoutVotes() async throws {
        let protection: JSONNode = ["requiredApprovals": 1, "rollbackWithoutApproval": true]
        try await Trial.with(protection: protection) { trial in
            try await trial.publishOver(Self.template(["a": "2", "b": "1"]))
            let answer = try await trial.server.administer(
                "POST", Self.project + "/remoteConfig:rollback", body: ["versionNumber": "1"],
                token: trial.ada)
            #expect(answer.status == 200)
            #expect(try await trial.values() == ["a": "1", "b": "1"])
            let undo = try await trial.server.administer(
                "POST", Self.project + "/remoteConfig:undo", body: ["versionNumber": "3"],
                token: trial.ada)
            #expect(undo.error?.status == "APPROVAL_REQUIRED")
        }
    }

    // T17
    @Test func theRequestsOfADeletedProjectStayReadable() async throws {
        try await Trial.with { trial in
            let open = try await trial.make(["a": "2", "b": "1"])
            _ = try await trial.acted("approve", on: open, by: trial.bob)
            _ = try await trial.server.administer(
                "PATCH", Self.project + "/details", body: ["archived": true])
            let deletion = try await trial.server.administer(
                "DELETE", Self.project + "?confirm=default")
            #expect(deletion.status == 200)
            let found = try await trial.get(open.id)
            #expect(found["state"] == "closed")
            #expect(found["votes"]?.arrayValue?.count == 1)
            let listed = try await trial.server.administer("GET", Self.requests + "?state=open")
            #expect(try listed.json["changeRequests"]?.arrayValue?.isEmpty == true)
            let count = try await trial.server.administer("GET", Self.requests + ":count")
            #expect(try count.json == ["open": 0])
            let entries = try await trial.server.administer("GET", Self.project + "/audit").json
            let newest = entries["entries"]?.arrayValue?.first
            #expect(newest?["action"] == "DELETE_PROJECT")
            #expect(newest?["detail"]?.stringValue?.contains(open.id) == true)
        }
    }

    @Test func aDraftBecomesARequestAndIsFree() async throws {
        try await Trial.with { trial in
            let draft = Self.project + "/draft"
            _ = try await trial.server.administer(
                "PUT", draft,
                body: ["baseVersion": "1", "template": Self.template(["a": "5", "b": "1"])],
                token: trial.bob, fields: ["If-None-Match: *"])
            let made = try await trial.server.administer(
                "POST", Self.requests, body: ["title": "Draft", "draft": true], token: trial.bob)
            #expect(made.status == 201)
            #expect(
                try await trial.server.administer("DELETE", draft, token: trial.bob).status == 200)
            let id = try #require(try made.json["id"]?.stringValue)
            #expect(try await trial.get(id)["changes"]?["parameters"] != nil)
        }
    }

    @Test func onlyThoseWhoMadeARequestAndPublishersCloseIt() async throws {
        try await Trial.with { trial in
            for (closer, status) in [(trial.eve, 403), (trial.bob, 200), (trial.ada, 200)] {
                let open = try await trial.make(["a": "2", "b": "1"], token: trial.bob)
                #expect(
                    try await trial.act("close", on: open, by: closer).status == status)
                #expect(
                    try await trial.get(open.id)["state"] == (status == 200 ? "closed" : "open"))
            }
        }
    }

    /// T22: the approval is stored with the version or not at all.
    @Test func approvingAndPublishingIsOneAct() async throws {
        try await Trial.with { trial in
            let open = try await trial.make(["a": "2", "b": "1"], token: trial.bob)
            let own = try await trial.act(
                "publish", on: open, by: trial.bob, body: ["approve": true])
            #expect(own.status == 403)
            let published = try await trial.act(
                "publish", on: open, by: trial.ada, body: ["approve": true, "comment": "Good."])
            #expect(published.status == 200, "\(published.error?.message ?? "")")
            let found = try await trial.get(open.id)
            #expect(found["state"] == "published")
            #expect(found["votes"]?.arrayValue?.first?["person"] == "Ada")
            #expect(found["votes"]?.arrayValue?.first?["comment"] == "Good.")
            #expect(try await trial.values() == ["a": "2", "b": "1"])

            // A conflict, a second approval that is missing, and a state that was not seen.
            let other = try await trial.make(["a": "3", "b": "1"], token: trial.bob)
            let conflict = try await trial.act(
                "publish", on: other, by: trial.ada, body: ["approve": true])
            #expect(conflict.status == 409)
            #expect(try await trial.protect(["requiredApprovals": 2]).status == 200)
            let next = try await trial.make(["a": "2", "b": "5"], base: 2, token: trial.bob)
            let missing = try await trial.act(
                "publish", on: next, by: trial.ada, body: ["approve": true])
            #expect(missing.status == 403)
            let any = try await trial.act(
                "publish", on: (next.id, "*"), by: trial.ada, body: ["approve": true])
            #expect(any.status == 400)
            for id in [other.id, next.id] {
                #expect(try await trial.get(id)["votes"]?.arrayValue?.isEmpty == true)
            }
            #expect(try await trial.version() == 2)
        }
    }

    /// T20: of two last approvals that arrive at two servers at once, the second one is for a state
    /// that has changed; with both, the request is published once.
    @Test func approvalsAndPublishesAtTwoServersExcludeEachOther() async throws {
        try await Trial.with(protection: ["requiredApprovals": 2]) { trial in
            try await RunningServer.with(store: trial.store) { second in
                let voters = [("Bob", trial.server, trial.bob), ("Eve", second, trial.eve)]
                for round in 1...10 {
                    let open = try await trial.make(["a": "x\(round)", "b": "1"], base: round)
                    let votes = try await Self.statuses(
                        of: "approve", on: open, at: voters.map { ($0.1, $0.2) })
                    #expect(votes == [200, 412], "round \(round)")

                    let voted = try await trial.get(open.id)
                    let person = voted["votes"]?.arrayValue?.first?["person"]?.stringValue
                    let (_, server, token) = try #require(voters.first { $0.0 != person })
                    let tag = try #require(voted["etag"]?.stringValue)
                    let again = try await server.administer(
                        "POST", "\(Self.requests)/\(open.id):approve", body: [:], token: token,
                        fields: ["If-Match: \"\(tag)\""])
                    #expect(again.status == 200, "\(again.error?.message ?? "")")

                    let newest = (open.id, try #require(again.fields["etag"]))
                    let publishes = try await Self.statuses(
                        of: "publish", on: newest, at: voters.map { ($0.1, trial.ada) })
                    #expect(
                        publishes == [200, 409] || publishes == [200, 412],
                        "round \(round): \(publishes)")
                    let people = try await trial.get(open.id)["votes"]?.arrayValue?.compactMap {
                        $0["person"]?.stringValue
                    }
                    #expect(people?.sorted() == ["Bob", "Eve"], "round \(round)")
                    #expect(try await trial.version() == round + 1)
                }
                let entries = try await trial.store.auditEntries(
                    inProject: "default", matching: AuditQuery(limit: 1_000, actions: [.publish]))
                #expect(entries.count == 11)
            }
        }
    }

    /// Posts an act on a request at servers at once, each by the token beside it; returns the
    /// statuses, the lowest first.
    private static func statuses(
        of act: String, on request: (id: String, tag: String),
        at servers: [(server: RunningServer, token: String)]
    ) async throws -> [Int] {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for (server, token) in servers {
                group.addTask {
                    try await server.administer(
                        "POST", "\(Self.requests)/\(request.id):\(act)", body: [:], token: token,
                        fields: ["If-Match: \(request.tag)"]
                    ).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted()
        }
    }

    /// A9: a person does not approve what a token requests that the person has created.
    @Test func whoCreatedATokenDoesNotApproveItsRequests() async throws {
        try await Trial.with { trial in
            @Sendable func create(_ name: String, by creator: String) async throws -> String {
                let answer = try await trial.server.administer(
                    "POST", "/v1/tokens", body: ["name": .string(name), "role": "publisher"],
                    token: creator)
                return try #require(try answer.json["token"]?.stringValue)
            }
            let robot = try await create("robot", by: trial.ada)
            let second = try await create("second robot", by: robot)
            for (number, token) in [robot, second].enumerated() {
                let open = try await trial.make(["a": "\(number + 7)", "b": "1"], token: token)
                let refused = try await trial.act("approve", on: open, by: trial.ada)
                #expect(refused.status == 403)
                #expect(try await trial.get(open.id)["author"]?["creator"] == "Ada")
                let approved = try await trial.acted("approve", on: open, by: trial.bob)
                let closed = try await trial.act("close", on: approved, by: trial.ada)
                #expect(closed.status == 200)
            }
            // The environment's token is nobody's.
            let open = try await trial.make(["a": "9", "b": "1"], token: trial.program)
            _ = try await trial.acted("approve", on: open, by: trial.ada)
        }
    }

    /// T15: a request keeps its base, which the store drops.
    @Test func aRequestOutlivesTheVersionOfItsBase() async throws {
        try await Trial.with(protection: nil) { trial in
            let open = try await trial.make(["a": "2", "b": "1"])
            for number in 0..<TemplateStoreLimits.keptVersions {
                let values = ["a": "1", "b": "1", "c": "\(number)"]
                _ = try await trial.store.publish(
                    TemplateSubmission(
                        project: "default", content: Self.template(values).jsonData(),
                        expectation: .any, date: Date(), user: .init(name: "Eve")))
            }
            let dropped = try await trial.store.template(version: 1, inProject: "default")
            #expect(dropped == nil)
            let found = try await trial.get(open.id)
            #expect(found["state"] == "open")
            let tag = try #require(found["etag"]?.stringValue)
            let published = try await trial.act(
                "publish", on: (open.id, "\"\(tag)\""), by: trial.ada)
            #expect(published.status == 200)
            let last = "\(TemplateStoreLimits.keptVersions - 1)"
            #expect(try await trial.values() == ["a": "2", "b": "1", "c": last])
        }
    }

    /// The end of a protection is in the audit trail, and its beginning names the tokens it concerns.
    @Test func aProtectionSaysWhomItConcernsAndWhenItEnded() async throws {
        try await Trial.with(protection: nil) { trial in
            let answer = try await trial.protect(["requiredApprovals": 1])
            #expect(try answer.json["refusedTokens"] == ["ada"])
            #expect(try await trial.protect(["requiredApprovals": 0]).status == 200)
            let entries = try await trial.server.administer("GET", Self.project + "/audit").json
            let details = (entries["entries"]?.arrayValue ?? []).prefix(2)
                .compactMap { $0["detail"]?.stringValue }
            #expect(details == ["no approvals to publish", "1 approval to publish"])
        }
    }

    /// A merge of two valid templates can be too large to be read again.
    @Test func aMergedTemplateThatIsTooLargeIsNotPublished() async throws {
        @Sendable func large(_ name: String) -> JSONNode {
            var node = Self.template(["a": "1", "b": "1"])
            node.setMember(name, .string(String(repeating: "x", count: 9 << 20)))
            return node
        }
        try await Trial.with(protection: nil) { trial in
            let made = try await trial.server.administer(
                "POST", Self.requests,
                body: ["title": "y", "template": large("y"), "base": "etag-default-1"],
                token: trial.bob)
            #expect(made.status == 201)
            let id = try #require(try made.json["id"]?.stringValue)
            #expect(try await trial.server.publish(large("x")).status == 200)
            let found = try await trial.get(id)
            #expect(found["state"] == "needsAttention")
            #expect(found["problems"]?.arrayValue?.count == 1)
            let tag = try #require(found["etag"]?.stringValue)
            let refused = try await trial.act("publish", on: (id, "\"\(tag)\""), by: trial.ada)
            #expect(refused.status == 400)
            #expect(refused.error?.status == "VALIDATION_ERROR")
            // The same by an undo: version 3 took `x` back, and version 4 added `y`.
            #expect(
                try await trial.server.publish(Self.template(["a": "1", "b": "1"])).status == 200)
            #expect(try await trial.server.publish(large("y")).status == 200)
            let undo = try await trial.server.administer(
                "POST", Self.project + "/remoteConfig:undo", body: ["versionNumber": "3"])
            #expect(undo.status == 400, "\(undo.error?.message ?? "")")
            #expect(undo.error?.message.contains("use at most 16777216") == true)
            #expect(try await trial.version() == 4)
        }
    }

    @Test func aChangeThatChangesNothingIsRefused() async throws {
        try await Trial.with { trial in
            let open = try await trial.make(["a": "2", "b": "1"])
            let bodies: [JSONNode] = [
                [:], ["base": "etag-default-1"], ["draft": "true"], ["draft": .number("1")],
                ["template": Self.template(["a": "1", "b": "1"])],
            ]
            for body in bodies {
                #expect(try await trial.patch(body, open, by: trial.ada).status == 400, "\(body)")
            }
            let created = try await trial.server.administer(
                "POST", Self.requests,
                body: [
                    "title": "Title", "template": Self.template(["a": "3"]),
                    "base": "etag-default-1", "draft": "yes",
                ], token: trial.ada)
            #expect(created.status == 400)
            let tag = try #require(try await trial.get(open.id)["etag"]?.stringValue)
            #expect("\"\(tag)\"" == open.tag)
        }
    }

    /// Pages keep their place while requests move to the front, and go.
    @Test func pagesKeepTheirPlace() async throws {
        try await Trial.with { trial in
            var made: [(id: String, tag: String)] = []
            for number in 0..<5 {
                made.append(try await trial.make(["a": "\(number + 2)", "b": "1"]))
            }
            func page(_ query: String) async throws -> (ids: [String], next: String?) {
                let page = try await trial.server.administer("GET", Self.requests + query).json
                let ids = (page["changeRequests"]?.arrayValue ?? []).compactMap {
                    $0["id"]?.stringValue
                }
                return (ids, page["nextPageToken"]?.stringValue)
            }
            let all = try await page("").ids
            #expect(Set(all) == Set(made.map(\.id)))
            let first = try await page("?pageSize=2")
            let token = try #require(first.next)
            // The last one of the first page gets a comment, and the next one is closed.
            for (id, path, body) in [
                (first.ids[1], "/comments", ["text": "Why?"] as JSONNode), (all[2], ":close", [:]),
            ] {
                let answer = try await trial.server.administer(
                    "POST", "\(Self.requests)/\(id)\(path)", body: body, token: trial.ada,
                    fields: ["If-Match: *"])
                #expect(answer.status < 300)
            }
            #expect(try await page("?pageSize=2&pageToken=\(token)").ids == Array(all[3...]))
            let open = try await page("?state=open").ids
            #expect(Set(open) == Set(all).subtracting([all[2]]))
            #expect(try await page("?state=closed").ids == [all[2]])
            let refused = try await trial.server.administer("GET", Self.requests + "?pageToken=x")
            #expect(refused.status == 400)
        }
    }

    /// A comment with a vote stays when the person votes again, and so does the one of a closure.
    @Test func commentsOfVotesAndClosuresStay() async throws {
        try await Trial.with { trial in
            var open = try await trial.make(["a": "2", "b": "1"])
            for (act, comment) in [("requestChanges", "Too early."), ("approve", "Now.")] {
                let answer = try await trial.act(
                    act, on: open, by: trial.bob, body: ["comment": .string(comment)])
                open.tag = try #require(answer.fields["etag"])
            }
            let answer = try await trial.act(
                "close", on: open, by: trial.ada, body: ["comment": "Not needed."])
            #expect(answer.status == 200)
            let found = try await trial.get(open.id)
            let texts = (found["comments"]?.arrayValue ?? []).compactMap { $0["text"]?.stringValue }
            #expect(texts == ["Too early.", "Not needed."])
            #expect(found["commentCount"] == .number("2"))
            #expect(found["votes"]?.arrayValue?.first?["comment"] == "Now.")
            let listed = try await trial.server.administer("GET", Self.requests).json
            #expect(listed["changeRequests"]?.arrayValue?.first?["comments"] == nil)
        }
    }

    /// A token that is limited to a project learns nothing of the requests of an earlier project.
    @Test func aLimitedTokenSeesNoRequestOfAnEarlierProject() async throws {
        try await Trial.with(protection: nil) { trial in
            let open = try await trial.make(["a": "2", "b": "1"])
            _ = try await trial.server.administer(
                "PATCH", Self.project + "/details", body: ["archived": true])
            _ = try await trial.server.administer("DELETE", Self.project + "?confirm=default")
            #expect(try await trial.server.publish(Self.template(["a": "1"])).status == 200)
            let made = try await trial.server.administer(
                "POST", "/v1/tokens",
                body: ["name": "limited", "role": "viewer", "projects": ["default": "publisher"]])
            let limited = try #require(try made.json["token"]?.stringValue)
            let path = "\(Self.requests)/\(open.id)"
            var messages: Set<String> = []
            let calls: [(String, String, JSONNode?)] = [
                ("GET", "", nil), ("PATCH", "", ["title": "x"]), ("POST", ":close", [:]),
                ("POST", ":publish", [:]), ("POST", "/comments", ["text": "x"]),
            ]
            for (method, suffix, body) in calls {
                let answer = try await trial.server.administer(
                    method, path + suffix, body: body, token: limited, fields: ["If-Match: *"])
                #expect(answer.status == 404, "\(method) \(suffix)")
                messages.insert(answer.error?.message ?? "")
            }
            #expect(messages.count == 1)
            let listed = try await trial.server.administer("GET", Self.requests, token: limited)
            #expect(try listed.json["changeRequests"]?.arrayValue?.isEmpty == true)
            #expect(try await trial.server.administer("GET", path).status == 200)
        }
    }

    @Test func commentsLeaveVotesAsTheyAre() async throws {
        try await Trial.with { trial in
            let open = try await trial.make(["a": "2", "b": "1"])
            _ = try await trial.acted("approve", on: open, by: trial.bob)
            let answer = try await trial.server.administer(
                "POST", "\(Self.requests)/\(open.id)/comments",
                body: ["text": "Why?", "path": "parameters.a"], token: trial.program)
            #expect(answer.status == 201)
            #expect(try answer.json["state"] == "approved")
            #expect(try answer.json["comments"]?.arrayValue?.first?["text"] == "Why?")
            let tag = try #require(answer.fields["etag"])
            #expect(
                try await trial.act("publish", on: (open.id, tag), by: trial.ada).status == 200)
        }
    }
}
