import ClientAPI
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore

/// The route of API 3 that returns the versions that changed each setting.
struct SettingHistoryRoutes: Sendable {
    let administration: Administration

    private let histories = SettingHistories()

    init(administration: Administration) { self.administration = administration }

    var routes: [Route] {
        [
            .get(
                "/v1/projects/{project}/remoteConfig:settingHistory", access: RoleAccess(.viewer),
                handler: history)
        ]
    }

    @Sendable
    private func history(_ request: RouteRequest) async throws -> RouteResponse {
        let project = ProjectVersions(name: request.project, administration: administration)
        let section = try request.queryValue(named: "section")
        let key = try request.queryValue(named: "key")
        let history = try await histories.history(ofProject: project.name, from: project)
        switch (section, key) {
        case (nil, nil): return .json(history.json)
        case (let section?, let key?) where section.hasBoundedMarks && key.hasBoundedMarks:
            let changes = try await SettingChanges.read(
                section: section, key: key, in: history, from: project)
            return .json([
                "versionNumber": .string("\(history.versionNumber)"),
                "baseVersionNumber": .string("\(history.baseVersion)"), "changes": changes.json,
            ])
        default:
            throw RequestError.invalidArgument(
                "section or key is missing: send both for the changes of one setting, or neither.")
        }
    }
}

/// The versions of a project in the store.
struct ProjectVersions: VersionReading {
    let name: String
    let administration: Administration

    func versions(limit: Int) async throws -> VersionPage {
        try await administration.versions(inProject: name, matching: VersionQuery(limit: limit))
    }

    func template(version: Int) async throws -> StoredTemplate? {
        try await administration.callStore("template", project: name) {
            () throws(TemplateStoreError) in
            try await administration.store.template(version: version, inProject: name)
        }
    }
}
