import EtcdTestSupport
import Foundation
import SeededRandomness
import TemplateStore
import Testing

@testable import EtcdTemplateStore

@Suite("Marks that identify a store", .timeLimit(.minutes(Rounds.minutes)))
struct EtcdMarkTests {
    /// The error of a new handle that expects a mark.
    private func refusal(
        _ mark: StoreMark, at location: EtcdLocation
    ) async throws -> TemplateStoreError? {
        let store = try EtcdTemplateStore(unopened: location)
        let error = try await storeError {
            try store.expect(mark)
            try await store.submit()
        }
        await store.close()
        return error
    }

    @Test func aStoreThatGoesOnIsTheSame() async throws {
        try await withStore { store, location in
            let empty = try #require(store.knownMark)
            #expect(empty.change == nil)
            for _ in 0..<2 {
                let mark = try #require(store.knownMark)
                #expect(try await refusal(empty, at: location) == nil)
                #expect(try await refusal(mark, at: location) == nil)
                try store.expect(mark)
                try await store.submit()
                #expect(store.knownMark != mark)
            }
        }
    }

    @Test func anotherStoreIsRefused() async throws {
        try await withStore { store, location in
            try await store.submit()
            let mark = try #require(store.knownMark)
            var other = location
            other.prefix += "other/"
            #expect(try await refusal(mark, at: other)?.code == .otherStore)
            let moved = StoreMark(storeID: mark.storeID, place: other.prefix, change: mark.change)
            let emptied = StoreMark(storeID: "x", place: other.prefix, change: nil)
            // No store exists there, and none is created.
            var unused = other
            unused.prefix += "unused/"
            let absent = StoreMark(storeID: "x", place: unused.prefix, change: nil)
            #expect(try await refusal(absent, at: unused)?.code == .changesLost)
            let keys = EtcdKeys(prefix: unused.prefix)
            let left = try await store.read(EtcdRange(keys: keys.all, part: .count))
            #expect(left.count == 0)
            _ = try await withStore(at: other) { try await $0.submit() }
            for mark in [moved, emptied] {
                let error = try await refusal(mark, at: other)
                #expect(error?.code == .otherStore)
                #expect(error?.message.contains(mark.storeID) == true)
            }
        }
    }

    /// As after a restore from a backup: fewer changes, or other changes with the same numbers.
    @Test func aStoreThatLacksTheChangeIsRefused() async throws {
        try await withStore { store, location in
            try await store.submit()
            let mark = try #require(store.knownMark)
            let change = try #require(mark.change)
            for lost in ["2/x", "1/x", "\(Int.max)/x"] where lost != change {
                let error = try await refusal(
                    StoreMark(storeID: mark.storeID, place: mark.place, change: lost),
                    at: location)
                #expect(error?.code == .changesLost, "\(lost)")
            }
        }
    }

    /// A process runs while its cluster comes back with fewer changes, or with another store; by
    /// then other processes have made as many changes as it knew, at later revisions.
    @Test(arguments: ["restored", "replaced"])
    func aStoreThatWentBackIsNotUsed(kind: String) async throws {
        try await withCluster { cluster in
            let location = cluster.location()
            try await withStore(at: location, limits: .short) { store in
                try await store.submit()
                cluster.kill9(0)
                try cluster.backUp(0)
                try cluster.start(0)
                try await cluster.waitForLeader()
                let revision = try await store.submit("2").revision
                cluster.kill9(0)
                if kind == "restored" {
                    try cluster.swapWithBackup(0)
                } else {
                    cluster.removeData(of: 0, keepingID: true)
                }
                try cluster.start(0)
                try await cluster.waitForLeader()
                let other = try await EtcdTemplateStore(location)
                for number in 0..<20 { try await other.submit("other \(number)") }
                await other.close()
                let codes: [TemplateStoreError.Code] = [.changesLost, .filesReplaced]
                let refused = try await storeError { try await store.submit("3") }
                #expect(codes.contains { $0 == refused?.code }, "\(String(describing: refused))")
                let read = try await storeError { _ = try await store.snapshot() }
                #expect(codes.contains { $0 == read?.code })
                let ready = try await storeError { try await store.checkReadiness() }
                #expect(codes.contains { $0 == ready?.code })
                let lost = try await storeError { _ = try await store.next(1, after: revision) }
                #expect(lost?.code == .watchLost)
            }
        }
    }
}
