import Foundation

/// A configuration: `meta` about the document, and sections of settings.
///
/// The content of one document of the exchange format.
///
/// ```swift
/// let state = try ConfigurationState(jsonData: data)
/// state.section(named: "AppFeatures")?.bool(forKey: "SomeFeature")
/// ```
public struct ConfigurationState: Sendable {
    /// The document's metadata: its version, its time, and everything else that the server put
    /// there (FORMAT 2).
    public var meta: [String: SettingValue] {
        didSet { dropOriginal() }
    }

    /// The sections by name.
    public var sections: [String: ActiveConfigSection] {
        didSet { dropOriginal() }
    }

    /// What is known besides the content.
    private struct Provenance {
        var entityTag: String?
        var original: OriginalDocument?
        var confirmedVersion: Int?
        var replacedVersion: Int?
    }

    @Boxed private var provenance = Provenance()

    /// The entity tag of the answer with the document.
    ///
    /// Not part of equality, the hash or ``jsonData()``.
    ///
    /// A downloader sends it in `If-None-Match` of the next request.
    public var entityTag: String? {
        get { provenance.entityTag }
        set { provenance.entityTag = newValue }
    }

    /// The original answer; nil after the content was changed, and unless a
    /// ``ConfigurationVetting`` needs it or has created this document from it.
    ///
    /// Not part of equality, the hash or ``jsonData()``.
    public var original: OriginalDocument? {
        get { provenance.original }
        set { provenance.original = newValue }
    }

    /// The later version that an answer without a document (304) confirms for this configuration;
    /// nil for a document.
    package var confirmedVersion: Int? {
        get { provenance.confirmedVersion }
        set { provenance.confirmedVersion = newValue }
    }

    /// The higher version that the document replaces, because the server's store never made it
    /// (*Client protocol*, section 1); nil for other documents.
    ///
    /// It is the version that the client named in its request. It is kept until the document is
    /// active, because the document that it replaces can still be stored. Not part of equality, the
    /// hash or ``jsonData()``.
    package var replacedVersion: Int? {
        get { provenance.replacedVersion }
        set { provenance.replacedVersion = newValue }
    }

    /// Creates a configuration without sections, of format version "1.0", created now.
    public init() {
        self.init(
            meta: [
                MetaKey.formatVersion: "1.0",
                MetaKey.creationTime: .string(Date.now.formatted(.iso8601)),
            ], sections: [:])
    }

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - meta: The members of ``meta``. Nothing is added.
    ///   - sections: The sections by name.
    public init(meta: [String: SettingValue], sections: [String: ActiveConfigSection]) {
        self.meta = meta
        self.sections = sections
    }

    private mutating func dropOriginal() {
        // A change of several settings allocates once.
        if original != nil { original = nil }
    }

    /// The version of the format, `format_version_string` of ``meta``; "" when it is absent or not a
    /// string (FORMAT 2.2).
    public var formatVersion: String { meta[MetaKey.formatVersion]?.stringValue ?? "" }

    /// The document's creation time, `creation_time` of ``meta``, for people and logs; "" when it
    /// is absent or not a string (FORMAT 2.3).
    public var creationTime: String { meta[MetaKey.creationTime]?.stringValue ?? "" }

    /// The names of all sections, sorted.
    public var sectionNames: [String] { sections.keys.sortedByBytes() }

    /// The section of that name, or nil.
    public func section(named name: String) -> ActiveConfigSection? { sections[name] }

    /// The section of that name, or nil.
    public subscript(sectionName: String) -> ActiveConfigSection? { sections[sectionName] }

    package enum MetaKey {
        /// FORMAT 2.2.
        static let formatVersion = "format_version_string"
        /// FORMAT 2.3.
        static let creationTime = "creation_time"
        /// *Client protocol*, section 1.
        package static let templateVersion = "template_version"
        /// *Client protocol*, section 1.
        static let experiments = "experiments"
    }
}

extension ConfigurationState: Hashable {
    /// Returns a Boolean value that indicates whether `meta` and the sections are equal (FORMAT 6).
    public static func == (left: ConfigurationState, right: ConfigurationState) -> Bool {
        left.meta == right.meta && left.sections == right.sections
    }

    /// Compares the entity tags too.
    func isSame(as other: ConfigurationState) -> Bool {
        self == other && entityTag == other.entityTag
    }

    /// True for a document of a later version; false if either has no version.
    ///
    /// A document that replaces an unknown version is later than all documents up to that version.
    package func isLater(than other: ConfigurationState) -> Bool {
        guard let version = templateVersion, let before = other.templateVersion else {
            return false
        }
        switch (replacedVersion, other.replacedVersion) {
        case (let replaced?, nil) where before <= replaced: return version != before
        case (nil, let replaced?) where version <= replaced: return false
        default: return version > before
        }
    }

    /// The document as the successor of a pending one, which may still have to replace a stored
    /// document of a higher version.
    func succeeding(_ pending: ConfigurationState?) -> ConfigurationState {
        guard replacedVersion == nil, let replaced = pending?.replacedVersion,
            let version = templateVersion, version < replaced
        else { return self }
        var document = self
        document.replacedVersion = replaced
        return document
    }

    /// True for a document that replaces a version, since the server's store never made it.
    func replaces(_ version: Int) -> Bool { replacedVersion.map { version <= $0 } ?? false }

    /// Hashes `meta` and the sections.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(meta)
        hasher.combine(sections)
    }
}
