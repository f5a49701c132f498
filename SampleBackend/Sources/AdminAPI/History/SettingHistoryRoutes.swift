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
        return .json(try await histories.history(ofProject: project.name, from: project).json)
    }
}

/// The versions of a project in the store.
private struct ProjectVersions: VersionReading {
    let name: String
    let administration: Administration

    func versions(limit: Int) async throws -> VersionPage {
        try await administration.checkExists(name)
        return try await administration.callStore("versions", project: name) {
            () throws(TemplateStoreError) in
            try await administration.store.versions(
                inProject: name, matching: VersionQuery(limit: limit))
        }
    }

    func template(version: Int) async throws -> StoredTemplate? {
        try await administration.callStore("template", project: name) {
            () throws(TemplateStoreError) in
            try await administration.store.template(version: version, inProject: name)
        }
    }
}
