import Foundation
import TemplateStore

extension TemplateStoreConformance {
    /// The checks of ``ReplicaStoring``, which pass for stores that do not implement it.
    public static var replicaChecks: [Check] {
        [
            Check("announcementsReachAllProcesses", Self.announcementsReachAllProcesses),
            Check("announcementsGoWithTheirProcess", Self.announcementsGoWithTheirProcess),
        ]
    }

    /// Each process reads the latest announcements of all processes; none of them is a change.
    public func announcementsReachAllProcesses() async throws {
        try await onNewStore { trial in
            guard let store = trial.store as? any ReplicaStoring,
                let other = try await trial.reopen() as? any ReplicaStoring
            else { return }
            let before = try await trial.store.snapshot()
            let rule = "Announcements are returned with their latest content."
            try trial.expect(store.announcedReplica, is: nil, rule)
            try trial.expect(try await store.announcements(), is: [], rule)
            try await store.announce(Data("first".utf8), as: "a")
            try await store.announce(Data([0, 0xFF]), as: "é/ ")
            try await other.announce(Data(), as: "a")
            try await store.announce(Data("second".utf8), as: "a")
            try trial.expect(
                try await store.announcements().first(where: \.isOwn)?.replica,
                is: store.announcedReplica, rule)
            let contents = [
                true: ["a": Data("second".utf8), "é/ ": Data([0, 0xFF])], false: ["a": Data()],
            ]
            for (reader, isFirst) in [(store, true), (other, false)] {
                let found = try await reader.announcements()
                try trial.expect(found.count, is: 2, rule)
                for announcement in found {
                    try trial.expect(announcement.isSilent, is: false, rule)
                    try trial.expect(
                        announcement.contents, is: contents[announcement.isOwn == isFirst] ?? [:],
                        rule)
                }
                try trial.expect(found.count { $0.isOwn }, is: 1, rule)
            }
            try trial.expect(
                try await trial.store.snapshot(), is: before, "An announcement is not a change.")
        }
    }

    /// Closing a store removes its announcements.
    public func announcementsGoWithTheirProcess() async throws {
        try await onNewStore { trial in
            let other = try await trial.reopen()
            guard let store = trial.store as? any ReplicaStoring,
                let replica = other as? any ReplicaStoring
            else { return }
            try await store.announce(Data("1".utf8), as: "a")
            try await replica.announce(Data("2".utf8), as: "a")
            await other.close()
            let rule = "The announcements of a closed store are gone."
            let found = try await store.announcements()
            try trial.expect(found.map(\.contents), is: [["a": Data("1".utf8)]], rule)
        }
    }
}
