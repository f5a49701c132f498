public import ActiveConfig

/// A suite of checks that any store has to pass.
///
/// It needs no test framework: it throws one error that lists each rule that is broken.
///
/// ```swift
/// @Test func keepsTheRulesOfAStore() async throws {
///     try await StoreConformance { MyStore() }.run()
/// }
/// ```
///
/// A store that keeps configurations across launches is made of a *place*, such as a folder; each
/// check has a place of its own, and opens it again to see that what was persisted is there:
///
/// ```swift
/// try await StoreConformance(newPlace: { makeTemporaryFolder() }, open: { FileStore(folder: $0) })
///     .withBootstrap { FileStore(folder: $0, bootstrap: $1) }
///     .run()
/// ```
public struct StoreConformance<Place: Sendable>: Sendable {
    let newPlace: @Sendable () async throws -> Place
    let open: @Sendable (Place) async throws -> any ActiveConfigStore
    /// A place opened again has what was persisted.
    let isDurable: Bool
    private(set) var openWithBootstrap:
        (@Sendable (Place, ConfigurationState) async throws -> any ActiveConfigStore)?

    /// Creates the suite for a store that keeps configurations across launches.
    ///
    /// - Parameters:
    ///   - newPlace: Makes an empty place, another at each call.
    ///   - open: Opens a place, with no bootstrap; also one that is open already.
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

    /// Creates the suite for a store that forgets everything with the process.
    ///
    /// - Parameter makeStore: Makes an empty store with no bootstrap, another at each call.
    public init(
        makeStore: @escaping @Sendable () async throws -> any ActiveConfigStore
    ) where Place == Void {
        self.init(
            newPlace: { () async throws -> Void in }, open: { (_: Void) in try await makeStore() },
            isDurable: false)
    }

    /// The suite with the checks of the bootstrap fallback.
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

    /// A member of the protocol that has a default, which a store may leave as it is.
    public struct OptionalMember: Sendable, Hashable {
        private enum Kind {
            case ownConfiguration, firstDownloadFinished
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
    }

    /// Makes all checks.
    ///
    /// - Parameters:
    ///   - skipped: Members that the store leaves at their default.
    ///   - operationsPerTask: How much each of 8 tasks does at once, every fourth time a write.
    /// - Throws: ``ConformanceFailure`` that lists every check that failed.
    public func run(
        without skipped: Set<OptionalMember> = [], operationsPerTask: Int = 200
    ) async throws {
        let run = StoreConformanceRun(
            suite: self, hasOwn: !skipped.contains(.ownConfiguration),
            hasFirstDownloadFinished: !skipped.contains(.firstDownloadFinished))
        var checks = ConformanceChecks(of: "ActiveConfigStore")
        await run.checkUsers(&checks)
        await run.checkContent(&checks)
        await run.checkFallbacks(&checks)
        await run.checkBootstrap(&checks)
        await run.checkFirstDownloadFinished(&checks)
        await run.checkFirstDownloadFinishedContention(&checks, rounds: 20)
        await run.checkReopening(&checks)
        await run.checkContention(&checks, operationsPerTask: operationsPerTask)
        try checks.finish()
    }
}
