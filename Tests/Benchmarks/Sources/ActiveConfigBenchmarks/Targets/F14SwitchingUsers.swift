import ActiveConfig
import Foundation
import Measuring

/// F14: switching to a user whose document is in the store, but not in memory.
enum F14SwitchingUsers: BenchmarkTarget {
    static let name = "F14"
    static let work = "switch of the user, 1,000 settings"

    static func rows(_ setup: BenchmarkSetup) async throws -> [Row] {
        try await setup.withFolder(named: name) { folder in
            let document = try SampleDocument()
            let store = FileDefaultsStore(directory: folder)
            // More users than are kept in memory, so that each switch reads the store.
            let userIDs = (0..<8).map { "\($0)" }
            for userID in userIDs {
                try store.persistConfiguration(document.state, forUserID: userID)
            }
            var options = ActiveConfigOptions(log: .disabled)
            options.userCacheLimits.maximumCount = 1
            let queue = DispatchQueue(label: "benchmarks.listeners")
            let config = ActiveConfig(
                configDownloader: AlternatingDownloader(document.state), configStore: store,
                notificationCenter: NotificationCenter(), listenerQueue: queue, options: options)
            let data = document.data
            let plain = folder.appending(path: "plain.json")
            try data.write(to: plain)
            var turn = 0
            let samples = try await setup.rounds.measure(
                [
                    try Side.repeating("switch") {
                        turn += 1
                        config.currentUserID = userIDs[turn % userIDs.count]
                        return config[SampleDocument.sectionName(0)]?.settingKeys.count ?? 0
                    }
                ] + (try ParseAndRead.sides(data, in: plain)))
            return [
                ParseAndRead.row(name, work, samples)
            ]
        }
    }
}
