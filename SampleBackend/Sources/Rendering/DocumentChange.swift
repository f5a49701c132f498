import ActiveConfigJSON
import JSONTree
public import NIOCore
import Targeting

/// The difference between the old and the new document of users who share a basis, ready to send
/// (PROTOCOL 2).
///
/// It compares the selected values and renders neither document.
public struct DocumentChange: Sendable {
    /// The sections that differ, sorted by the UTF-8 of their names, with their new settings; nil
    /// for a removed one.
    private let sections: [(key: String, value: [PickedSetting]?)]

    /// The new `meta`, and the results to write into it.
    private let meta: CompiledMeta
    private let results: ConditionResults

    /// False when the experiments in `meta` are the same, with the same results.
    private let changesExperiments: Bool

    /// A Boolean value that indicates whether the two documents have the same content (sections and
    /// experiments), and therefore the same tag.
    ///
    /// The rest of `meta` is ignored because it differs in every version.
    public var isEmpty: Bool { sections.isEmpty && !changesExperiments }

    /// The names of the sections that differ.
    public var sectionNames: Set<String> { Set(sections.map(\.key)) }

    /// Compares two documents.
    ///
    /// - Parameters:
    ///   - old: The earlier version.
    ///   - oldBasis: The basis of the earlier document.
    ///   - new: The later version.
    ///   - newBasis: The basis of the later document.
    ///   - changedSections: The sections that may differ between the two versions; nil compares
    ///     all.
    ///   - touchedSections: Sections to include even if they are equal.
    public init(
        from old: CompiledTemplate, _ oldBasis: DocumentBasis, to new: CompiledTemplate,
        _ newBasis: DocumentBasis, changedSections: ChangedSections? = nil,
        touchedSections: Set<String> = []
    ) {
        let names =
            changedSections.map {
                oldBasis.overriddenSections.union(newBasis.overriddenSections).union($0.names)
            } ?? old.sectionNames(with: oldBasis).union(new.sectionNames(with: newBasis))
        sections = names.union(touchedSections).compactMap { name in
            let before = old.section(named: name, for: oldBasis)
            let after = new.section(named: name, for: newBasis)
            let isChanged = touchedSections.contains(name) || !Self.isSame(before, after)
            return isChanged ? (name, after?.settings) : nil
        }.sorted { $0.key.precedes($1.key) }
        meta = new.meta
        results = newBasis.results
        changesExperiments =
            sections.isEmpty
            && !new.meta.hasSameExperiments(
                newBasis.results, as: old.meta, oldBasis.results)
    }

    /// True when two sections have the same values.
    private static func isSame(_ left: PickedSection?, _ right: PickedSection?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.hasSameValues(as: right)
    }
}

extension DocumentChange {
    /// Returns the change as JSON on one line, with sections as in a document (FORMAT 3):
    /// `{"template_version": 8, "event_number": 2, "etag": "\"…\"", "sections": {…}, "meta": {…}}`.
    ///
    /// - Parameters:
    ///   - userID: The user's ID, for `${user.id}`.
    ///   - entityTag: The tag of the complete later document.
    ///   - version: The version's number.
    ///   - eventNumber: The sequence number of the event among the user's events on the stream.
    /// - Returns: The text, UTF-8.
    public func jsonBytes(
        forUserID userID: String?, entityTag: EntityTag, version: Int, eventNumber: Int
    ) -> ByteBuffer {
        var text = DocumentText(forUserID: userID)
        text.json.write(raw: #"{"etag":"#)
        text.json.write(entityTag.description)
        text.json.write(raw: #","event_number":"#)
        text.json.write(number: eventNumber.description)
        text.json.write(raw: #","meta":"#)
        meta.write(to: &text, results: results)
        text.json.write(raw: #","sections":"#)
        text.writeObject(sections) { text, settings in
            if let settings {
                text.write(settings)
            } else {
                text.json.write(raw: "null")
            }
        }
        text.json.write(raw: #","template_version":"#)
        text.json.write(number: version.description)
        text.json.write(UInt8(ascii: "}"))
        return ByteBuffer(bytes: text.json.bytes)
    }
}
