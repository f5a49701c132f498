import JSONTree
import TemplateStore
import Templates

/// The sections in which a delivered version may differ from what the receiver has.
///
/// An attempt whose result is unknown may have delivered its version: the server was killed after
/// the receiver's answer, or a proxy answered in its place. So the receiver may have any version
/// that was attempted since the last recorded success.
struct DeliveredChanges: Sendable {
    let claimed: ClaimedDelivery
    /// The delivered version.
    let version: Int
    let templates: any TemplateStoring
    let store: any WebhookStoring & ChangeFeed
    /// Compares two versions in memory; nil when one is not there.
    let knownChanges: WebhookService.KnownChanges

    /// The names of the sections, sorted.
    func sections() async throws(TemplateStoreError) -> [String] {
        let project = claimed.webhook.project
        var names: Set<ExactText> = []
        func add(_ sections: some Sequence<String>) {
            names.formUnion(sections.exactNames)
        }
        // The receiver may have another version under a number up to the floor.
        let floor = try await store.versionFloor()
        var new: RemoteConfigTemplate?
        for earlier in try await possibleVersions() {
            if earlier > floor, let sections = knownChanges(project, earlier, version) {
                add(sections)
                continue
            }
            if new == nil { new = try await template(version) }
            guard let current = new else { return [] }
            guard earlier > floor, let old = try await template(earlier) else {
                // Any section may differ from one of a version that is not stored. Those of later
                // versions are among these.
                add(current.sections.names)
                let known = earlier > floor ? earlier : 0
                for number in try await storedVersions(after: known) {
                    if let between = try await template(number) { add(between.sections.names) }
                }
                break
            }
            add(TemplateDiff.changedSections(from: old, to: current))
        }
        return names.sortedByBytes()
    }

    /// The versions that the receiver may have: the last one known to be delivered, and those that
    /// were attempted after it.
    private func possibleVersions() async throws(TemplateStoreError) -> [Int] {
        let known = min(claimed.knownVersion, version - 1)
        guard known + 1 < version else { return [known] }
        let deliveries = try await store.deliveries(
            ofWebhook: claimed.webhook.id, inProject: claimed.webhook.project,
            limit: TemplateStoreLimits.keptVersions)
        let attempts = Dictionary(
            deliveries.compactMap { delivery in delivery.version.map { ($0, delivery.attempts) } },
            uniquingKeysWith: max)
        // A delivery that is no longer stored may have been attempted.
        return try await [known]
            + storedVersions(after: known).filter { attempts[$0] ?? 1 > 0 }
    }

    /// The numbers of the stored versions between another one and the delivered one.
    private func storedVersions(after earlier: Int) async throws(TemplateStoreError) -> [Int] {
        let query = VersionQuery(endVersion: version - 1)
        let page = try await templates.versions(
            inProject: claimed.webhook.project, matching: query)
        return page.versions.map(\.number).filter { $0 > earlier }.reversed()
    }

    /// A stored version; nil when it is not stored, or this program cannot read it.
    private func template(
        _ version: Int
    ) async throws(TemplateStoreError) -> RemoteConfigTemplate? {
        try await templates.template(version: version, inProject: claimed.webhook.project).flatMap {
            try? ValidatedTemplate(jsonData: $0.content, limits: .none).template
        }
    }
}
