import Foundation
import TemplateStore
import Templates

/// A new store under test, and the helpers of checks.
struct StoreTrial: Sendable {
    /// The project of most checks.
    static let project = "conformance"
    /// Maximum time that a check waits for a change.
    private static let patience = Duration.seconds(60)
    /// A time without a fraction of a second.
    static let date = Date(timeIntervalSince1970: 1_700_000_000)

    let store: any TemplateStore
    private let factory: StoreFactory
    /// Other stores opened at the same location.
    private let others = Locked<[any TemplateStore]>([])

    init(store: any TemplateStore, factory: StoreFactory) {
        self.store = store
        self.factory = factory
    }

    /// Opens the store's location again.
    func reopen() async throws -> any TemplateStore {
        let other = try await factory.reopen()
        others.withLock { $0.append(other) }
        return other
    }

    /// Closes all stores.
    func close() async {
        for other in others.withLock({ $0 }) { await other.close() }
        await store.close()
    }

    /// Checks a rule, given as a sentence; `finding` is the deviation.
    func expect(
        _ isKept: Bool, _ rule: String, found finding: @autoclosure () -> String
    ) throws(TemplateStoreConformanceFailure) {
        if !isKept { throw TemplateStoreConformanceFailure(rule: rule, finding: finding()) }
    }

    /// Checks that a value equals the expected one; `rule` is a sentence.
    func expect<Value: Equatable>(
        _ value: Value, is expected: Value, _ rule: String
    ) throws(TemplateStoreConformanceFailure) {
        try expect(value == expected, rule, found: "\(value) instead of \(expected).")
    }

    /// Checks that a call fails with a code, and returns the error; `rule` is a sentence.
    @discardableResult
    func expectError(
        _ code: TemplateStoreError.Code, _ rule: String,
        _ body: () async throws(TemplateStoreError) -> Void
    ) async throws(TemplateStoreConformanceFailure) -> TemplateStoreError {
        do {
            try await body()
        } catch {
            try expect(error.code, is: code, rule)
            try expect(!error.message.isEmpty, rule, found: "an error without a message.")
            return error
        }
        throw TemplateStoreConformanceFailure(rule: rule, finding: "no error.")
    }

    /// Makes concurrent changes through two connections to the store; exactly one must succeed.
    ///
    /// - Parameters:
    ///   - rule: The rule that one succeeds, as a sentence.
    ///   - count: The number of changes.
    ///   - code: The error code of the others.
    ///   - change: Makes the change with a number.
    /// - Returns: The result of the successful change.
    /// - Throws: ``TemplateStoreConformanceFailure`` if none or several succeed.
    func onlyOneSucceeds<Value: Sendable>(
        _ rule: String, of count: Int = 8, elseFailing code: TemplateStoreError.Code,
        _ change:
            @escaping @Sendable (
                _ store: any TemplateStore, _ number: Int
            ) async throws(TemplateStoreError) -> Value
    ) async throws -> Value {
        let stores = [store, try await reopen()]
        let results = try await withThrowingTaskGroup(of: Value?.self) { group in
            for number in 0..<count {
                group.addTask {
                    do throws(TemplateStoreError) {
                        return try await change(stores[number % 2], number)
                    } catch {
                        guard error.code == code else { throw error }
                        return nil
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }.compactMap { $0 }
        }
        guard let first = results.first, results.count == 1 else {
            throw TemplateStoreConformanceFailure(
                rule: rule, finding: "\(results.count) instead of 1.")
        }
        return first
    }

    /// The next `count` changes of a sequence; fewer if it ends earlier.
    ///
    /// - Throws: ``TemplateStoreConformanceFailure`` if they do not arrive in time.
    func next(_ count: Int, of changes: StoreChanges) async throws -> [StoreChange] {
        try await inTime("The next \(count) changes come.") {
            var found: [StoreChange] = []
            for try await change in changes {
                found.append(change)
                if found.count == count { break }
            }
            return found
        }
    }

    /// Runs a closure that would wait forever in a broken store; `rule` is a sentence.
    ///
    /// - Throws: ``TemplateStoreConformanceFailure`` if the closure does not end in time.
    func inTime<Value: Sendable>(
        _ rule: String, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: Self.patience)
                throw TemplateStoreConformanceFailure(
                    rule: rule, finding: "nothing within \(Self.patience).")
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }
}
