/// The part of a store by which it is told from another one, and from one that has lost changes.
///
/// Engines whose data may be replaced or restored while servers run have it; others need not.
public protocol StoreMarking: Sendable {
    /// The mark of the store as it is now.
    ///
    /// - Throws: ``TemplateStoreError`` when the engine fails.
    func mark() async throws(TemplateStoreError) -> StoreMark

    /// Refuses every call until this is found to be the store of a mark, with the change of the mark, and
    /// never creates a store.
    ///
    /// Calls throw ``TemplateStoreError`` until then: `otherStore`, or `changesLost` when there is no
    /// store, or one without that change. Each looks again.
    ///
    /// - Parameter mark: The mark of an earlier moment.
    /// - Throws: ``TemplateStoreError`` with the code `otherStore` when the mark is of another place;
    ///   nothing is expected then.
    func expect(_ mark: StoreMark) throws(TemplateStoreError)
}

/// A store and its last change, at one moment.
public struct StoreMark: Sendable, Hashable, Codable {
    /// Identifies the store; copies that the engine makes of its data have the same.
    public let storeID: String

    /// The place of the store in its engine, such as a prefix.
    public let place: String

    /// Identifies the last change, which all later states of the store have too; nil before the first.
    public let change: String?

    /// Creates a mark.
    public init(storeID: String, place: String, change: String?) {
        self.storeID = storeID
        self.place = place
        self.change = change
    }
}
