import Foundation
import TemplateStore
import Templates

// What decides whether a template may be published.
extension EtcdTemplateStore {
    /// The content of a version, which a rollback publishes again.
    struct Source: Sendable {
        let id: String
        let content: Data
    }

    /// Reads the content that a rollback publishes again, before its transaction, which compares the
    /// identifier: contents never change.
    func source(
        of submission: TemplateSubmission
    ) async throws(TemplateStoreError) -> Source? {
        guard submission.updateType == .rollback, let number = submission.sourceVersion else {
            return nil
        }
        let key = keys.version(number, ofProject: submission.project)
        let found = try await read([EtcdRange(keys: .key(key))])
            .records(0, as: VersionRecord.self).first
        guard let found else { return nil }
        do throws(EtcdFailure) {
            return try await content(found.content).map {
                Source(id: found.content.id, content: $0)
            }
        } catch {
            throw isClosed ? .closed : TemplateStoreError(error)
        }
    }
}

extension EtcdKeys {
    /// The ranges that ``EtcdReading/gate(for:detailsAt:deletedVersion:from:source:keys:)`` reads.
    func gateRanges(of submission: TemplateSubmission) -> [EtcdRange] {
        let project = submission.project
        // No request has an empty identifier, and no published version is 0.
        let id = submission.approval.changeRequest?.id ?? ""
        return [
            EtcdRange(keys: tokens),
            EtcdRange(keys: .key(changeRequest(id, inProject: project))),
            EtcdRange(keys: .key(changeRequestText(id, inProject: project))),
            EtcdRange(keys: .key(version(submission.sourceVersion ?? 0, ofProject: project))),
        ]
    }
}

extension EtcdReading {
    /// What decides whether a template may be published; `place` is the index of the first of
    /// ``EtcdKeys/gateRanges(of:)``.
    func gate(
        for submission: TemplateSubmission, detailsAt detailsPlace: Int, deletedVersion: Int?,
        from place: Int, source: EtcdTemplateStore.Source?, keys: EtcdKeys
    ) throws(TemplateStoreError) -> PublishGate {
        let protection = try records(detailsPlace, as: DetailsRecord.self).first?.details.protection
        let tokens =
            protection == nil
            ? [] : try records(place, as: TokenRecord.self).compactMap { $0.token(lastUse: nil) }
        let request = try records(place + 1, as: ChangeRequestRecord.self).first?
            .stored(withText: keyValues(place + 2).first, keys: keys)
        let version = try records(place + 3, as: VersionRecord.self).first
        let isSource = version.map { $0.content.id == source?.id } ?? false
        return PublishGate(
            submission: submission,
            protection: protection,
            request: request?.seen(at: submission.date, deletedVersion: deletedVersion),
            tokens: tokens, sourceContent: isSource ? source?.content : nil)
    }

    /// Adds what stores a request as published; its record is at an index of the reading.
    func add<Result>(
        published request: StoredChangeRequest, recordAt place: Int, keys: EtcdKeys,
        to write: inout EtcdWrite<Result>
    ) throws(TemplateStoreError) {
        guard let found = keyValues(place).first else {
            throw .changeRequestMismatch(request.id, isThere: false)
        }
        let known = try ChangeRequestRecord(decoding: found)
        let record = ChangeRequestRecord(
            request.header, base: known.base, content: known.content)
        // A removal of expired requests is no change of the store, whose number a write guards.
        write.guards.append(.modified(found.key, at: found.modRevision))
        write.operations += [
            .put(found.key, try record.encoded()),
            .put(
                keys.changeRequestText(request.id, inProject: request.project),
                request.request.record),
            request.header.dueOperation(keys),
        ]
    }
}
