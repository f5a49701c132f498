public import TemplateStore

/// A suite of checks that every ``TemplateStore`` has to pass, by the parts of a store.
///
/// It needs no test framework: a check throws an error with the broken rule. Each check has a new
/// store of its own.
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
    /// - Parameter newFactory: Creates a factory with a new, empty place at each call.
    public init(newFactory: @escaping @Sendable () async throws -> StoreFactory) {
        self.newFactory = newFactory
    }

    /// All checks: those of each part of a store, and those of the whole.
    public static var allChecks: [Check] {
        templateChecks + draftChecks + projectDetailsChecks + overridesChecks + changeChecks
            + auditChecks + tokenChecks + sessionChecks + webhookChecks + replicaChecks
            + lifecycleChecks
    }

    /// The checks of ``TemplateStoring``.
    public static var templateChecks: [Check] { publishingChecks + versionChecks }

    /// The checks of ``ChangeFeed``; some change every part.
    public static var changeChecks: [Check] { snapshotChecks + feedChecks }

    /// The checks of ``WebhookStoring``; deliveries come from publishes.
    public static var webhookChecks: [Check] { receiverChecks + deliveryChecks }

    /// Runs one check.
    ///
    /// - Parameter check: The check.
    /// - Throws: ``TemplateStoreConformanceFailure``, or the error of the store.
    public func run(_ check: Check) async throws { try await check.body(self)() }

    /// Runs all checks, one after the other, up to the first that fails.
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

/// A place where a store keeps its data, such as a folder, with the functions that open it.
public struct StoreFactory: Sendable {
    private let makeStore: @Sendable () async throws -> any TemplateStore
    private let reopenStore: @Sendable () async throws -> any TemplateStore
    private let removePlace: @Sendable () async -> Void

    /// Creates a factory for a new, empty place.
    ///
    /// - Parameters:
    ///   - make: Opens the empty place.
    ///   - reopen: Opens the same place again, while the first store is open; a store that only
    ///     exists in memory returns itself.
    ///   - remove: Removes the place after all stores are closed.
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

    /// Opens the place again.
    public func reopen() async throws -> any TemplateStore { try await reopenStore() }

    /// Removes the place.
    public func remove() async { await removePlace() }
}

/// A rule of ``TemplateStore`` that a store breaks.
public struct TemplateStoreConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The broken rule, a sentence.
    public let rule: String
    /// The finding that breaks the rule.
    public let finding: String

    /// The rule and the finding.
    public var description: String { "\(rule) Found: \(finding)" }
}
