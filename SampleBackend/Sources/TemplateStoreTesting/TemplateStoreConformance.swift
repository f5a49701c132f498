public import TemplateStore

/// A suite of checks that every ``TemplateStore`` must pass, grouped by the parts of a store.
///
/// It needs no test framework: a check throws an error with the violated rule. Each check uses its
/// own new store.
///
/// ```swift
/// @Test(arguments: TemplateStoreConformance.allChecks)
/// func keepsTheRules(_ check: TemplateStoreConformance.Check) async throws {
///     try await TemplateStoreConformance { StoreFactory(make: …, reopen: …) }.run(check)
/// }
/// ```
public struct TemplateStoreConformance: Sendable {
    /// A check of the suite.
    public struct Check: Sendable, CustomStringConvertible {
        /// The name of the rule's method.
        public let name: String
        let body: @Sendable (TemplateStoreConformance) -> () async throws -> Void

        init(
            _ name: String,
            _ body: @escaping @Sendable (TemplateStoreConformance) -> () async throws -> Void
        ) {
            self.name = name
            self.body = body
        }

        /// The rule.
        public var description: String { name }
    }

    private let newFactory: @Sendable () async throws -> StoreFactory

    /// Creates the suite for a kind of store.
    ///
    /// - Parameter newFactory: Creates a factory with a new, empty location at each call.
    public init(newFactory: @escaping @Sendable () async throws -> StoreFactory) {
        self.newFactory = newFactory
    }

    /// All checks, for each part of a store and for the whole store.
    public static var allChecks: [Check] {
        templateChecks + draftChecks + changeRequestChecks + gateChecks + scheduleChecks
            + projectChecks + projectDetailsChecks
            + overridesChecks
            + changeChecks
            + auditChecks + tokenChecks + sessionChecks + webhookChecks + usageChecks
            + replicaChecks
            + lifecycleChecks
    }

    /// The checks of ``TemplateStoring``.
    public static var templateChecks: [Check] { publishingChecks + versionChecks }

    /// The checks of ``ChangeFeed``; some of them change all parts.
    public static var changeChecks: [Check] { snapshotChecks + feedChecks }

    /// The checks of ``WebhookStoring``; deliveries come from publishes and change requests.
    public static var webhookChecks: [Check] { receiverChecks + deliveryChecks + eventChecks }

    /// Runs one check.
    ///
    /// - Parameter check: The check.
    /// - Throws: ``TemplateStoreConformanceFailure``, or the error of the store.
    public func run(_ check: Check) async throws { try await check.body(self)() }

    /// Runs all checks in order, until the first failure.
    ///
    /// - Throws: ``TemplateStoreConformanceFailure``, or the error of the store.
    public func run() async throws {
        for check in Self.allChecks { try await run(check) }
    }

    /// Runs a check on a new store, which is closed and removed afterwards.
    func onNewStore(_ body: (StoreTrial) async throws -> Void) async throws {
        let factory = try await newFactory()
        let trial: StoreTrial
        do {
            trial = StoreTrial(store: try await factory.make(), factory: factory)
        } catch {
            await factory.remove()
            throw error
        }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(trial))
        } catch {
            result = .failure(error)
        }
        await trial.close()
        await factory.remove()
        try result.get()
    }
}

/// A location for a store's data, such as a folder, with the functions that open it.
public struct StoreFactory: Sendable {
    private let makeStore: @Sendable () async throws -> any TemplateStore
    private let reopenStore: @Sendable () async throws -> any TemplateStore
    private let removePlace: @Sendable () async -> Void

    /// Creates a factory for a new, empty location.
    ///
    /// - Parameters:
    ///   - make: Opens the empty location.
    ///   - reopen: Opens the same location again while the first store is open; a store that exists
    ///     only in
    ///     memory returns itself.
    ///   - remove: Removes the location after all stores are closed.
    public init(
        make: @escaping @Sendable () async throws -> any TemplateStore,
        reopen: @escaping @Sendable () async throws -> any TemplateStore,
        remove: @escaping @Sendable () async -> Void = {}
    ) {
        makeStore = make
        reopenStore = reopen
        removePlace = remove
    }

    /// Opens the location for the first time.
    public func make() async throws -> any TemplateStore { try await makeStore() }

    /// Opens the location again.
    public func reopen() async throws -> any TemplateStore { try await reopenStore() }

    /// Removes the location.
    public func remove() async { await removePlace() }
}

/// A violated rule of ``TemplateStore``.
public struct TemplateStoreConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The violated rule, as a sentence.
    public let rule: String
    /// The finding that violates the rule.
    public let finding: String

    /// The rule and the finding.
    public var description: String { "\(rule) Found: \(finding)" }
}
