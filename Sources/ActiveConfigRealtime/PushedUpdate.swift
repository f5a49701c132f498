import ActiveConfig
import Foundation

/// The data of an `update` event (*Client protocol*, section 2): the changed sections, whole, and the
/// identity of the resulting document.
struct PushedUpdate: Sendable {
    let record: DocumentRecord
    /// The number of the event among the user's events on the stream; nil from an older server.
    let number: Int?
    /// Nil for a removed section.
    let sections: [String: ActiveConfigSection?]
    let meta: [String: SettingValue]

    /// - Throws: when the data is not such an object.
    init(_ data: [UInt8], limits: ConfigurationLimits) throws(ConfigurationFormatError) {
        let (members, sections) = try DocumentReader.readChange(data, limits: limits)
        guard let version = members["template_version"]?.integerValue,
            let tag = members["etag"]?.stringValue, let sections,
            let meta = members["meta"]?.dictionaryValue
        else {
            throw ConfigurationFormatError(
                .notAnObject, reason: "the data of an update has not all of its members", path: "")
        }
        record = DocumentRecord(version: version, entityTag: tag)
        number = members["event_number"]?.integerValue
        if let number, !(1...1 << 53).contains(number) {
            throw ConfigurationFormatError(
                .numberOutOfRange, reason: "the number of an update is not from 1 to 2^53",
                path: "event_number")
        }
        self.meta = meta
        self.sections = sections
    }

    /// Decides what to do with it, given the document that the server assumes the client has.
    func decision(
        on newest: ConfigurationState?, base: DocumentRecord?
    ) -> ConfigurationFeed.Decision {
        guard let newest else { return .fetch }
        let known = DocumentRecord(newest)
        if known == record { return .skip }
        // Versions only grow; a rollback is a new version.
        if let version = known.version, let new = record.version, new < version {
            return .skip
        }
        guard let base, known.hasContent(of: base) else { return .fetch }
        var new = newest
        for (name, section) in sections { new.sections[name] = section }
        new.meta = meta
        new.entityTag = record.entityTag
        new.original = nil
        return .apply(new)
    }
}

/// The identity of a user's document: its template version and its entity tag.
struct DocumentRecord: Sendable, Hashable {
    let version: Int?
    let entityTag: String?

    init(version: Int?, entityTag: String?) {
        self.version = version
        self.entityTag = entityTag
    }

    init(_ configuration: ConfigurationState) {
        self.init(
            version: configuration.confirmedVersion ?? configuration.templateVersion,
            entityTag: configuration.entityTag)
    }

    /// True for a document with the same content in any version: an entity tag covers no version.
    func hasContent(of other: DocumentRecord) -> Bool {
        self == other || (entityTag != nil && entityTag == other.entityTag)
    }
}
