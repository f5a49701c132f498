/// Limits of the configurations kept in memory besides the current user's.
///
/// The least recently requested are released first. A configuration with a live handle is not
/// released; a released one is read from the store at its next use. Beyond this number about 1,000
/// more can stay: users with a document that the store could not take, and users loaded under an
/// ``ActivationPolicy`` other than `.immediate`.
///
/// Equal sections of several users are in memory once. Users whose sections all differ need the
/// memory of a document each: choose the number by the size of the documents.
public struct UserCacheLimits: Sendable, Hashable {
    /// The number of configurations.
    public var maximumCount: Int

    /// Creates limits.
    ///
    /// - Parameter maximumCount: The number of configurations; 0 keeps none for later handles.
    public init(maximumCount: Int = 1_000) { self.maximumCount = maximumCount }
}
