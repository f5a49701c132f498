import ActiveConfig
import AllocationCount
import Configuration
import Measuring

/// F2: reading one setting by a typed key.
enum F2TypedReading: BenchmarkTarget {
    static let name = "F2"
    static let work = "config[.key]"

    static func rows(_ setup: BenchmarkSetup) async throws -> [Row] {
        let booleans = try LiteralSettings.booleans.activeConfig()
        let integers = try LiteralSettings.integers.activeConfig()
        let samples = try await setup.rounds.measure([
            try booleans.readingBooleans(), try prebuiltBooleanKey(),
            try integers.readingIntegers(), try prebuiltIntegerKey(),
            try LiteralSettings.texts.activeConfig().readingTexts(), try prebuiltTextKey(),
            try integers.readingOptionals(), try booleans.readingInGenericCode(),
        ])
        let peer = "swift-configuration, prebuilt key"
        return [
            Row(
                name, "\(work), Bool", ours: samples[0], against: peer, samples[1],
                wanted: .timesFaster(100)),
            Row(
                name, "\(work), Int", ours: samples[2], against: peer, samples[3],
                wanted: .timesFaster(100)),
            Row(
                name, "\(work), String", ours: samples[4], against: peer, samples[5],
                wanted: .nothing),
            Row(
                name, "\(work), Int?, as any other type", ours: samples[6], against: peer,
                samples[3], wanted: .nothing),
            Row(
                name, "\(work), Bool, in generic code", ours: samples[7], against: peer, samples[1],
                wanted: .nothing),
        ] + (try allocationRow(booleans, integers).map { [$0] } ?? [])
    }

    private static func prebuiltBooleanKey() throws -> Side {
        let reader = LiteralSettings.booleans.configReader()
        let keys = LiteralSettings.booleans.configKeys()
        return try Side.repeating("prebuilt key", batch: keys.count) {
            var count = 0
            for key in keys where reader.bool(forKey: key) == true { count += 1 }
            return count
        }
    }

    private static func prebuiltIntegerKey() throws -> Side {
        let reader = LiteralSettings.integers.configReader()
        let keys = LiteralSettings.integers.configKeys()
        return try Side.repeating("prebuilt key", batch: keys.count) {
            var sum = 0
            for key in keys { sum &+= reader.int(forKey: key) ?? -1 }
            return sum
        }
    }

    private static func prebuiltTextKey() throws -> Side {
        let reader = LiteralSettings.texts.configReader()
        let keys = LiteralSettings.texts.configKeys()
        return try Side.repeating("prebuilt key", batch: keys.count) {
            var length = 0
            for key in keys { length &+= reader.string(forKey: key)?.utf8.count ?? -1 }
            return length
        }
    }

    /// The counter does not count.
    private struct NothingCounted: Error {}

    /// Row that counts allocations; nil where they cannot be counted.
    private static func allocationRow(
        _ booleans: ActiveConfig, _ integers: ActiveConfig
    ) throws -> Row? {
        let unread = try LiteralSettings.booleans.activeConfig()
        let keys = LiteralSettings.booleans.settingKeys(default: false)
        let integerKeys = LiteralSettings.integers.settingKeys(default: -1)
        let start = allocation_count()
        if start < 0 { return nil }
        // First reads fill the cache, which shows that allocations are counted.
        _ = unread.count(keys)
        let first = allocation_count()
        if first == start { throw NothingCounted() }
        var sum = 0
        for _ in 0..<1_000 { sum &+= booleans.count(keys) &+ integers.sum(integerKeys) }
        let found = allocation_count() - first
        return Row(
            fact: name, "allocations of 2,000,000 reads", found: "\(found)", wanted: "0",
            isMet: found == 0 && sum != 0)
    }
}

extension ActiveConfig {
    func readingBooleans() throws -> Side {
        let keys = LiteralSettings.booleans.settingKeys(default: false)
        return try Side.repeating("ActiveConfig", batch: keys.count) { [self] in count(keys) }
    }

    fileprivate func readingIntegers() throws -> Side {
        let keys = LiteralSettings.integers.settingKeys(default: -1)
        return try Side.repeating("ActiveConfig", batch: keys.count) { [self] in sum(keys) }
    }

    fileprivate func readingOptionals() throws -> Side {
        let keys = LiteralSettings.integers.settingKeys(default: -1 as Int?)
        return try Side.repeating("ActiveConfig", batch: keys.count) { [self] in
            var sum = 0
            for key in keys { sum &+= self[key] ?? -1 }
            return sum
        }
    }

    fileprivate func readingInGenericCode() throws -> Side {
        let keys = LiteralSettings.booleans.settingKeys(default: false)
        return try Side.repeating("ActiveConfig", batch: keys.count) { [self] in
            var count = 0
            for key in keys where Self.value(of: key, in: self) { count += 1 }
            return count
        }
    }

    @inline(never)
    private static func value<Value>(
        of key: SettingKey<Value>, in settings: some SettingsReading
    ) -> Value { settings[key] }

    fileprivate func readingTexts() throws -> Side {
        let keys = LiteralSettings.texts.settingKeys(default: "")
        return try Side.repeating("ActiveConfig", batch: keys.count) { [self] in
            var length = 0
            for key in keys { length &+= self[key].utf8.count }
            return length
        }
    }

    /// Number of settings whose value is true.
    func count(_ keys: [SettingKey<Bool>]) -> Int {
        var count = 0
        for key in keys where self[key] { count += 1 }
        return count
    }

    fileprivate func sum(_ keys: [SettingKey<Int>]) -> Int {
        var sum = 0
        for key in keys { sum &+= self[key] }
        return sum
    }
}
