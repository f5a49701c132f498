import ClientAPI
import HTTPServing
import JSONTree
import TemplateStore
import Templates

// Warnings about the open change requests that a publish concerns.
extension Administration {
    /// Maximum number of open requests that are read for a publish, and of their bytes.
    private static let (mostRequests, mostRequestBytes) = (50, 8 << 20)

    /// A warning for each open change request that uses a condition or a setting that a template
    /// lacks, unlike the current version.
    ///
    /// - Parameters:
    ///   - template: The template to publish.
    ///   - project: The project.
    /// - Returns: The warnings; none when the store fails, since a warning must fail no publish.
    func warningsAboutRequests(
        publishing template: RemoteConfigTemplate, inProject project: String
    ) async -> [String] {
        await warningsAboutRequests(inProject: project) { template }
    }

    /// The same for the publish of an earlier version.
    func warningsAboutRequests(
        publishingAgain version: Int, inProject project: String
    ) async -> [String] {
        await warningsAboutRequests(inProject: project) {
            try await template(version: version, inProject: project).validated().template
        }
    }

    private func warningsAboutRequests(
        inProject project: String, publishing template: () async throws -> RemoteConfigTemplate
    ) async -> [String] {
        do {
            let open = try await callStore("change_requests", project: project) {
                () throws(TemplateStoreError) in
                try await store.changeRequests(inProject: project, date: now())
            }.filter { $0.state == .open }
            if open.isEmpty { return [] }
            let template = try await template()
            let live = try await self.template(inProject: project).validated().template
            // Most publishes delete nothing, and the requests can have megabytes.
            guard TemplateDiff(from: live, to: template).isDeletingParts else { return [] }
            return try await warnings(about: open, from: live, to: template)
        } catch {
            return []
        }
    }

    private func warnings(
        about open: [ChangeRequestHeader], from live: RemoteConfigTemplate,
        to template: RemoteConfigTemplate
    ) async throws -> [String] {
        var (warnings, bytes): ([String], Int) = ([], 0)
        for (place, header) in open.enumerated() {
            bytes += header.size
            guard place < Self.mostRequests, bytes <= Self.mostRequestBytes else {
                warnings.append(
                    "\(open.count - place) more open change requests were not compared: look at "
                        + "them.")
                break
            }
            let stored = try await callStore("change_request", project: header.project) {
                () throws(TemplateStoreError) in
                try await store.changeRequest(
                    id: header.id, inProject: header.project, date: now())
            }
            guard let stored, stored.state == .open, let contents = stored.contents else {
                continue
            }
            let base = try ValidatedTemplate(jsonData: contents.base, limits: .none).template
            let edited = try ValidatedTemplate(jsonData: contents.edited, limits: .none).template
            let parts = ChangeReview(base: base, edited: edited, live: base)
                .usedParts(deletedFrom: live, to: template)
            guard !parts.isEmpty else { continue }
            let more = parts.count > 2 ? " and \(parts.count - 2) more" : ""
            warnings.append(
                "The open change request \(header.id), \"\(stored.request.title.shortened)\", uses "
                    + parts.prefix(2).joined(separator: " and ") + more
                    + ", which this template deletes.")
        }
        return warnings
    }
}

extension TemplateDiff {
    /// True when a condition or a setting is in the old template only.
    fileprivate var isDeletingParts: Bool {
        conditions.contains { $0.change == .removed }
            || parameters.contains { $0.change == .removed }
    }
}
