import TemplateStore

/// A suite of checks that any ``TemplateStore`` has to pass.
///
/// It needs no test framework: a check throws an error that names the rule that is broken. Each
/// check has a new store of its own.
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
        /// The rule, as the name of a method.
        public let name: String
        /// Makes the check.
        let body: @Sendable (TemplateStoreConformance) -> () async throws -> Void

        /// Makes a check of a method and its name.
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

    /// Makes a place.
    private let newFactory: @Sendable () async throws -> StoreFactory

    /// Makes the suite.
    ///
    /// - Parameter newFactory: Makes a factory with a new, empty place at each call.
    public init(newFactory: @escaping @Sendable () async throws -> StoreFactory) {
        self.newFactory = newFactory
    }

    /// All checks.
    public static var allChecks: [Check] {
        publishingChecks + versionChecks + overridesChecks + snapshotChecks + changesChecks
            + auditChecks + tokenChecks + webhookChecks + deliveryChecks + lifecycleChecks
    }

    /// Makes one check.
    ///
    /// - Parameter check: The check.
    /// - Throws: ``TemplateStoreConformanceFailure``, or the error of the store.
    public func run(_ check: Check) async throws { try await check.body(self)() }

    /// Makes all checks, one after the other, up to the first that fails.
    ///
    /// - Throws: ``TemplateStoreConformanceFailure``, or the error of the store.
    public func run() async throws {
        for check in Self.allChecks { try await run(check) }
    }

    /// Makes a check on a new store, which is closed and removed afterwards.
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
