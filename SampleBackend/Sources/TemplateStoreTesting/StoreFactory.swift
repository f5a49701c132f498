public import TemplateStore

/// A place where a store keeps its data, such as a folder, and the ways to open it.
public struct StoreFactory: Sendable {
    /// Opens the place for the first time.
    private let makeStore: @Sendable () async throws -> any TemplateStore
    /// Opens the place once more.
    private let reopenStore: @Sendable () async throws -> any TemplateStore
    /// Removes the place.
    private let removePlace: @Sendable () async -> Void

    /// Makes a factory for a new, empty place.
    ///
    /// - Parameters:
    ///   - make: Opens the place, which is empty.
    ///   - reopen: Opens the same place again, while the first store is open; a store that is
    ///     nowhere but in memory gives itself.
    ///   - remove: Removes the place, when all stores are closed.
    public init(
        make: @escaping @Sendable () async throws -> any TemplateStore,
        reopen: @escaping @Sendable () async throws -> any TemplateStore,
        remove: @escaping @Sendable () async -> Void = {}
    ) {
        makeStore = make
        reopenStore = reopen
        removePlace = remove
    }

    /// Opens the place for the first time.
    public func make() async throws -> any TemplateStore { try await makeStore() }

    /// Opens the place once more.
    public func reopen() async throws -> any TemplateStore { try await reopenStore() }

    /// Removes the place.
    public func remove() async { await removePlace() }
}
