import Foundation
import TemplateStore

/// A change request; its templates are contents.
struct ChangeRequestRecord: EtcdRecord {
    private let project: String
    private let id: String
    private let state: String
    private let tag: String
    private let updateTime: RecordDate
    private var deletedVersion: Int?
    private let request: Data
    let base: ContentReference
    let content: ContentReference
    /// The time at which the request was marked for its removal.
    private var expiryNotice: RecordDate?

    init(_ entry: ChangeRequestEntry, base: ContentReference, content: ContentReference) {
        let stored = entry.stored
        project = stored.project
        id = stored.id
        state = stored.state.rawValue
        tag = stored.tag
        updateTime = RecordDate(stored.updateTime)
        deletedVersion = stored.deletedVersion
        request = stored.request.record
        self.base = base
        self.content = content
        expiryNotice = entry.expiryNoticeDate.map(RecordDate.init)
    }

    var isInRange: Bool { base.isInRange && content.isInRange }

    /// The request without its templates.
    func entry() throws(TemplateStoreError) -> ChangeRequestEntry {
        guard let state = StoredChangeRequest.State(rawValue: state) else {
            throw .unknownRecord("a change request")
        }
        return ChangeRequestEntry(
            StoredChangeRequest(
                project: project, id: id, state: state, tag: tag, updateTime: updateTime.date,
                deletedVersion: deletedVersion, request: try ChangeRequest(record: request)),
            expiryNoticeDate: expiryNotice?.date)
    }
}
