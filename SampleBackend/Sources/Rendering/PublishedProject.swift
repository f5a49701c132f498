import ActiveConfigJSON
public import JSONTree
import NIOCore
public import Targeting
public import Templates

/// The data that answers the users of one project: the compiled current template and the pinned
/// values.
///
/// It is immutable; a publish creates a new one. It is a class so that a request takes one
/// reference, whose count all threads share.
public final class PublishedProject: Sendable {
    /// The current version.
    public let compiled: CompiledTemplate

    /// The pinned values by user.
    public let overrides: [ExactText: OverridesDocument]

    /// The sections that the version changed; nil when it was not compared with its predecessor.
    public let changedSections: ChangedSections?

    /// Identifies all inputs of a document except the request; nil when documents also depend on
    /// the time.
    public let stamp: DocumentStamp?

    /// The rendered documents, also those of other projects.
    private let cache: RenderCache

    /// Identifies the documents of this version in the cache.
    private let cachedVersion: RenderCache.VersionID

    /// Creates a project with a version.
    ///
    /// - Parameters:
    ///   - compiled: The compiled version.
    ///   - changedSections: The sections that the version changed, if known.
    ///   - overrides: The pinned values by user.
    ///   - cache: The cache of its documents; by default its own of at most 32 MiB.
    public init(
        _ compiled: CompiledTemplate, changedSections: ChangedSections? = nil,
        overrides: [ExactText: OverridesDocument] = [:],
        cache: RenderCache = RenderCache(maximumBytes: 32 << 20)
    ) {
        self.compiled = compiled
        self.changedSections = changedSections
        self.overrides = overrides
        stamp = compiled.conditions.dates.isEmpty ? DocumentStamp() : nil
        self.cache = cache
        cachedVersion = cache.makeVersionID()
    }

    private init(_ other: PublishedProject, overrides: [ExactText: OverridesDocument]) {
        compiled = other.compiled
        self.overrides = overrides
        changedSections = other.changedSections
        stamp = other.stamp.map { _ in DocumentStamp() }
        cache = other.cache
        cachedVersion = other.cachedVersion
    }

    /// Returns the same version with other values pinned for a user.
    ///
    /// - Parameters:
    ///   - overrides: The pinned values, or nil for none.
    ///   - userID: The user's ID.
    /// - Returns: The project; it shares the rendered documents.
    public func settingOverrides(
        _ overrides: OverridesDocument?, forUserID userID: String
    ) -> PublishedProject {
        var all = self.overrides
        all[ExactText(userID)] = overrides
        return settingAllOverrides(all)
    }

    /// Returns the same version with other values pinned for all users.
    ///
    /// - Parameter overrides: The values by user.
    /// - Returns: The project; it shares the rendered documents.
    public func settingAllOverrides(
        _ overrides: [ExactText: OverridesDocument]
    ) -> PublishedProject {
        PublishedProject(self, overrides: overrides)
    }

    /// Returns a user's document, ready to send.
    ///
    /// - Parameter context: The user, the signals and the time.
    /// - Returns: The document, and whether it was rendered for an earlier request.
    public func rendered(for context: TargetingContext) -> RenderOutcome {
        rendered(for: basis(for: context), userID: context.userID)
    }

    /// Returns a user's document for a known basis, ready to send.
    ///
    /// - Parameters:
    ///   - basis: The basis of the document.
    ///   - userID: The user's ID, for `${user.id}`.
    /// - Returns: The document, and whether it was rendered for an earlier request.
    public func rendered(for basis: DocumentBasis, userID: String?) -> RenderOutcome {
        if basis.overrides != nil {
            var text = DocumentText(forUserID: userID)
            compiled.write(basis, to: &text)
            let document = RenderedDocument(
                ByteBuffer(bytes: text.json.bytes), text.versionMembers,
                version: compiled.version.number)
            return RenderOutcome(document: document, wasCached: false)
        }
        let (pieces, wasCached) = pieces(for: basis.results)
        return RenderOutcome(
            document: pieces.document(forUserID: userID), wasCached: wasCached)
    }

    /// Returns the tag of the document that ``rendered(for:userID:)`` returns.
    ///
    /// This is cheaper: a document that contains the user's ID is not assembled.
    ///
    /// - Parameters:
    ///   - basis: The basis of the document.
    ///   - userID: The user's ID, for `${user.id}`.
    /// - Returns: The tag, and whether the document was rendered for an earlier request.
    public func entityTag(
        for basis: DocumentBasis, userID: String?
    ) -> (entityTag: EntityTag, wasCached: Bool) {
        guard basis.overrides == nil else {
            let outcome = rendered(for: basis, userID: userID)
            return (outcome.document.entityTag, outcome.wasCached)
        }
        let (pieces, wasCached) = pieces(for: basis.results)
        return (pieces.entityTag(forUserID: userID), wasCached)
    }

    /// The document of users without pinned values, rendered once per set of results.
    private func pieces(
        for results: ConditionResults
    ) -> (pieces: RenderedPieces, wasCached: Bool) {
        let key = RenderCache.Key(version: cachedVersion, results: results)
        if let pieces = cache.pieces(for: key) { return (pieces, true) }
        var text = DocumentText()
        compiled.write(DocumentBasis(results: results, overrides: nil), to: &text)
        let pieces = RenderedPieces(text, version: compiled.version.number)
        cache.keep(pieces, for: key)
        return (pieces, false)
    }

    /// Returns the pinned values of a context's user that have an effect; nil when there are none.
    public func overrides(for context: TargetingContext) -> OverridesDocument? {
        overrides(forUserID: context.userID)
    }

    /// Returns the pinned values of a user that have an effect; nil when there are none.
    ///
    /// A value that is pinned to an archived setting has none.
    public func overrides(forUserID userID: String?) -> OverridesDocument? {
        compiled.effective(pins(ofUser: userID))
    }

    /// Returns all pinned values of a user, also those without effect; nil when there are none.
    public func pins(ofUser userID: String?) -> OverridesDocument? {
        guard !overrides.isEmpty, let userID else { return nil }
        return overrides[ExactText(userID)]
    }
}

extension PublishedProject {
    /// Returns the basis of a user's document.
    ///
    /// - Parameter context: The user, the signals and the time.
    /// - Returns: The basis, for this version.
    public func basis(for context: TargetingContext) -> DocumentBasis {
        DocumentBasis(
            results: compiled.conditions.evaluate(context), overrides: overrides(for: context))
    }
}

/// Everything that determines a user's document, except the version and `${user.id}`.
///
/// Users with the same basis share a document, and therefore also the changes that a publish makes
/// to it.
public struct DocumentBasis: Sendable, Hashable {
    /// The results of the conditions for the user.
    public let results: ConditionResults

    /// The user's pinned values; nil when there are none.
    public let overrides: OverridesDocument?

    /// Creates a basis.
    public init(results: ConditionResults, overrides: OverridesDocument?) {
        self.results = results
        self.overrides = overrides
    }

    /// The sections with pinned values.
    var overriddenSections: Set<ExactText> { Set(overrides?.sections.keys ?? [:].keys) }
}

/// A rendered document, and whether it was cached.
public struct RenderOutcome: Sendable, Hashable {
    /// The document, ready to send.
    public let document: RenderedDocument

    /// A Boolean value that indicates whether it was rendered for an earlier request, of any user.
    public let wasCached: Bool
}
