import EtcdTestSupport
import Foundation
import SeededRandomness
import TemplateStore
import Testing

@testable import EtcdTemplateStore

@Suite("A store that has to be a known one", .timeLimit(.minutes(Rounds.minutes)))
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
            let empty = try await store.mark()
            #expect(empty.change == nil)
            for _ in 0..<2 {
                let mark = try await store.mark()
                #expect(try await refusal(empty, at: location) == nil)
                #expect(try await refusal(mark, at: location) == nil)
                try store.expect(mark)
                try await store.submit()
                #expect(try await store.mark() != mark)
            }
        }
    }

    @Test func anotherStoreIsRefused() async throws {
        try await withStore { store, location in
            try await store.submit()
            let mark = try await store.mark()
            var other = location
            other.prefix += "other/"
            #expect(try await refusal(mark, at: other)?.code == .otherStore)
            let moved = StoreMark(storeID: mark.storeID, place: other.prefix, change: mark.change)
            let emptied = StoreMark(storeID: "x", place: other.prefix, change: nil)
            // Nothing is there, and nothing is created.
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

    /// As after a backup was restored: fewer changes, or others with the same numbers.
    @Test func aStoreThatLacksTheChangeIsRefused() async throws {
        try await withStore { store, location in
            try await store.submit()
            let mark = try await store.mark()
            let change = try #require(mark.change)
            for lost in ["2/x", "1/x", "\(Int.max)/x"] where lost != change {
                let error = try await refusal(
                    StoreMark(storeID: mark.storeID, place: mark.place, change: lost),
                    at: location)
                #expect(error?.code == .changesLost, "\(lost)")
            }
        }
    }
}
