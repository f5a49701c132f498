import EtcdTestSupport
import Foundation
import SeededRandomness
import TemplateStore
import Testing

@testable import EtcdTemplateStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

@Suite("The change feed of etcd", .timeLimit(.minutes(Rounds.minutes)))
struct EtcdWatchTests {
    /// While members are killed and suspended, no change is missed or delivered twice.
    @Test func changesGoOnWhileMembersFail() async throws {
        try await withCluster(members: 3) { cluster in
            let location = cluster.location()
            try await withStore(at: location) { store in
                var limits = EtcdGateway.TimeLimits()
                limits.watchSilence = .seconds(1)
                try await withStore(at: location, limits: limits) { reader in
                    let start = try await store.submit().revision
                    let count = 60
                    async let found = reader.next(count, after: start)
                    for number in 0..<count {
                        switch number {
                        case 10: cluster.kill9(0)
                        case 20:
                            try cluster.start(0)
                            cluster.signal(SIGSTOP, to: 1)
                        case 30:
                            cluster.signal(SIGCONT, to: 1)
                            try await cluster.waitForLeader()
                            cluster.kill9(2)
                        case 40:
                            try cluster.start(2)
                            try await cluster.waitForLeader()
                        default: break
                        }
                        try await store.submit("\(number)")
                    }
                    let versions = try await found.map(\.subject)
                    #expect(
                        versions == (2...count + 1).map { .template(project: "p", version: $0) })
                }
            }
        }
    }

    /// A reader whose history was compacted receives an error, unless it has missed nothing.
    @Test func compactionIsNoticedByThoseWhoMissSomething() async throws {
        try await withCluster { cluster in
            try await withStore(at: cluster.location()) { store in
                let first = try await store.submit("1").revision
                let last = try await store.submit("2").revision
                // Other stores write to the cluster, too.
                try await store.draft(Data())
                let latest = try await store.read([]).revision
                let _: EtcdEmptyAnswer = try await store.gateway.call(
                    "/v3/kv/compaction", ["revision": String(latest)])
                let error = try await storeError { _ = try await store.next(1, after: first) }
                #expect(error?.code == .watchLost)
                async let found = store.next(1, after: last)
                try await store.submit("3")
                #expect(
                    try await found.map(\.subject) == [.template(project: "p", version: 3)])
            }
        }
    }

    /// The store reopens a silent watch, so that a suspended member does not delay changes for
    /// long.
    @Test func aSilentWatchIsOpenedAgain() async throws {
        try await withProxy { proxy, location, direct in
            try await withStore(at: location, limits: .short) { reader in
                try await withStore(at: direct) { store in
                    let start = try await store.submit().revision
                    proxy.strike(.requestIsHeld, requestsWith: "/v3/watch", sparing: 1)
                    async let found = reader.next(2, after: start)
                    // The first watch is silent, and the store opens another one.
                    try await waitUntil { proxy.struck > 0 }
                    proxy.release()
                    for version in 2...3 { try await store.submit("\(version)") }
                    #expect(try await found.count == 2)
                }
            }
        }
    }

    /// The store detects another cluster in the place of its own: it stores nothing, and readers
    /// receive an error.
    @Test func anotherClusterIsNoticed() async throws {
        try await withCluster { first in
            let location = first.location()
            try await withStore(at: location, limits: .short) { store in
                let revision = try await store.submit().revision
                first.kill9(0)
                first.removeData(of: 0)
                try first.start(0)
                try await first.waitForLeader()
                let error = try await storeError { try await store.submit("2") }
                #expect(error?.code == .filesReplaced)
                #expect(error?.message.contains("replaced or restored") == true)
                let lost = try await storeError { _ = try await store.next(1, after: revision) }
                #expect(lost?.code == .watchLost)
                #expect(
                    try await storeError { try await store.checkReadiness() }?.code
                        == .filesReplaced)
            }
        }
    }

    /// The store detects that keys were removed while it runs.
    @Test func removedKeysAreNoticed() async throws {
        try await withStore { store, _ in
            try await store.submit()
            let revision = try await store.snapshot().revision
            let removal = EtcdTransaction(success: [.delete(.prefix(store.keys.prefix))])
            let _: EtcdTransactionAnswer = try await store.gateway.call("/v3/kv/txn", removal)
            // The snapshot is not that of the now empty store.
            let read = try await storeError { _ = try await store.snapshot() }
            #expect(read?.code == .filesReplaced)
            let lost = try await storeError { _ = try await store.next(1, after: revision) }
            #expect(lost?.code == .watchLost)
            #expect(
                try await storeError { try await store.submit("2") }?.code == .filesReplaced
            )
            #expect(
                try await storeError { try await store.checkReadiness() }?.code == .filesReplaced)
        }
    }
}
