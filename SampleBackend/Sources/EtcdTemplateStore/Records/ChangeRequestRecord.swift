import Foundation
import TemplateStore

/// The header of a change request; its texts have a key of their own, and its templates are
/// contents.
struct ChangeRequestRecord: EtcdRecord {
    let project: String
    let id: String
    private let state: String
    private let tag: String
    private let updateTime: RecordDate
    private var deletedVersion: Int?
    private let size: Int
    let base: ContentReference
    let content: ContentReference
    private var scheduledTime: RecordDate?
    private var dueTime: RecordDate?
    /// The time at which the request was marked for its removal.
    private var expiryNotice: RecordDate?

    init(_ header: ChangeRequestHeader, base: ContentReference, content: ContentReference) {
        project = header.project
        id = header.id
        state = header.state.rawValue
        tag = header.tag
        updateTime = RecordDate(header.updateTime)
        deletedVersion = header.deletedVersion
        size = header.size
        self.base = base
        self.content = content
        scheduledTime = header.scheduledDate.map(RecordDate.init)
        dueTime = header.dueDate.map(RecordDate.init)
        expiryNotice = header.expiryNoticeDate.map(RecordDate.init)
    }

    var isInRange: Bool {
        base.isInRange && content.isInRange && (0...1 << 40).contains(size)
    }

    func header() throws(TemplateStoreError) -> ChangeRequestHeader {
        guard let state = StoredChangeRequest.State(rawValue: state) else {
            throw .unknownRecord("a change request")
        }
        var header = ChangeRequestHeader(
            project: project, id: id, state: state, tag: tag, updateTime: updateTime.date,
            deletedVersion: deletedVersion, size: size, scheduledDate: scheduledTime?.date,
            dueDate: dueTime?.date)
        header.expiryNoticeDate = expiryNotice?.date
        return header
    }
}
