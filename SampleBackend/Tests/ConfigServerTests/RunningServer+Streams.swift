import Foundation
import JSONTree
import ServerTestSupport
import Testing

extension RunningServer {
    /// Opens the stream of a user, nil for the generic one, and reads its first event.
    func stream(
        ofUser userID: String?, fields: [String] = [],
        _ body: (EventStreamClient) async throws -> Void
    ) async throws {
        let encoded = userID?.replacing("/", with: "%2F")
        let target = encoded.map { "/activeconfig/user/\($0)/events" } ?? "/activeconfig/events"
        try await EventStreamClient.open(port: port, target, fields: fields) { stream in
            #expect(try await stream.next().name == "hello")
            try await body(stream)
        }
    }

    /// Publishes a setting `Default.isNew` that soon becomes true, and opens user 1's stream before
    /// it does.
    func streamBeforeADate(_ body: (EventStreamClient) async throws -> Void) async throws {
        // Retries with longer delays, for a busy machine.
        for delay in [2, 6, 18, 54] {
            let date = Date(
                timeIntervalSince1970: (Date().timeIntervalSince1970 + Double(delay)).rounded(.down)
            )
            let text = date.formatted(
                .iso8601.year().month().day().time(includingFractionalSeconds: false))
            var template = JSONNode.sample
            template.setMember(
                "conditions",
                [["name": "third", "expression": .string("dateTime >= dateTime('\(text)')")]])
            template.setMember("parameterGroups", [:])
            #expect(try await publish(template).status == 200)
            var isEarly = false
            try await stream(ofUser: "1") { stream in
                isEarly = Date() < date  // deadline: otherwise retries with a longer delay
                if isEarly { try await body(stream) }
            }
            if isEarly { return }
        }
        Issue.record("No stream was open in time.")
    }

    /// The connections of the project `default`.
    func connections() async throws -> JSONNode {
        try await administer("GET", "/v1/projects/default/connections").json
    }

    /// Returns once the server counts this many connected users.
    func waitForConnections(_ count: Int) async throws {
        try await waitUntil { try await connections()["connections"]?.integerValue == count }
    }
}

extension JSONNode {
    /// Changes the title's value under `condition`, or its default value for nil, in the sample
    /// template.
    mutating func setTitle(of condition: String?, to text: String) {
        let value: JSONNode = ["value": .string(text)]
        change("parameterGroups") { groups in
            groups.change("Home") { home in
                home.change("parameters") { parameters in
                    parameters.change("title") { title in
                        guard let condition else { return title.setMember("defaultValue", value) }
                        title.change("conditionalValues") { $0.setMember(condition, value) }
                    }
                }
            }
        }
    }

    /// Applies a stream's update to a document.
    mutating func apply(_ update: JSONNode) {
        setMember("meta", update["meta"])
        change("config_sections") { sections in
            for (name, section) in update["sections"]?.objectValue ?? [:] {
                if section == .null {
                    sections.removeMember(name)
                } else {
                    sections.setMember(name, section)
                }
            }
        }
    }

    private mutating func change(_ name: String, _ body: (inout JSONNode) -> Void) {
        guard var member = self[name] else { return }
        body(&member)
        setMember(name, member)
    }
}
