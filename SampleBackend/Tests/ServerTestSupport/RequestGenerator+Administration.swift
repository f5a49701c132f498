import Foundation
import JSONTree

extension RequestGenerator {
    /// The next request of an administrator, mostly with a valid token and an invalid path, query
    /// or body; with `isLast` it closes the connection.
    package mutating func administrationRequest(token: String, isLast: Bool = true) -> [UInt8] {
        let project = pick([
            "default", "default", "default", "p", "%00", "..", "a%20b", text().encoded,
        ])
        let user = pick(["1", "%2F", "", text().encoded])
        let path = pick([
            "/v1/projects/\(project)/remoteConfig", "/v1/projects/\(project)/remoteConfig",
            "/v1/projects/\(project)/remoteConfig", "/v1/projects/\(project)/remoteConfig",
            "/v1/projects/\(project)/remoteConfig:rollback",
            "/v1/projects/\(project)/remoteConfig:rollback",
            "/v1/projects/\(project)/remoteConfig:undo",
            "/v1/projects/\(project)/remoteConfig:compare",
            "/v1/projects/\(project)/remoteConfig:promote",
            "/v1/projects/\(project)/remoteConfig:listVersions",
            "/v1/projects/\(project)/remoteConfig:downloadDefaults",
            "/v1/projects/\(project)/remoteConfig:diff",
            "/v1/projects/\(project)/remoteConfig:settingHistory",
            "/v1/projects/\(project)/remoteConfig:preview",
            "/v1/projects/\(project)/remoteConfig:merge", "/v1/projects",
            "/v1/projects/\(project)/draft", "/v1/projects/\(project)/draft",
            "/v1/projects/\(project)/users/\(user)/overrides",
            "/v1/projects/\(project)/remoteConfig:merge",
            "/v1/projects/\(project)/webhooks", "/v1/projects/\(project)/webhooks/\(user)",
            "/v1/projects/\(project)/webhooks/\(user)/deliveries",
            "/v1/projects/\(project)/details",
            "/v1/conditions:parse", "/v1/projects/\(project)/remoteConfig:import",
            "/v1/projects/\(project)/namespaces/firebase-server/serverRemoteConfig",
            "/v1/projects/\(project)/connections", "/ofrep/v1/evaluate/flags",
            "/projects/\(project)/ofrep/v1/evaluate/flags/Home.\(user)",
            "/v1/projects/\(project)/audit", "/v1/tokens", "/v1/tokens/\(user)", "/metrics",
        ])
        let names = [
            "validateOnly", "versionNumber", "pageSize", "pageToken", "endVersionNumber",
            "startTime", "endTime", "format", "from", "to", "with", "x",
        ]
        let values = [
            "true", "1", "2", "p", "-1", "9223372036854775808", "JSON", "PLIST", "ACTIVECONFIG", "",
            "2026-01-01T00:00:00Z", "%FF", text().encoded,
        ]
        var query = (0..<number(below: 3)).map { _ in "\(pick(names))=\(pick(values))" }
        let publishes = path.hasSuffix("/remoteConfig")
        let rollsBack = path.hasSuffix(":rollback") || path.hasSuffix(":undo")
        let method = pick(
            ["GET", "PUT", "PUT", "POST", "POST", "DELETE", "PATCH", "HEAD"]
                + Array(
                    repeating: rollsBack ? "POST" : "PUT", count: publishes || rollsBack ? 12 : 0))
        // The server refuses any write with an unknown parameter.
        if !["GET", "HEAD"].contains(method) {
            query.removeAll { !$0.hasPrefix("validateOnly=") && !$0.hasPrefix("x=") }
        }
        let body = self.body(for: path)
        let fields = [
            "\(method) \(path)?\(query.joined(separator: "&")) HTTP/1.1", "Host: localhost",
            "Authorization: Bearer \(number(below: 20) == 0 ? "wrong" : token)",
            pick(path.hasSuffix("/draft") ? ["If-Match", "If-None-Match"] : ["If-Match"])
                + ": \(pick(["*", "*", "etag-default-1", "etag-default-1", "\"x\"", ""]))",
            "Content-Type: \(pick(["application/json", "application/json-patch+json"]))",
            "Content-Length: \(number(below: 60) == 0 ? 1 << 30 : body.count)",
            "Connection: \(isLast ? "close" : "keep-alive")", "", "",
        ]
        return Array(fields.joined(separator: "\r\n").utf8) + body
    }

    /// A body that a route accepts, usually damaged in some way; less often on routes that refuse
    /// this kind of body in any case.
    private mutating func body(for path: String) -> [UInt8] {
        var node: JSONNode
        let mutations: Int
        let names = [
            "/remoteConfig": "parameters", ":rollback": "versionNumber", ":undo": "versionNumber",
            ":promote": "sections",
        ]
        if let name = names.first(where: { path.hasSuffix($0.key) })?.value {
            node = pick(Self.bodies.filter { $0[name] != nil })
            mutations = max(0, number(below: 6) - 3)
        } else {
            node = pick(Self.bodies)
            mutations = number(below: 4)
        }
        for _ in 0..<mutations { node = mutate(node, depth: 0) }
        var bytes = Array(node.jsonData())
        switch number(below: 12) {
        case 0: bytes.removeLast(number(below: bytes.count))
        case 1: bytes = Array(String(repeating: "[", count: 10_000).utf8)
        case 2: bytes = Array(text().utf8)
        case 3: if !bytes.isEmpty { bytes[number(below: bytes.count)] = 0xFF }
        default: break
        }
        return bytes
    }

    /// Bodies that the routes accept.
    private static let bodies: [JSONNode] = [
        ["baseVersion": "0", "template": ["parameters": [:]]],
        [
            ["op": "add", "path": "/parameters", "value": [:]],
            ["op": "copy", "from": "/parameters", "path": "/parameters/a~1b"],
        ],
        ["context": ["targetingKey": "1", "app.version": "1.2", "plan": true]],
        ["base": "1", "mine": ["parameters": [:]], "resolutions": [:]],
        ["url": "http://127.0.0.1:1/hook"],
        [
            "conditions": [
                ["name": "a", "expression": "percent <= 50 && user.id in ['1', '2']"],
                ["name": "b", "expression": "app.customSignal['c'].matches(['^(a|b)+$'])"],
                [
                    "name": "s",
                    "condition": [
                        "orCondition": [
                            "conditions": [
                                [
                                    "percent": [
                                        "percentOperator": "LESS_OR_EQUAL", "microPercent": 5,
                                    ]
                                ]
                            ]
                        ]
                    ],
                ],
            ],
            "parameters": [
                "p": [
                    "defaultValue": ["value": "1"], "valueType": "NUMBER",
                    "conditionalValues": ["a": ["value": "2"], "b": ["useInAppDefault": true]],
                ]
            ],
            "parameterGroups": [
                "G": ["parameters": ["q": ["defaultValue": ["value": "${user.id}"]]]]
            ],
            "version": ["description": "x", "versionNumber": "7"],
        ],
        [
            "base": "1", "resolutions": ["parameters.p": "mine"],
            "mine": ["parameters": ["p": ["defaultValue": ["value": "2"]]]],
        ],
        ["token": "x", "users": [["userID": "1", "signals": ["app.version": "1.2", "c": "a"]]]],
        [
            "from": "default", "settings": [["section": "Default", "key": "p", "parts": ["x"]]],
            "sections": ["G"], "deletions": true, "userConditions": true,
            "resolutions": ["conditions.a": "mine"],
        ],
        ["versionNumber": "1"], ["Home": ["title": "x", "deep": [1, ["a": 2]]]],
        ["name": "x", "role": "viewer", "expirationTime": "2099-01-01T00:00:00Z"],
        ["url": "https://webhook.invalid/a?b"],
    ]

    /// Replaces, removes or adds a part of a value.
    private mutating func mutate(_ node: JSONNode, depth: Int) -> JSONNode {
        if number(below: 4) == 0 || depth > 8 { return leaf() }
        switch node {
        case .array(var elements) where !elements.isEmpty:
            let index = number(below: elements.count)
            elements[index] = mutate(elements[index], depth: depth + 1)
            if number(below: 8) == 0 { elements += elements }
            return .array(elements)
        case .object(var members) where !members.isEmpty:
            let index = number(below: members.count)
            let (key, value) = Array(members)[index]
            switch number(below: 8) {
            case 0: members[key] = nil
            case 1: members[text()] = value
            default: members[key] = mutate(value, depth: depth + 1)
            }
            return .object(members)
        default: return leaf()
        }
    }

    /// Value that no route expects.
    private mutating func leaf() -> JSONNode {
        switch number(below: 9) {
        case 0: .null
        case 1: .bool(number(below: 2) == 0)
        case 2: .number(pick(["0", "-1", "1e308", "99999999999999999999", "0.1"]))
        case 3: []
        case 4: [:]
        case 5: .string(String(repeating: "x", count: number(below: 3_000)))
        case 6:
            .string(
                pick([
                    "((((", "percent <= 101", "user.id == '", "!", "a && ", "true || true",
                    "app.version.matches(['(a+)+$'])", "dateTime < dateTime('x')", "'",
                    "${user.id}",
                ]))
        default: .string(text())
        }
    }
}

extension String {
    /// Percent-encoded text: every byte except letters and digits is encoded.
    fileprivate var encoded: String {
        addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
