import Foundation
import HTTPTypes
import InMemoryTemplateStore
import JSONTree
import Logging
import NIOConcurrencyHelpers
import NIOCore
import TemplateStore
import Templates
import Testing
import WebhookDelivery

@testable import AdminAPI
@testable import ClientAPI
@testable import ConfigServer
@testable import HTTPServing

/// The calls of administrators and the publisher of one server, on a store that several share, with
/// a clock that stands still.
struct ScheduleTestServer: Sendable {
    let store: InMemoryTemplateStore
    let clock: NIOLockedValueBox<Date>
    let administration: Administration
    /// Nil unless the server shares counts with others.
    let replicas: ReplicaBoard?
    let dispatcher: RequestDispatcher
    let publisher: ScheduledPublisher
    let acknowledgements: Acknowledgements

    static let path = path(inProject: "default")

    private static func path(inProject project: String) -> String { "/v1/projects/\(project)" }

    /// 2026-06-01T08:00:00Z.
    static let beginning = Date(timeIntervalSince1970: 1_780_300_800)

    static let ada = Administrator(name: "ada", role: .publisher, owner: "Ada")
    static let bob = Administrator(name: "bob", role: .editor, owner: "Bob")
    static let root = Administrator(name: "environment", role: .publisher, mayBypass: true)

    /// A server on a store; nil makes one whose project `default` has version 1.
    ///
    /// Servers on one store share what apps report, unless `reports` has reports of its own, as those of
    /// another process, or `announcements` has those of several processes.
    init(
        on other: ScheduleTestServer? = nil, reports: Acknowledgements? = nil,
        announcements: AnnouncementTable.Replica? = nil, approvals: Int = 0,
        with people: [Administrator] = [ada, bob],
        environmentToken: String? = "root", template: JSONNode = template(["a": "1", "b": "1"]),
        webhooks: WebhookOptions = WebhookOptions()
    ) async throws {
        acknowledgements = reports ?? other?.acknowledgements ?? Acknowledgements()
        store = other?.store ?? InMemoryTemplateStore()
        clock = other?.clock ?? NIOLockedValueBox(Self.beginning)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let metrics = LibraryMetrics()
        if other == nil {
            _ = try await store.publish(
                TemplateSubmission(
                    project: "default", content: template.jsonData(), expectation: .any,
                    date: Self.beginning - 60,
                    user: TemplateVersion.User(name: "root")))
            for person in people {
                try await store.addToken(
                    StoredToken(
                        id: person.name, name: person.name, role: person.role,
                        owner: person.owner, hash: .sha256(of: person.name),
                        creationDate: Self.beginning), actor: "root")
            }
        }
        let library = TemplateLibrary(store: store, logger: logger, metrics: metrics)
        try await library.load()
        var administration = Administration(
            store: store, library: library,
            access: AdministratorAccess(
                environmentToken: environmentToken.map { SecretHash(of: $0) }
            ) { [clock] in
                clock.withLockedValue { $0 }
            }, metrics: metrics, acknowledgements: acknowledgements,
            now: { [clock] in clock.withLockedValue { $0 } })
        replicas = announcements.map { [acknowledgements, administration] in
            ReplicaBoard(
                announcingTo: $0, hub: nil, acknowledgements: acknowledgements,
                process: administration.process, logger: logger)
        }
        administration.replicas = replicas
        self.administration = administration
        dispatcher = RequestDispatcher(
            groups: [administration.group(recognition: nil)],
            unknownPath: RequestError.unknownPath, logger: logger)
        publisher = ScheduledPublisher(
            administration: administration, inquiry: WebhookInquiry(options: webhooks))
        if approvals > 0 {
            let answer = await call(
                "PUT", "/protection", ["requiredApprovals": .number("\(approvals)")],
                tag: "*", by: Self.root)
            #expect(answer.status == 200)
        }
    }

    struct Answer {
        let status: Int
        let tag: String
        let body: JSONNode

        var id: String { body["id"]?.stringValue ?? "" }
        var schedule: JSONNode? { body["schedule"] }
        var state: String? { schedule?["state"]?.stringValue }
        var message: String { body["error"]?["message"]?.stringValue ?? "" }
        var errorStatus: String? { body["error"]?["status"]?.stringValue }
    }

    func call(
        _ method: String, _ target: String, _ body: JSONNode? = nil, tag: String? = nil,
        by person: Administrator = ada, inProject project: String = "default"
    ) async -> Answer {
        var fields = HTTPFields()
        fields[.ifMatch] = tag
        let response = await dispatcher.respond(
            method: HTTPRequest.Method(rawValue: method) ?? .get,
            path: Self.path(inProject: project) + target, headerFields: fields,
            body: body.map { ByteBuffer(bytes: $0.jsonData()) } ?? ByteBuffer(),
            caller: AdministratorCaller(person))
        let json = try? JSONNode(jsonData: Data(response.body.readableBytesView))
        return Answer(
            status: response.status.code, tag: response.headerFields[.eTag] ?? "",
            body: json ?? .null)
    }

