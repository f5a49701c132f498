import ConfigServer
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

/// Projects that are created empty, archived and deleted (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ProjectLifecycleTests {
    private static let prefix = "/v1/projects/shop"

    private static func with(
        _ options: ConfigServerOptions = ConfigServerOptions(),
        _ body: @Sendable (RunningServer) async throws -> Void
    ) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore(), options: options) { server in
            try await server.publish(.sample)
            try await body(server)
        }
    }

    private static func archive(_ server: RunningServer, _ isArchived: Bool = true) async throws {
        let answer = try await server.administer(
            "PATCH", "\(prefix)/details", body: ["archived": .bool(isArchived)])
        #expect(answer.status == 200)
    }

    private static func delete(_ server: RunningServer) async throws {
        try await archive(server)
        let answer = try await server.administer("DELETE", "\(prefix)?confirm=shop")
        #expect(answer.status == 200)
    }

    @Test func aCreatedProjectAnswersEveryDoorWithEmptyDocuments() async throws {
        try await Self.with { server in
            let created = try await server.administer(
                "POST", "/v1/projects",
                body: ["project": "shop", "displayName": "Shop", "environment": "staging"])
            #expect(created.status == 201)
            #expect(try created.json["name"] == "shop")
            #expect(try created.json["versionNumber"] == "0")
            #expect(try created.json["environment"] == "STAGING")
            let details = try await server.administer("GET", "\(Self.prefix)/details")
            #expect(details.fields["etag"] == created.fields["etag"])
            #expect(try details.json == ["displayName": "Shop", "environment": "STAGING"])

            let template = try await server.administer("GET", "\(Self.prefix)/remoteConfig")
            #expect(template.status == 200)
            #expect(template.fields["etag"] == "\"etag-shop-0\"")
            #expect(try template.json["version"]?["versionNumber"] == "0")
            let document = try await server.answer("/projects/shop/activeconfig/user/1")
            #expect(document.status == 200)
            #expect(try document.json["sections"] ?? [:] == [:])
            let flags = try await server.answer(
                "/projects/shop/ofrep/v1/evaluate/flags", method: "POST",
                body: #"{"context": {"targetingKey": "1"}}"#)
            #expect(try flags.json["flags"] == [])
            for path in [
                "remoteConfig:listVersions", "audit", "connections", "webhooks",
                "remoteConfig?versionNumber=0", "remoteConfig:downloadDefaults",
                "remoteConfig:diff?from=0",
            ] {
                #expect(
                    try await server.administer("GET", "\(Self.prefix)/\(path)").status == 200,
                    "\(path)")
            }
            let preview = try await server.administer(
                "POST", "\(Self.prefix)/remoteConfig:preview", body: ["users": [["userID": "1"]]])
            #expect(preview.status == 200)
            let pin = try await server.administer(
                "PUT", "\(Self.prefix)/users/1/overrides", body: ["Home": ["title": "x"]])
            #expect(pin.status == 200)
            let rollback = try await server.administer(
                "POST", "\(Self.prefix)/remoteConfig:rollback", body: ["versionNumber": "1"])
            #expect(rollback.status == 404)
            try await EventStreamClient.open(
                port: server.port, "/projects/shop/activeconfig/user/2/events"
            ) { stream in
                #expect(try await stream.next().name == "hello")
                let publish = try await server.publish(
                    .sample, project: "shop", ifMatch: "etag-shop-0")
                #expect(publish.status == 200)
                #expect(try publish.json["version"]?["versionNumber"] == "1")
                #expect(try await stream.next().name == "update")
            }
        }
    }

    @Test func aProjectIsCreatedOnceAndWithAValidName() async throws {
        try await Self.with { server in
            let body: JSONNode = ["project": "shop"]
            #expect(try await server.administer("POST", "/v1/projects", body: body).status == 201)
            for name in ["shop", "default"] {
                let answer = try await server.administer(
                    "POST", "/v1/projects", body: ["project": .string(name)])
                #expect(answer.status == 409)
                #expect(answer.error?.status == "ALREADY_EXISTS")
            }
            let wrong: [JSONNode] = [
                [:], ["project": ""], ["project": "a/b"], ["project": ".."], ["project": 1],
                ["project": "a", "environment": "live"], ["project": "a", "archived": true],
            ]
            for body in wrong {
                #expect(
                    try await server.administer("POST", "/v1/projects", body: body).status == 400,
                    "\(body)")
            }
            let list = try await server.administer("GET", "/v1/projects").json["projects"]
            #expect(list?.arrayValue?.compactMap { $0["name"] } == ["default", "shop"])
        }
    }

    @Test func anArchivedProjectIsReadAsBeforeAndNotChanged() async throws {
        try await Self.with { server in
            try await server.publish(.sample, project: "shop")
            try await Self.archive(server)
            let listed = try await server.administer("GET", "/v1/projects").json["projects"]
            #expect(listed?.arrayValue?.last?["archived"] == true)
            #expect(try await server.answer("/projects/shop/activeconfig").status == 200)
            #expect(
                try await server.administer("GET", "\(Self.prefix)/remoteConfig").status == 200)
            let writes: [(String, String, JSONNode)] = [
                ("PUT", "remoteConfig", .sample),
                ("PUT", "remoteConfig?validateOnly=true", .sample),
                ("POST", "remoteConfig:rollback", ["versionNumber": "1"]),
                ("PUT", "users/1/overrides", ["Home": ["title": "x"]]),
                ("POST", "webhooks", ["url": "https://example.com/"]),
                ("PUT", "draft", ["baseVersion": "1", "template": [:]]),
                ("PATCH", "draft?validateOnly=true", []),
                ("PATCH", "details", ["displayName": "Other"]),
                ("PUT", "details", ["archived": true, "displayName": "Other"]),
                ("PUT", "details", ["displayName": "Other"]),
            ]
            try await server.publish(.sample)
            for (method, path, body) in writes {
                var fields = ["If-Match: *"]
                if path.hasPrefix("draft") { fields = ["If-None-Match: *"] }
                if path.hasPrefix("draft?") {
                    fields.append("Content-Type: application/json-patch+json")
                }
                let answer = try await server.administer(
                    method, "\(Self.prefix)/\(path)", body: body, fields: fields)
                // A rollback to the current version is no valid one in any case.
                let expected = path == "remoteConfig:rollback" ? [403, 404] : [403]
                #expect(expected.contains(answer.status), "\(method) \(path) \(answer.status)")
                if answer.status == 403 { #expect(answer.error?.status == "PROJECT_ARCHIVED") }
            }
            try await Self.archive(server, false)
            #expect(try await server.publish(.sample, project: "shop").status == 200)
        }
    }

    @Test func aChangeOfDetailsReplacesTheExpectedOnesAndKeepsTheOthers() async throws {
        try await Self.with { server in
            let path = "/v1/projects/default/details"
            let first = try await server.administer(
                "PATCH", path, body: ["displayName": "Shop", "color": "RED"])
            let tag = first.fields["etag"] ?? ""
            let second = try await server.administer(
                "PATCH", path, body: ["color": .null, "environment": "PRODUCTION"],
                fields: ["If-Match: \(tag)"])
            #expect(try second.json == ["displayName": "Shop", "environment": "PRODUCTION"])
            let stale = try await server.administer(
                "PATCH", path, body: ["color": "BLUE"], fields: ["If-Match: \(tag)"])
            #expect(stale.status == 412)
            for body: JSONNode in [["archived": 1], ["archived": "yes"], ["name": "x"], []] {
                #expect(
                    try await server.administer("PATCH", path, body: body).status == 400, "\(body)")
            }
        }
    }

    @Test func aDeletedProjectIsGoneAtEveryDoorAndEndsItsStreams() async throws {
        try await Self.with { server in
            try await server.publish(.sample, project: "shop")
            let target = "/projects/shop/activeconfig/user/1"
            let tag = try await server.answer(target).fields["etag"] ?? ""
            try await EventStreamClient.open(port: server.port, "\(target)/events") { stream in
                #expect(try await stream.next().name == "hello")
                try await HTTPConnection.open(port: server.port) { poll in
                    poll.send(
                        target: target, fields: ["If-None-Match: \(tag)", "Prefer: wait=60"])
                    try await server.waitForConnections(2, project: "shop")
                    try await Self.delete(server)
                    #expect(try await poll.receive().status == 404)
                }
                #expect(try await stream.receiveEnd().map(\.name) == ["retry"])
            }
            for path in [target, "\(target)/events", "/projects/shop/activeconfig"] {
                #expect(try await server.answer(path).status == 404, "\(path)")
            }
            for path in ["remoteConfig", "details", "webhooks", "connections"] {
                #expect(
                    try await server.administer("GET", "\(Self.prefix)/\(path)").status == 404,
                    "\(path)")
            }
            let audit = try await server.administer("GET", "\(Self.prefix)/audit")
            #expect(try audit.json["entries"]?.arrayValue?.first?["action"] == "DELETE_PROJECT")
            #expect(try await server.administer("GET", "/v1/projects/none/audit").status == 404)
            let again = try await server.administer(
                "POST", "/v1/projects", body: ["project": "shop"])
            // Version 1 was published: clients would ignore it, and tags would repeat.
            #expect(try again.json["versionNumber"] == "2")
            #expect(try again.json["unpublished"] == true)
            let created = try await server.administer("GET", "\(Self.prefix)/remoteConfig")
            #expect(
                try created.json["version"]?["updateType"]
                    == "REMOTE_CONFIG_UPDATE_TYPE_UNSPECIFIED")
            try await server.publish(.sample, project: "shop")
            let listed = try await server.administer("GET", "/v1/projects").json["projects"]
            #expect(listed?.arrayValue?.last?["unpublished"] == nil)
            let history = try await server.administer(
                "GET", "\(Self.prefix)/remoteConfig:settingHistory")
            #expect(try history.json["baseVersionNumber"] == "0")
            #expect(try await server.answer(target).status == 200)
        }
    }

    /// The replica learns of the deletion from the store, the other server from its administrator.
    @Test(arguments: [false, true])
    func aProjectCreatedAgainHasNothingOfTheClientsOfTheDeletedOne(isReplica: Bool) async throws {
        var options = ConfigServerOptions()
        options.acknowledgedShare = 1
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store, options: options) { [options] server in
            try await RunningServer.with(store: store, options: options) { replica in
                let asked = isReplica ? replica : server
                try await server.publish(.sample, project: "shop")
                try await waitUntil {
                    await asked.status("/projects/shop/activeconfig") == 200
                }
                try await Self.sendClients(to: asked, version: 1)
                let before = try await Self.clients(of: asked)
                #expect(before["acknowledgements"]?["clients"] == 8)
                #expect(before["sampled"] == 9)
                #expect(before["signals"] == 2)
                try await Self.delete(server)
                try await server.administer("POST", "/v1/projects", body: ["project": "shop"])
                try await waitUntil {
                    let projects = try await asked.administer("GET", "/v1/projects").json
                    return projects["projects"]?.arrayValue?.first?["versionNumber"] == "2"
                }
                let after = try await Self.clients(of: asked)
                #expect(after["acknowledgements"] == ["clients": 0, "versions": []])
                #expect(after["sampled"] == 0)
                #expect(after["signals"] == 0)
                // Late acknowledgements of the deleted project are of a version that is gone.
                try await Self.sendClients(to: asked, version: 1)
                #expect(try await Self.clients(of: asked)["acknowledgements"]?["clients"] == 0)
                try await Self.sendClients(to: asked, version: 2)
                #expect(try await Self.clients(of: asked)["acknowledgements"]?["clients"] == 8)
            }
        }
    }

    /// Swift compares strings by canonical equivalence: "K" is equal to the Kelvin sign.
    @Test func anotherSpellingOfANameIsNoProject() async throws {
        try await Self.with { server in
            try await server.publish(.sample, project: "K")
            let token = try await server.administer(
                "POST", "/v1/tokens", body: ["name": "limited", "projects": ["K": "publisher"]]
            ).json["token"]?.stringValue
            for (project, status) in [("K", 200), ("%E2%84%AA", 404)] {
                for path in ["activeconfig", "activeconfig/user/1", "activeconfig/user/1/events"] {
                    let answer = try await server.answer(
                        "/projects/\(project)/\(path)", method: "HEAD")
                    #expect(answer.status == status, "\(project) \(path)")
                }
                let flags = try await server.answer(
                    "/projects/\(project)/ofrep/v1/evaluate/flags", method: "POST",
                    body: #"{"context": {"targetingKey": "1"}}"#)
                #expect(flags.status == status, "\(project)")
                for path in ["remoteConfig", "details", "connections", "audit", "webhooks"] {
                    let answer = try await server.administer(
                        "GET", "/v1/projects/\(project)/\(path)", token: token)
                    #expect(answer.status == status, "\(project) \(path)")
                }
            }
            let named = try await server.answer("/projects/%C3%BCber/activeconfig")
            #expect(named.error?.message.contains("\u{fc}ber") == true)
        }
    }

    /// Requests the documents of eight users, and acknowledges version 1 for them.
    private static func sendClients(to server: RunningServer, version: Int) async throws {
        _ = try await server.answer("/projects/shop/activeconfig")
        for user in 0..<8 {
            let target = "/projects/shop/activeconfig/user/\(user)"
            _ = try await server.answer(target + "?device.os=ios&signal.city=Bonn")
            let answer = try await server.answer(
                target + "/acknowledgement", method: "POST",
                body: #"{"template_version": \#(version)}"#)
            #expect(answer.status == 204)
        }
    }

    /// What a server says about the clients of a project.
    private static func clients(of server: RunningServer) async throws -> JSONNode {
        let preview = try await server.administer(
            "POST", "\(prefix)/remoteConfig:preview",
            body: ["template": ["parameters": [:]], "users": []]
        ).json
        let connections = try await server.administer(
            "GET", "\(prefix)/connections?signals=true"
        ).json
        return [
            "acknowledgements": connections["acknowledgements"] ?? .null,
            "sampled": preview["estimate"]?["sampled"] ?? 0,
            "signals": .number("\(connections["signals"]?.objectValue?.count ?? 0)"),
        ]
    }

    @Test func aProjectCreatedAgainShowsTheFirstChangesOfItsSettings() async throws {
        try await Self.with { server in
            let template: JSONNode = ["parameters": ["a": ["defaultValue": ["value": "1"]]]]
            for _ in 0..<2 {
                try await server.publish(template, project: "shop")
                let history = try await server.administer(
                    "GET", "\(Self.prefix)/remoteConfig:settingHistory"
                ).json
                #expect(history["settings"]?["Default"]?["a"]?.arrayValue?.count == 1)
                try await Self.delete(server)
            }
        }
    }

    @Test func aLimitedTokenReadsTheAuditTrailOfItsProjectOnly() async throws {
        try await Self.with { server in
            let token = try await server.administer(
                "POST", "/v1/tokens", body: ["name": "limited", "projects": ["shop": "viewer"]]
            ).json["token"]?.stringValue
            @Sendable func actions(_ query: String = "", all: Bool = false) async throws -> [String]
            {
                let answer = try await server.administer(
                    "GET", "\(Self.prefix)/audit?\(query)",
                    token: all ? RunningServer.administratorToken : token)
                #expect(answer.status == 200)
                let entries = try answer.json["entries"]?.arrayValue ?? []
                return entries.compactMap { $0["action"]?.stringValue }.filter {
                    !$0.contains("TOKEN")
                }
            }
            let first = ["DELETE_PROJECT", "SET_PROJECT_DETAILS", "PUBLISH"]
            try await server.publish(.sample, project: "shop")
            try await Self.delete(server)
            #expect(try await actions() == first)
            try await server.administer("POST", "/v1/projects", body: ["project": "shop"])
            #expect(try await actions() == ["CREATE_PROJECT"])
            #expect(try await actions("pageSize=1") == ["CREATE_PROJECT"])
            #expect(try await actions("action=PUBLISH") == [])
            #expect(try await actions(all: true) == ["CREATE_PROJECT"] + first)
            try await Self.delete(server)
            #expect(
                try await actions() == ["DELETE_PROJECT", "SET_PROJECT_DETAILS", "CREATE_PROJECT"])
        }
    }

    @Test func aDeletionNeedsTheNameAndAnArchivedProject() async throws {
        try await Self.with { server in
            try await server.publish(.sample, project: "shop")
            for query in ["", "?confirm=", "?confirm=Shop", "?confirm=default"] {
                let answer = try await server.administer("DELETE", Self.prefix + query)
                #expect(answer.status == 400, "\(query)")
            }
            let early = try await server.administer("DELETE", "\(Self.prefix)?confirm=shop")
            #expect(early.status == 409)
            #expect(early.error?.status == "PROJECT_NOT_ARCHIVED")
            let tag = try await server.administer("GET", "\(Self.prefix)/details").fields["etag"]
            try await Self.archive(server)
            let stale = try await server.administer(
                "DELETE", "\(Self.prefix)?confirm=shop", fields: ["If-Match: \(tag ?? "")"])
            #expect(stale.status == 412)
            try await Self.delete(server)
            let missing = try await server.administer("DELETE", "\(Self.prefix)?confirm=shop")
            #expect(missing.status == 404)
        }
    }

    @Test func aTokenForSomeProjectsHasItsRoleInTheseOnly() async throws {
        try await Self.with { server in
            for name in ["shop", "web"] {
                try await server.administer(
                    "POST", "/v1/projects", body: ["project": .string(name)])
            }
            let created = try await server.administer(
                "POST", "/v1/tokens",
                body: ["name": "limited", "projects": ["shop": "editor", "web": "publisher"]]
            ).json
            #expect(created["projects"] == ["shop": "editor", "web": "publisher"])
            let token = created["token"]?.stringValue
            let listed = try await server.administer("GET", "/v1/projects", token: token).json
            #expect(
                listed["projects"]?.arrayValue?.compactMap { $0["name"] } == ["shop", "web"])
            func status(_ method: String, _ path: String, _ body: JSONNode? = nil) async throws
                -> Int
            {
                try await server.administer(
                    method, path, body: body, token: token, fields: ["If-Match: *"]
                ).status
            }
            #expect(try await status("GET", "\(Self.prefix)/remoteConfig") == 200)
            #expect(try await status("PUT", "\(Self.prefix)/remoteConfig", .sample) == 403)
            #expect(try await status("PUT", "/v1/projects/web/remoteConfig", .sample) == 200)
            for path in ["remoteConfig", "audit", "details", "webhooks", "connections"] {
                #expect(try await status("GET", "/v1/projects/default/\(path)") == 404, "\(path)")
            }
            #expect(try await status("PUT", "/v1/projects/default/remoteConfig", .sample) == 404)
            #expect(try await status("GET", "/v1/tokens") == 403)
            #expect(try await status("POST", "/v1/projects", ["project": "new"]) == 403)
            // The audit trail of its projects does not show the tokens of the server.
            let audit = try await server.administer("GET", "\(Self.prefix)/audit", token: token)
            let actions = try audit.json["entries"]?.arrayValue?.compactMap { $0["action"] }
            #expect(actions == ["CREATE_PROJECT"])
            let users: JSONNode = ["users": [["user_id": "1"]]]
            let stream = try await server.administer(
                "POST", "/activeconfig/events", body: users, token: token)
            #expect(stream.status == 404)
            for projects: JSONNode in [[:], [], ["a/b": "viewer"], ["shop": "owner"]] {
                let answer = try await server.administer(
                    "POST", "/v1/tokens", body: ["name": "x", "projects": projects])
                #expect(answer.status == 400, "\(projects)")
            }
        }
    }
}

extension RunningServer {
    /// Waits until the streams and long polls of a project have this number.
    fileprivate func waitForConnections(_ count: Int, project: String) async throws {
        try await waitUntil {
            try await administer("GET", "/v1/projects/\(project)/connections")
                .json["connections"]?.integerValue ?? 0 >= count
        }
    }
}
