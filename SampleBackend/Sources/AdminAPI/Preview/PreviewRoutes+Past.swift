import Foundation
import HTTPServing
import JSONTree
import NIOCore
import Rendering
import TemplateStore
import Templates

extension PreviewRoutes {
    /// The time that a request asks about; nil for now.
    ///
    /// - Throws: A ``RequestError`` with status 400.
    func pastTime(in body: JSONNode) throws(RequestError) -> Date? {
        guard let node = body["at"], node != .null else { return nil }
        guard case .string(let text) = node else {
            throw .invalidArgument(
                "at is \(node.kindDescription): send a time with an offset, such as "
                    + "\"2026-01-31T12:00:00Z\".")
        }
        guard let time = Date(timestamp: text) else {
            throw .invalidArgument(
                "at is \"\(text.shortened)\": send a time of RFC 3339 with an offset, such as "
                    + "2026-01-31T12:00:00Z or 2026-01-31T21:00:00+09:00.")
        }
        let now = administration.now()
        guard time <= now else {
            throw .invalidArgument(
                "The time \(time.timestamp) is in the future, the server's is \(now.timestamp): "
                    + "choose an earlier one, or none for now.")
        }
        if let template = body["template"], template != .null {
            throw .invalidArgument(
                "at and template exclude each other: send at for the version of that time, or "
                    + "template for a proposed one.")
        }
        // Times of versions and entries are in whole milliseconds. The difference to the next one
        // below is never as small as a rounding error.
        let milliseconds = (time.timeIntervalSince1970 * 1_000 + 0.01).rounded(.down)
        return Date(millisecondsSince1970: Int64(milliseconds))
    }

    /// Evaluates users by the version and the pinned values of an earlier time.
    func previewPast(
        _ users: [PreviewUser], at time: Date, inProject project: String
    ) async throws -> RouteResponse {
        let version = try await administration.version(at: time, inProject: project)
        let stored = try await administration.template(
            version: version.number, inProject: project)
        let pins = try await administration.pins(
            ofUsers: users.compactMap(\.userID).exactNames, at: time, inProject: project)
        var overrides: [ExactText: OverridesDocument] = [:]
        for case (let user, .known(let values)) in pins where !values.isEmpty {
            overrides[user] = try OverridesDocument(jsonData: values.json.jsonData())
        }
        let past = PublishedProject(
            CompiledTemplate(try validated(stored), version: stored.version),
            overrides: overrides, cache: RenderCache(maximumBytes: 0))
        var answer = ByteBuffer(string: #"{"users":["#)
        try await write(
            users, by: Preview(current: past, proposed: nil, date: time), pins: pins,
            connectedSignals: [:], inProject: project, to: &answer)
        answer.writeString(#"],"versionNumber":"\#(version.number)","at":"\#(time.timestamp)""#)
        answer.writeString(#","version":"#)
        answer.writeBytes(version.json.jsonData())
        answer.writeString("}")
        return .json(answer)
    }

    private func validated(_ stored: StoredTemplate) throws(RequestError) -> ValidatedTemplate {
        do {
            return try ValidatedTemplate(jsonData: stored.content, limits: .none)
        } catch {
            // Servers that could not read it either went on with an earlier version.
            throw .notFound(
                "Version \(stored.version.number), which was published then, cannot be read: "
                    + "choose another time.")
        }
    }
}

extension Administration {
    /// The version that was active at an earlier time.
    ///
    /// - Throws: A ``RequestError`` with status 400 for a time before the first version, and 404
    ///   for a version that is no longer stored.
    fileprivate func version(
        at time: Date, inProject project: String
    ) async throws(RequestError) -> TemplateVersion {
        // The end is exclusive.
        let end = Date(millisecondsSince1970: time.millisecondsSince1970 + 1)
        let page = try await versions(
            inProject: project, matching: VersionQuery(limit: 1, endTime: end))
        if let version = page.versions.first { return version }
        let all = try await versions(inProject: project, matching: VersionQuery())
        guard let oldest = all.versions.last else {
            throw .invalidArgument(
                "Nothing was published at \(time.timestamp), and nothing is yet: publish first.")
        }
        let start = "version \(oldest.number), of \(oldest.updateTime.timestamp)"
        let deletedVersion = try await callStore("deleted_version", project: project) {
            () throws(TemplateStoreError) in
            try await store.deletedVersion(ofProject: project)
        }
        guard
            all.versions.count < TemplateStoreLimits.keptVersions
                || oldest.number == (deletedVersion ?? 0) + 1
        else {
            throw .notFound(
                "The version of \(time.timestamp) is no longer kept: only the last "
                    + "\(TemplateStoreLimits.keptVersions) are. Choose a time since \(start).")
        }
        throw .invalidArgument(
            "The time \(time.timestamp) is before the first version: choose one since \(start).")
    }
}

extension PastPins.Outcome {
    /// Adds what is known of the pinned values to the answer for a user.
    func add(to node: inout JSONNode) {
        switch self {
        case .known: node.setMember("pins", "known")
        case .unknown(let reason):
            node.setMember("pins", "unknown")
            node.setMember("pinsReason", .string(reason))
        }
    }
}
