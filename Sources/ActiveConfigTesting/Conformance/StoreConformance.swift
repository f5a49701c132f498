public import ActiveConfig

/// Checks that every store has to pass.
///
/// It needs no test framework: it throws one error that lists each broken rule.
///
/// ```swift
/// @Test func keepsTheRulesOfAStore() async throws {
///     try await StoreConformance { MyStore() }.run()
/// }
/// ```
///
/// A store that keeps configurations across launches is created in a *place*, such as a folder.
/// Each check has a place of its own, and opens it again to verify that persisted configurations
/// are there:
///
/// ```swift
/// try await StoreConformance(newPlace: { makeTemporaryFolder() }, open: { FileStore(folder: $0) })
///     .withBootstrap { FileStore(folder: $0, bootstrap: $1) }
///     .run()
/// ```
public struct StoreConformance<Place: Sendable>: Sendable {
    let newPlace: @Sendable () async throws -> Place
    let open: @Sendable (Place) async throws -> any ActiveConfigStore
    /// True when a reopened place has what was persisted.
    let isDurable: Bool
    private(set) var openWithBootstrap:
        (@Sendable (Place, ConfigurationState) async throws -> any ActiveConfigStore)?

    /// Creates the suite for a store that keeps configurations across launches.
    ///
    /// - Parameters:
    ///   - newPlace: Creates an empty place, a new one at each call.
    ///   - open: Opens a place without a bootstrap, possibly while it is already open.
    public init(
        newPlace: @escaping @Sendable () async throws -> Place,
        open: @escaping @Sendable (Place) async throws -> any ActiveConfigStore
    ) {
        self.init(newPlace: newPlace, open: open, isDurable: true)
    }

    private init(
        newPlace: @escaping @Sendable () async throws -> Place,
        open: @escaping @Sendable (Place) async throws -> any ActiveConfigStore,
        isDurable: Bool
    ) {
        self.newPlace = newPlace
        self.open = open
        self.isDurable = isDurable
    }

    /// Creates the suite for a store in memory.
    ///
    /// - Parameter makeStore: Creates an empty store without a bootstrap, a new one at each call.
    public init(
        makeStore: @escaping @Sendable () async throws -> any ActiveConfigStore
    ) where Place == Void {
        self.init(
            newPlace: { () async throws -> Void in }, open: { (_: Void) in try await makeStore() },
            isDurable: false)
    }

    /// Returns the suite with checks of the bootstrap fallback added.
    ///
    /// - Parameter open: Opens a place with a bootstrap configuration, `.state(bootstrap)` for the
    ///   framework's own stores.
    /// - Returns: The suite.
    public func withBootstrap(
        _ open:
            @escaping @Sendable (
                _ place: Place, _ bootstrap: ConfigurationState
            ) async throws -> any ActiveConfigStore
    ) -> StoreConformance {
        var suite = self
        suite.openWithBootstrap = open
        return suite
    }

    /// A protocol member with a default implementation that a store can keep.
    public struct OptionalMember: Sendable, Hashable {
        private enum Kind {
            case ownConfiguration, firstDownloadFinished, records
        }

        private let kind: Kind

        /// `ownConfiguration(forUserID:)`.
        public static var ownConfiguration: OptionalMember {
            OptionalMember(kind: .ownConfiguration)
        }
        /// `firstDownloadFinished` and `recordFirstDownloadFinished()`.
        public static var firstDownloadFinished: OptionalMember {
            OptionalMember(kind: .firstDownloadFinished)
        }
        /// `record(_:)` and `updateRecord(_:_:)`.
        public static var records: OptionalMember { OptionalMember(kind: .records) }
    }

    /// Runs all checks.
    ///
    /// - Parameters:
    ///   - skipped: Members for which the store keeps the default implementation.
    ///   - operationsPerTask: The number of operations that each of 8 concurrent tasks performs,
    ///     every fourth of them a write.
    /// - Throws: ``ConformanceFailure`` that lists every failed check, and each member that the
    ///   store leaves out and `skipped` does not name.
    public func run(
        without skipped: Set<OptionalMember> = [], operationsPerTask: Int = 200
    ) async throws {
        let run = StoreConformanceRun(
            suite: self, hasOwn: !skipped.contains(.ownConfiguration),
            hasFirstDownloadFinished: !skipped.contains(.firstDownloadFinished),
            hasRecords: !skipped.contains(.records))
        var checks = ConformanceChecks(of: "ActiveConfigStore")
        await run.checkUsers(&checks)
        await run.checkContent(&checks)
        await run.checkFallbacks(&checks)
        await run.checkBootstrap(&checks)
        await run.checkRecords(&checks)
        await run.checkFirstDownloadFinished(&checks)
        await run.checkFirstDownloadFinishedContention(&checks, rounds: 20)
        await run.checkReopening(&checks)
        await run.checkContention(&checks, operationsPerTask: operationsPerTask)
        try checks.finish()
    }
}
