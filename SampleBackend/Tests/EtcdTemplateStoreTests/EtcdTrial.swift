import EtcdTestSupport
import Foundation
import TemplateStore
import Templates

@testable import EtcdTemplateStore

/// A whole number of seconds.
let testDate = Date(timeIntervalSince1970: 1_700_000_000)

extension EtcdGateway.TimeLimits {
    /// Time limits that keep tests short.
    static var short: EtcdGateway.TimeLimits {
        var limits = EtcdGateway.TimeLimits()
        limits.attempt = .milliseconds(300)
        limits.write = .seconds(1)
        limits.watchSilence = .milliseconds(500)
        return limits
    }
}

/// Runs a body with a new store of the shared member, which is closed afterwards.
func withStore<Result>(
    limits: EtcdGateway.TimeLimits = .init(),
    _ body: (EtcdTemplateStore, EtcdLocation) async throws -> Result
) async throws -> Result {
    let location = try await SharedMember.cluster.value.location()
    return try await withStore(at: location, limits: limits) { try await body($0, location) }
}

/// Runs a body with a store, which is closed afterwards.
func withStore<Result>(
    at location: EtcdLocation, limits: EtcdGateway.TimeLimits = .init(),
    _ body: (EtcdTemplateStore) async throws -> Result
) async throws -> Result {
    let store = try await EtcdTemplateStore(location, limits: limits)
    do {
        let result = try await body(store)
        await store.close()
        return result
    } catch {
        await store.close()
        throw error
    }
}

/// Runs a body with a cluster, which is stopped afterwards.
func withCluster<Result>(
    members: Int = 1, options: [String] = [], _ body: (EtcdCluster) async throws -> Result
) async throws -> Result {
    let cluster = try await EtcdCluster(members: members, options: options)
    defer { cluster.end() }
    return try await body(cluster)
}

/// Runs a body with a proxy in front of the shared member, and the locations of one store through
/// the proxy and at the member itself.
func withProxy(
    _ body: (
        _ proxy: LossyProxy, _ location: EtcdLocation, _ direct: EtcdLocation
    ) async throws -> Void
) async throws {
    let direct = try await SharedMember.cluster.value.location()
    let proxy = try await LossyProxy(before: direct.members[0])
    var location = direct
    location.members = [proxy.url]
    do {
        try await body(proxy, location, direct)
        await proxy.close()
    } catch {
        await proxy.close()
        throw error
    }
}

/// Polls a condition until it is true; the test's time limit bounds the wait.
func waitUntil(_ isMet: () -> Bool) async throws {
    while !isMet() {  // deadline: only the test's time limit ends it
        try Task.checkCancellation()
        await Task.yield()
    }
}

/// The error of a store that a call throws; nil if it throws none.
func storeError(_ body: () async throws -> Void) async throws -> TemplateStoreError? {
    do {
        try await body()
        return nil
    } catch let error as TemplateStoreError {
        return error
    }
}

extension EtcdTemplateStore {
    /// Publishes a content in the project `p`.
    @discardableResult
    func submit(
        _ content: String = "{}", expecting expectation: TemplateSubmission.Expectation = .any
    ) async throws -> StoredTemplate {
        try await submit(Data(content.utf8), expecting: expectation)
    }

    /// Publishes a content in the project `p`.
    @discardableResult
    func submit(
        _ content: Data, expecting expectation: TemplateSubmission.Expectation = .any
    ) async throws -> StoredTemplate {
        try await publish(
            TemplateSubmission(
                project: "p", content: content, expectation: expectation, date: testDate,
                user: TemplateVersion.User(name: "publisher")))
    }

    /// Saves the draft of an administrator in the project `p`.
    func draft(_ content: Data) async throws {
        _ = try await saveDraft(
            DraftSubmission(
                owner: "ada", project: "p", baseVersion: 1, content: content, expectation: .any,
                date: testDate))
    }

    /// The numbers of the versions of the project `p`, newest first.
    func numbers() async throws -> [Int] {
        try await versions(inProject: "p", matching: VersionQuery()).versions.map(\.number)
    }

    /// The number of keys below the prefix that begin with a kind.
    func count(_ kind: String) async throws -> Int {
        try await read(EtcdRange(keys: .prefix(keys.prefix + kind + "/"), part: .count)).count
    }

    /// The next changes after a revision.
    func next(_ count: Int, after revision: StoreRevision) async throws -> [StoreChange] {
        var found: [StoreChange] = []
        for try await change in changes(since: revision) {
            found.append(change)
            if found.count == count { break }
        }
        return found
    }
}
