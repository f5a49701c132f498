import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// A member that is not forwarded would have the protocol's default implementation: another answer
/// than the base store's, and no call of it.
struct MarkedStoreTests {
    private struct Full: Error {}

    /// Records each call with its arguments and its thread's mark.
    ///
    /// Every answer differs from the default implementation's.
    private final class RecordingStore: ActiveConfigStore {
        let calls = Locked<[String]>([])
        /// Calls on a thread without the mark.
        let unmarked = Locked<[String]>([])

        private func note(_ call: String) {
            calls.withLock { $0.append(call) }
            if !ThreadMark.storeCall.isSet { unmarked.withLock { $0.append(call) } }
        }

        private let isFull: Bool

        init(isFull: Bool = false) { self.isFull = isFull }

        private func failIfFull() throws { if isFull { throw Full() } }

        var fallback: StoreFallback {
            note("fallback")
            return .genericUser(then: .state(document("bootstrap")))
        }

        var firstDownloadFinished: Bool {
            note("firstDownloadFinished")
            return true
        }

        func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
            note("lastKnown \(name(userID))")
            return document("last of \(name(userID))")
        }

        func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
            note("own \(name(userID))")
            return document("own of \(name(userID))")
        }

        func ownEntityTag(forUserID userID: String?) -> String? {
            note("tag \(name(userID))")
            return "tag of \(name(userID))"
        }

        func persistConfiguration(
            _ configuration: ConfigurationState?, forUserID userID: String?
        ) throws {
            note("persist \(configuration.map(title) ?? "nil") \(name(userID))")
            try failIfFull()
        }

        func persistConfiguration(
            _ configuration: ConfigurationState, forUserID userID: String?,
            unlessStored isLater: (Int) -> Bool
        ) throws -> Bool {
            note("persist \(title(configuration)) \(name(userID)) unless later")
            try failIfFull()
            return !isLater(7)
        }

        func recordFirstDownloadFinished() throws -> Bool {
            note("recordFirstDownloadFinished")
            try failIfFull()
            return false
        }

        func record(_ record: StoreRecord) throws -> Data? {
            note("record \(record.key)")
            try failIfFull()
            return Data("record \(record.key)".utf8)
        }

        func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) throws {
            note("update \(record.key)")
            try failIfFull()
            let new = change(Data("old".utf8)).map { String(decoding: $0, as: UTF8.self) }
            note("updated to \(new ?? "nil")")
        }
    }

    private static func document(_ title: String) -> ConfigurationState {
        .titled(["Home": title])
    }

    private static func title(_ configuration: ConfigurationState) -> String {
        configuration["Home"]?.title ?? "none"
    }

    private static func name(_ userID: String?) -> String { userID ?? "the generic user" }

    /// A call of the marked store, which describes its result.
    private typealias Call = @Sendable (MarkedStore) throws -> String

    private struct Expected: Sendable {
        let result: String
        /// The base store's calls.
        let calls: [String]
        let throwsErrors: Bool

        init(_ result: String, _ calls: [String], throwsErrors: Bool = false) {
            (self.result, self.calls, self.throwsErrors) = (result, calls, throwsErrors)
        }
    }

    private static let isLater: @Sendable (Int) -> Bool = { $0 > 6 }
    private static let isNotLater: @Sendable (Int) -> Bool = { $0 > 7 }

    private static let rows: [Row<Call, Expected>] = [
        Row(
            "fallback", { title($0.fallback.bootstrapState ?? .empty) },
            Expected("bootstrap", ["fallback"])),
        Row(
            "first download", { "\($0.firstDownloadFinished)" },
            Expected("true", ["firstDownloadFinished"])),
        Row(
            "record of the first download", { "\(try $0.recordFirstDownloadFinished())" },
            Expected("false", ["recordFirstDownloadFinished"], throwsErrors: true)),
        Row(
            "last known of a user",
            { $0.lastKnownActiveConfiguration(forUserID: "1").map(title) ?? "nil" },
            Expected("last of 1", ["lastKnown 1"])),
        Row(
            "last known of the generic user",
            { $0.lastKnownActiveConfiguration(forUserID: nil).map(title) ?? "nil" },
            Expected("last of the generic user", ["lastKnown the generic user"])),
        Row(
            "own of a user", { $0.ownConfiguration(forUserID: "1").map(title) ?? "nil" },
            Expected("own of 1", ["own 1"])),
        Row(
            "tag of a user", { $0.ownEntityTag(forUserID: "1") ?? "nil" },
            Expected("tag of 1", ["tag 1"])),
        Row(
            "write",
            {
                try $0.persistConfiguration(document("new"), forUserID: "1")
                return ""
            }, Expected("", ["persist new 1"], throwsErrors: true)),
        Row(
            "removal",
            {
                try $0.persistConfiguration(nil, forUserID: nil)
                return ""
            }, Expected("", ["persist nil the generic user"], throwsErrors: true)),
        Row(
            "write unless later, replaced",
            {
                let new = document("new")
                return
                    "\(try $0.persistConfiguration(new, forUserID: "1", unlessStored: isNotLater))"
            }, Expected("true", ["persist new 1 unless later"], throwsErrors: true)),
        Row(
            "write unless later, kept",
            {
                let new = document("new")
                return "\(try $0.persistConfiguration(new, forUserID: "1", unlessStored: isLater))"
            }, Expected("false", ["persist new 1 unless later"], throwsErrors: true)),
        Row(
            "record",
            {
                let data = try $0.record(.clientState(named: "signals"))
                return data.map { String(decoding: $0, as: UTF8.self) } ?? "nil"
            }, Expected("record state-signals", ["record state-signals"], throwsErrors: true)),
        Row(
            "update of a record",
            {
                var old: Data?
                try $0.updateRecord(.clientState(named: "signals")) {
                    old = $0
                    return Data("new".utf8)
                }
                return String(decoding: old ?? Data(), as: UTF8.self)
            }, Expected("old", ["update state-signals", "updated to new"], throwsErrors: true)),
    ]

    @Test(arguments: rows)
    private func eachMemberReachesTheBaseStore(row: Row<Call, Expected>) throws {
        let base = RecordingStore()
        #expect(try row.input(MarkedStore(base)) == row.expected.result)
        #expect(base.calls.withLock { $0 } == row.expected.calls)
        #expect(base.unmarked.withLock { $0 } == [])
        #expect(!ThreadMark.storeCall.isSet)
    }

    @Test(arguments: rows.filter(\.expected.throwsErrors))
    private func anErrorOfTheBaseStoreIsThrown(row: Row<Call, Expected>) {
        let base = RecordingStore(isFull: true)
        #expect(throws: Full.self) { try row.input(MarkedStore(base)) }
        #expect(base.calls.withLock { $0 } == Array(row.expected.calls.prefix(1)))
        #expect(!ThreadMark.storeCall.isSet)
    }

    @Test func aMarkedStoreIsNotMarkedAgain() {
        let base = RecordingStore()
        let store = MarkedStore(MarkedStore(base))
        #expect(store.base as? RecordingStore === base)
        _ = store.firstDownloadFinished
        #expect(base.calls.withLock { $0 } == ["firstDownloadFinished"])
    }
}
