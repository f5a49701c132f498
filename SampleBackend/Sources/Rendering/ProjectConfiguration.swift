public import ActiveConfig
import Foundation
public import Targeting
public import Templates

/// Everything needed to answer the users of one project: the current template, compiled, and
/// the overrides.
///
/// It never changes; a publish makes another one.
public struct ProjectConfiguration: Sendable {
    /// The bytes of documents that are kept for one version, unless said otherwise.
    public static let defaultCacheBytes = 32 << 20

    /// The current version.
    public let compiled: CompiledTemplate

    /// The values pinned for users.
    public private(set) var overrides: [ExactText: OverridesDocument]

    /// The documents of this version by the results of its conditions.
    private let cache: RenderCache

    /// A text that stands in no document.
    private let placeholder = UUID().uuidString

    /// Makes the configuration of a version.
    ///
    /// - Parameters:
    ///   - compiled: The version, worked out.
    ///   - overrides: The values pinned for users.
    ///   - cacheBytes: The most bytes of documents to keep.
    public init(
        _ compiled: CompiledTemplate, overrides: [ExactText: OverridesDocument] = [:],
        cacheBytes: Int = Self.defaultCacheBytes
    ) {
        self.compiled = compiled
        self.overrides = overrides
        cache = RenderCache(maximumBytes: cacheBytes)
    }

    /// The same version with other values pinned for a user.
    ///
    /// - Parameters:
    ///   - overrides: The values, or nil for none.
    ///   - userID: Whose values.
    /// - Returns: The configuration; it shares the rendered documents.
    public func settingOverrides(
        _ overrides: OverridesDocument?, forUserID userID: String
    ) -> ProjectConfiguration {
        var copy = self
        copy.overrides[ExactText(userID)] = overrides
        return copy
    }

    /// The bytes of the documents that are kept, about.
    public var cachedBytes: Int { cache.bytes }

    /// The document of a user as it is sent.
    ///
    /// - Parameter context: Who asks, with what signals, and when.
    /// - Returns: The document, and whether it was rendered for an earlier request.
    public func rendered(for context: TargetingContext) -> RenderOutcome {
        rendered(for: basis(for: context), userID: context.userID)
    }

    /// The document of a user as it is sent, when its basis is known already.
    ///
    /// - Parameters:
    ///   - basis: What the document depends on.
    ///   - userID: The user's ID, for `${user.id}`.
    /// - Returns: The document, and whether it was rendered for an earlier request.
    public func rendered(for basis: DocumentBasis, userID: String?) -> RenderOutcome {
        let results = basis.results
        if let overrides = basis.overrides {
            let state = compiled.state(forUserID: userID, results: results, overrides: overrides)
            return RenderOutcome(configuration: RenderedConfiguration(state), wasCached: false)
        }
        let (pieces, wasCached) = pieces(for: results)
        return RenderOutcome(
            configuration: pieces.configuration(forUserID: userID), wasCached: wasCached)
    }

    /// The tag of the document that ``rendered(for:userID:)`` gives, at less cost: a document with
    /// the user's ID in it is not put together.
    ///
    /// - Parameters:
    ///   - basis: What the document depends on.
    ///   - userID: The user's ID, for `${user.id}`.
    /// - Returns: The tag, and whether the document was rendered for an earlier request.
    public func entityTag(
        for basis: DocumentBasis, userID: String?
    ) -> (entityTag: EntityTag, wasCached: Bool) {
        guard basis.overrides == nil else {
            let outcome = rendered(for: basis, userID: userID)
            return (outcome.configuration.entityTag, outcome.wasCached)
        }
        let (pieces, wasCached) = pieces(for: basis.results)
        return (pieces.entityTag(forUserID: userID), wasCached)
    }

    /// The document of users without overrides, rendered once for the results of the conditions.
    private func pieces(
        for results: ConditionResults
    ) -> (pieces: RenderedPieces, wasCached: Bool) {
        if let pieces = cache.pieces(for: results) { return (pieces, true) }
        let pieces: RenderedPieces
        if compiled.showsUserID {
            let state = compiled.state(
                forUserID: placeholder, results: results, overrides: nil)
            pieces = RenderedPieces(state, placeholder: placeholder)
        } else {
            pieces = RenderedPieces(
                compiled.state(forUserID: nil, results: results, overrides: nil))
        }
        cache.keep(pieces, for: results)
        return (pieces, false)
    }

    /// The document of a user before it is written.
    ///
    /// - Parameter context: Who asks, with what signals, and when.
    /// - Returns: The configuration.
    public func state(for context: TargetingContext) -> ConfigurationState {
        compiled.state(
            forUserID: context.userID, results: compiled.conditions.evaluate(context),
            overrides: overrides(for: context))
    }

    /// The overrides of the user of a context; nil when there are none.
    public func overrides(for context: TargetingContext) -> OverridesDocument? {
        guard !overrides.isEmpty, let userID = context.userID else { return nil }
        return overrides[ExactText(userID)]
    }
}

extension ProjectConfiguration {
    /// The basis of a user's document.
    ///
    /// - Parameter context: Who asks, with what signals, and when.
    /// - Returns: The basis, for this version.
    public func basis(for context: TargetingContext) -> DocumentBasis {
        DocumentBasis(
            results: compiled.conditions.evaluate(context), overrides: overrides(for: context))
    }
}

/// Everything a user's document depends on, except the version and `${user.id}`.
///
/// Users with the same basis share a document, and so what a publish changes in it.
public struct DocumentBasis: Sendable, Hashable {
    /// Whether each condition is true for the user.
    public let results: ConditionResults

    /// The overrides of the user; nil when there are none.
    public let overrides: OverridesDocument?

    /// Makes a basis.
    public init(results: ConditionResults, overrides: OverridesDocument?) {
        self.results = results
        self.overrides = overrides
    }
}

/// A document, and how it came about.
public struct RenderOutcome: Sendable, Hashable {
    /// The document as it is sent.
    public let configuration: RenderedConfiguration

    /// Whether it was rendered for an earlier request, of whatever user.
    public let wasCached: Bool
}
