import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import Rendering
import TemplateStore
import Templates

/// The route of API 3 for the use of apps and settings.
struct UsageRoutes: Sendable {
    let administration: Administration

    private let pasts = DigestCache<SettingPasts>()

    init(administration: Administration) { self.administration = administration }

    var routes: [Route] {
        [.get("/v1/projects/{project}/usage", access: RoleAccess(.viewer), handler: usage)]
    }

    /// The apps to which templates were delivered, the share of clients on the newest version, and the
    /// settings with their use.
    ///
    /// `stale=true` lists the stale settings only. Pages after the first have settings only.
    @Sendable
    private func usage(_ request: RouteRequest) async throws -> RouteResponse {
        let name = request.project
        try await administration.checkExists(name)
        let limit = try request.wholeNumber(named: "pageSize", in: 1...1_000) ?? 200
        let onlyStale = try request.flag(named: "stale")
        let start = try Self.start(in: request)
        let report = try await report(ofProject: name)
        let listed = report.settings.filter { !onlyStale || $0.staleness != nil }
        let page = listed.dropFirst(start).prefix(limit)
        var body: JSONNode = [
            "versionNumber": .string("\(report.version)"),
            "settings": .array(page.map { $0.usage.json($0.staleness) }),
        ]
        if page.endIndex < listed.endIndex, !page.isEmpty {
            body.setMember("nextPageToken", .string("\(page.endIndex)"))
        }
        if start == 0 { try await add(report, toFirst: &body, ofProject: name) }
        return .json(body)
    }

    private static func start(in request: RouteRequest) throws(RequestError) -> Int {
        guard let token = try request.queryValue(named: "pageToken") else { return 0 }
        guard let start = Int(token), start >= 0, token.utf8.count < 10 else {
            throw .invalidArgument("pageToken is unknown: begin with the first page.")
        }
        return start
    }

    /// What is known of a project's use.
    private struct Report {
        let version: Int
        let usage: ProjectUsage
        let settings: [(usage: SettingUsage, staleness: Staleness?)]
        let thresholds: StaleThresholds
        let day: UsageDay
    }

    private func report(ofProject name: String) async throws -> Report {
        let versions = ProjectVersions(name: name, administration: administration)
        let pasts = try await pasts.digest(ofProject: name, from: versions)
        var usage = try await administration.callStore("usage", project: name) {
            () throws(TemplateStoreError) in
            try await administration.store.usage(inProject: name)
        }
        // What this process has not stored yet.
        if let batch = administration.usage?.batch(ofProject: name) { usage.add(batch) }
        let day = UsageDay(administration.now())
        let thresholds = StaleThresholds()
        guard let project = administration.library.project(name) else {
            return Report(
                version: 0, usage: usage, settings: [], thresholds: thresholds, day: day)
        }
        let settings = usage.settings(
            of: project.compiled.template, pasts, pinned: project.pinnedSettings)
        return Report(
            version: project.compiled.version.number, usage: usage,
            settings: settings.map { ($0, $0.staleness(on: day, thresholds)) },
            thresholds: thresholds, day: day)
    }

    private func add(
        _ report: Report, toFirst body: inout JSONNode, ofProject name: String
    ) async throws {
        body.setMember("recordedSince", report.usage.since.map { .string($0.text) })
        body.setMember(
            "thresholds",
            [
                "unusedDays": .number("\(report.thresholds.unusedDays)"),
                "sameDays": .number("\(report.thresholds.sameDays)"),
            ])
        body.setMember(
            "staleCount", .number("\(report.settings.count { $0.staleness != nil })"))
        body.setMember("apps", .array(report.usage.sortedApps.map { $0.app.json($0.mark) }))
        let others = await administration.replicas?.others()
        if let now = await administration.clientShare(inProject: name, others: others) {
            body.setMember("now", now.json)
        }
        body.setMember("shares", .array(report.usage.shares.map(\.json)))
        let unknown = administration.usage?.unknownNames(inProject: name) ?? []
        body.setMember(
            "unknownNames",
            .array(
                unknown.map {
                    ["name": .string($0.text.text), "date": .string($0.date.timestamp)]
                }))
        body.setMember("replicas", others?.json)
    }
}

extension PublishedProject {
    /// The settings with pinned values of any user.
    fileprivate var pinnedSettings: Set<UsedSetting> {
        var settings: Set<UsedSetting> = []
        for document in overrides.values {
            for (section, values) in document.sections {
                for key in values.keys {
                    settings.insert(UsedSetting(section: section.text, key: key.text))
                }
            }
        }
        return settings
    }
}

extension ProjectUsage {
    /// The apps, the last delivery first.
    fileprivate var sortedApps: [(app: UsedApp, mark: UsageMark)] {
        deliveries.map { ($0.key, $0.value) }.sorted { left, right in
            left.1.day == right.1.day ? left.0.precedes(right.0) : left.1.day > right.1.day
        }
    }
}

extension UsedApp {
    /// `{"kind": "APP", "id": "com.example.shop", "version": "2.1", "delivered": "2026-11-29",
    /// "templateVersion": "12"}`.
    fileprivate func json(_ mark: UsageMark) -> JSONNode {
        var node: JSONNode = ["kind": .string(kind.rawValue)]
        node.setMember("id", id.map { .string($0.text) })
        node.setMember("version", version.map { .string($0.text) })
        node.setMember("delivered", .string(mark.day.text))
        node.setMember("templateVersion", .string("\(mark.version)"))
        return node
    }
}

extension ClientShare {
    /// `{"version": "12", "clients": 203, "current": 200}`.
    fileprivate var json: JSONNode {
        [
            "version": .string("\(version)"), "clients": .number("\(clients)"),
            "current": .number("\(current)"),
        ]
    }
}

extension UsageShare {
    /// `{"date": "2026-11-29", "version": "12", "clients": 203, "current": 200}`.
    fileprivate var json: JSONNode {
        [
            "date": .string(day.text), "version": .string("\(version)"),
            "clients": .number("\(clients)"), "current": .number("\(current)"),
        ]
    }
}
