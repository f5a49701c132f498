import ActiveConfigJSON
public import JSONTree
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
    public var sectionNames: Set<ExactText> { sections.map(\.key).exactNames }

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
        touchedSections: Set<ExactText> = []
    ) {
        let names =
            changedSections.map {
                oldBasis.overriddenSections.union(newBasis.overriddenSections).union(
                    $0.names.exactNames)
            } ?? old.sectionNames(with: oldBasis).union(new.sectionNames(with: newBasis))
        let changed: [(key: String, value: [PickedSetting]?)] = names.union(touchedSections)
            .compactMap { name in
                let before = old.section(named: name.text, for: oldBasis)
                let after = new.section(named: name.text, for: newBasis)
                let isChanged = touchedSections.contains(name) || !Self.isSame(before, after)
                return isChanged ? (name.text, after?.settings) : nil
            }.sorted { $0.key.precedes($1.key) }
        sections = Self.asClientsRead(changed, in: new, newBasis)
        meta = new.meta
        results = newBasis.results
        changesExperiments =
            sections.isEmpty
            && !new.meta.hasSameExperiments(
                newBasis.results, as: old.meta, oldBasis.results)
    }

    /// Replaces sections by those that clients take for them.
    ///
    /// To clients, canonically equivalent names are one, and the last of a document counts (FORMAT
    /// 1.3). So a section that is renamed to another spelling is not removed after it is added.
    private static func asClientsRead(
        _ changed: [(key: String, value: [PickedSetting]?)], in new: CompiledTemplate,
        _ basis: DocumentBasis
    ) -> [(key: String, value: [PickedSetting]?)] {
        guard new.hasEquivalentSections || changed.contains(where: { !$0.key.isASCII }) else {
            return changed
        }
        // names: as clients compare them; the last spelling by bytes wins.
        var spellings: [String: String] = [:]
        for name in new.sectionNames(with: basis).sortedByBytes() { spellings[name] = name }
        let sections = changed.map { section in
            guard let name = spellings[section.key] else { return section }
            return (key: name, value: new.section(named: name, for: basis)?.settings)
        }
        return NamedValues(sections, uniquingKeysWith: { first, _ in first })
            .sorted { $0.key.precedes($1.key) }
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
