import Foundation
import JSONTree
import OrderedCollections
import ServerTestSupport
import Testing

extension RunningServer {
    /// Opens the stream of a user, and reads its first event.
    ///
    /// - Parameters:
    ///   - userID: The user; nil is the generic one.
    ///   - fields: Further fields.
    ///   - body: Uses the stream.
    /// - Throws: What connecting or the body throws.
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

    /// Publishes a setting `isNew` of the section `Default` that becomes true soon, and opens the
    /// stream of user 1 before it does.
    ///
    /// - Parameter body: Uses the stream.
    /// - Throws: What connecting or the body throws.
    func streamBeforeADate(_ body: (EventStreamClient) async throws -> Void) async throws {
        // A machine that is busy gets more time.
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
                isEarly = Date() < date
                if isEarly { try await body(stream) }
            }
            if isEarly { return }
        }
        Issue.record("No stream was open in time.")
    }

    /// Who listens to the project `default`.
    func connections() async throws -> JSONNode {
        try await administer("GET", "/v1/projects/default/connections").json
    }
}

extension JSONNode {
    /// Changes the title in the sample template.
    ///
    /// - Parameters:
    ///   - condition: The condition whose value is changed; nil changes the default value.
    ///   - text: The new text.
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

    /// Applies an update of a stream to a document.
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

    /// Changes a member of an object.
    private mutating func change(_ name: String, _ body: (inout JSONNode) -> Void) {
        guard var member = self[name] else { return }
        body(&member)
        setMember(name, member)
    }
}
