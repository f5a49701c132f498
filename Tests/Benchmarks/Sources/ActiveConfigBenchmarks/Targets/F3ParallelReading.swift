import ActiveConfig
import Measuring

/// F3: reading on two threads at once.
enum F3ParallelReading: BenchmarkTarget {
    static let name = "F3"
    static let work = "read from 2 threads"

    static func rows(_ setup: BenchmarkSetup) async throws -> [Row] {
        let settings = LiteralSettings.booleans
        let config = try settings.activeConfig()
        let keys = settings.settingKeys(default: false)
        let byName: @Sendable () -> Int = {
            var count = 0
            for (section, key) in settings.names
            where config[section]?.bool(forKey: key) == true {
                count += 1
            }
            return count
        }
        let byKey: @Sendable () -> Int = { config.count(keys) }
        let computing: @Sendable () -> Int = {
            var number: UInt64 = 1
            for _ in 0..<10_000 { number = number &* 6_364_136_223_846_793_005 &+ 1 }
            return Int(truncatingIfNeeded: number)
        }
        func side(_ threads: Int, runs: Int, _ work: @escaping @Sendable () -> Int) -> Side {
            .parallel("\(threads)", threads: threads, runs: runs, batch: keys.count, work)
        }
        let samples = try await setup.rounds.measure([
            side(1, runs: 250, byName), side(2, runs: 250, byName),
            side(1, runs: 5_000, byKey), side(2, runs: 5_000, byKey),
            side(1, runs: 1_000, computing), side(2, runs: 1_000, computing),
        ])
        return [
            Row(
                name, #"\#(work), config["Section"]?.bool(forKey: "key")"#, ours: samples[1],
                against: "1 thread", samples[0], wanted: .timesFaster(1.8)),
            Row(
                name, "\(work), config[.key]", ours: samples[3], against: "1 thread", samples[2],
                wanted: .timesFaster(1.8)),
            Row(
                name, "numbers only, which is what the processors can reach", ours: samples[5],
                against: "1 thread", samples[4], wanted: .nothing),
        ]
    }
}
