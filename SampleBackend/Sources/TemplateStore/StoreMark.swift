/// The part of a store that distinguishes it from other stores, and from one that has lost changes.
///
/// Engines whose data can be replaced or restored while servers run implement it; others need not.
public protocol StoreMarking: Sendable {
    /// The mark of the last change that this process knows, which may be older than the store's
    /// last one; nil until this process has found the store.
    ///
    /// Everything that was read from the store precedes it. The engine is not called, so the mark is
    /// available while the store does not answer.
    var knownMark: StoreMark? { get }

    /// Refuses all calls until this proves to be the marked store, with the marked change, and
    /// never creates a store.
    ///
    /// Until then, calls throw ``TemplateStoreError``: `otherStore`, or `changesLost` when there is
    /// no store or it lacks the change. Each call checks again.
    ///
    /// - Parameter mark: A mark from an earlier time.
    /// - Throws: ``TemplateStoreError`` with the code `otherStore` when the mark is of another
    ///   place;
    ///   the expectation is then ignored.
    func expect(_ mark: StoreMark) throws(TemplateStoreError)
}

/// A store and its last change at some time.
public struct StoreMark: Sendable, Hashable, Codable {
    /// Identifies the store; copies of its data by the engine have the same ID.
    public let storeID: String

    /// The location of the store in its engine, such as a prefix.
    public let place: String

    /// Identifies the last change, which all later states of the store contain; nil before the
    /// first.
    public let change: String?

    /// Creates a mark.
    public init(storeID: String, place: String, change: String?) {
        self.storeID = storeID
        self.place = place
        self.change = change
    }
}
