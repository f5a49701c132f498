import JSONTree
import TemplateStore
import Templates

extension Administration {
    /// Maximum number of versions to search for the authors of conflicts.
    private static let maximumAuthorVersions = 30

    /// The last version since `base` that changed each conflicting unit, by the path of the
    /// conflict; missing for a change that is older than the searched versions.
    func authors(
        of conflicts: [TemplateMerge.Conflict], from base: RemoteConfigTemplate, since: Int,
        to current: StoredTemplate
    ) async throws -> NamedValues<TemplateVersion> {
        var authors: NamedValues<TemplateVersion> = [:]
        var open = conflicts
        var newer = TemplateMerge.Units(try current.validated().template)
        let query = VersionQuery(
            limit: Self.maximumAuthorVersions, endVersion: current.version.number)
        let page = try await versions(
            inProject: current.project, matching: query)
        let later = page.versions.filter { $0.number > since }
        for (index, version) in later.enumerated() where !open.isEmpty {
            var older = base
            if index + 1 < later.count {
                older = try await template(
                    version: later[index + 1].number, inProject: current.project
                ).validated().template
            } else if later.count == Self.maximumAuthorVersions {
                break
            }
            let units = TemplateMerge.Units(older)
            open.removeAll { conflict in
                guard Self.value(of: conflict, in: units) != Self.value(of: conflict, in: newer)
                else { return false }
                authors[conflict.path] = version
                return true
            }
            newer = units
        }
        return authors
    }

    /// The value of a conflicting unit in a template; for the order of conditions, only the names
    /// that all sides have.
    private static func value(
        of conflict: TemplateMerge.Conflict, in units: TemplateMerge.Units
    ) -> JSONNode? {
        let value = units[conflict.subject]
        guard conflict.subject == .conditionOrder, case .array(let names)? = value else {
            return value
        }
        let sides = [conflict.base, conflict.mine, conflict.theirs].map {
            Set($0?.arrayValue ?? [])
        }
        return .array(names.filter { name in sides.allSatisfy { $0.contains(name) } })
    }
}