    /// Schedules a template at a number of seconds from the beginning.
    func schedule(
        _ values: [String: String], at seconds: Double, until end: Double? = nil,
        after predecessor: String? = nil, by person: Administrator = ada
    ) async -> Answer {
        var body: JSONNode = [
            "title": "Title", "template": Self.template(values),
            "at": Self.time(seconds),
        ]
        body.setMember("until", end.map { Self.time($0) })
        body.setMember("after", predecessor.map { .string($0) })
        if predecessor == nil { body.setMember("base", "etag-default-1") }
        let answer = await call("POST", "/scheduledPublishes", body, by: person)
        #expect(answer.status == 201, "\(answer.message)")
        return answer
    }

    func get(_ id: String) async -> Answer { await call("GET", "/scheduledPublishes/\(id)") }

    /// Sets the clock, publishes what is due, and warns of lacking approvals.
    @discardableResult
    func perform(at seconds: Double) async throws -> Date? {
        clock.withLockedValue { $0 = Self.beginning + seconds }
        let look = try await publisher.look()
        for requests in look.due.values {
            _ = await publisher.perform(requests) { request, error in
                Issue.record("\(request.id): \(error)")
            }
        }
        for rollout in look.rollouts { try await publisher.performRollout(rollout) }
        for check in look.checks { try await publisher.warn(by: check) }
        return try await publisher.look().nextDate
    }

    func values() async throws -> [String: String] {
        let json = try #require(
            try await store.template(version: nil, inProject: "default")
        ).content
        var values: [String: String] = [:]
        for (key, parameter) in try JSONNode(jsonData: json)["parameters"]?.objectValue ?? [:] {
            values[key] = parameter["defaultValue"]?["value"]?.stringValue
        }
        return values
    }

    func addWebhook(
        _ id: String, url: String? = nil, topics: Set<WebhookEvent.Topic> = [.publish]
    ) async throws {
        try await store.addWebhook(
            StoredWebhook(
                id: id, project: "default", url: url ?? "https://\(id).example", secret: "s",
                creationDate: Self.beginning, creator: "root", topics: topics))
    }

    /// The versions of which a webhook has deliveries, the oldest first.
    func deliveredVersions(ofWebhook id: String) async throws -> [Int] {
        try await store.deliveries(ofWebhook: id, inProject: "default", limit: 1_000)
            .compactMap(\.event.version).sorted()
    }

    /// The steps of which a webhook has deliveries, the newest first.
    func steps(ofWebhook id: String) async throws -> [ChangeRequestStep] {
        try await store.deliveries(ofWebhook: id, inProject: "default", limit: 1_000)
            .compactMap { delivery in
                if case .changeRequest(let step) = delivery.event { step } else { nil }
            }
    }

    func version() async throws -> TemplateVersion? {
        try await store.template(version: nil, inProject: "default")?.version
    }

    func publish(_ values: [String: String]) async { await publish(Self.template(values)) }

    func publish(_ template: JSONNode) async {
        let answer = await call(
            "PUT", "/remoteConfig?bypass=Test", template, tag: "*", by: Self.root)
        #expect(answer.status == 200, "\(answer.message)")
    }

    static func template(_ values: [String: String]) -> JSONNode {
        var parameters = JSONNode.emptyObject
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            parameters.setMember(key, ["defaultValue": ["value": .string(value)]])
        }
        return ["parameters": parameters]
    }

    static func time(_ seconds: Double) -> JSONNode {
        .string((beginning + seconds).formatted(Date.ISO8601FormatStyle()))
    }

    /// Announces to the other servers what apps report, and a number of streams.
    func announce(streams: Int = 0) async throws {
        var announced: [String: Data] = [:]
        let counts = try JSONDecoder().decode(
            ConnectionCounts.self, from: Data(#"{"versions":{"1":\#(streams)}}"#.utf8))
        await replicas?.announceCounts(["default": counts], unlessIn: &announced)
    }

    /// Reports that a number of clients use a version, and that some of them have a problem with it.
    func report(
        version: Int, clients: Int, from first: Int = 0, withProblems: Int = 0,
        at key: String = "a", isActive: Bool = true
    ) throws {
        for user in first..<first + clients {
            let hasProblem = user < first + withProblems
            let problem: JSONNode = [
                "section": "Default", "key": .string(key), "message": "too large",
            ]
            let body: JSONNode = [
                "template_version": .number("\(version)"),
                "in_force": .bool(isActive || !hasProblem),
                "problems": .array(hasProblem ? [problem] : []),
            ]
            acknowledgements.record(
                try Acknowledgement(body), userID: "user \(user)", project: "default",
                current: version, isSetting: { _ in true })
        }
    }
}

/// The announcements of several servers that share a store.
final class AnnouncementTable: Sendable {
    private let contents = NIOLockedValueBox<[String: [String: Data]]>([:])

    /// The announcements of one server.
    struct Replica: ReplicaStoring {
        let table: AnnouncementTable
        let name: String

        var announcedReplica: String? { name }

        func announce(_ content: Data, as name: String) throws(TemplateStoreError) {
            table.contents.withLockedValue { $0[self.name, default: [:]][name] = content }
        }

        func announcements() -> [ReplicaAnnouncement] {
            table.contents.withLockedValue { $0 }.map { replica, contents in
                ReplicaAnnouncement(
                    replica: replica, isOwn: replica == name, isSilent: contents.isEmpty,
                    contents: contents)
            }
        }

        func newestRevision() -> StoreRevision { .zero }
    }

    subscript(_ name: String) -> Replica { Replica(table: self, name: name) }

    /// Removes what a server has announced, as after its end.
    func remove(_ name: String) { contents.withLockedValue { $0[name] = nil } }
}
