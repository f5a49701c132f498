import ActiveConfigTesting
import Foundation
import Synchronization
import Testing

@testable import ActiveConfig

/// All kinds of reads, mixed, observe one order of configurations.
///
/// One task activates configurations, each with the next number in all its settings and the name of
/// its user. A read is correct if it returns a number that was active at some moment during the
/// read, and none lower than the result of any read that ended before it began.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct LinearizabilityTests {
    /// The way in which the configurations are activated.
    enum Means: CaseIterable {
        case downloadsAndUsers, defaults, overrides
    }

    private struct Stamp: SettingsSection {
        static let sectionName = "Stamp"
        var integer = -1
        var owner = "nobody"
    }

    private static let integer = SettingKey("Stamp", "integer", default: -1)
    private static let double = SettingKey("Stamp", "double", default: -1.0)
    private static let text = SettingKey("Stamp", "text", default: "nobody -1")
    private static let list = SettingKey("Stamp", "list", default: [-1])

    /// Configurations by number, each for the same user as the previous one or for the other user.
    private struct Plan {
        let users: [String]

        init(count: Int, _ generator: inout SeededGenerator) {
            var users = ["A"]
            for _ in 1...count {
                users.append(
                    Bool.random(using: &generator)
                        ? users.last ?? "" : users.last == "A" ? "B" : "A")
            }
            self.users = users
        }

        func settings(_ number: Int) -> [String: SettingValue] {
            [
                "integer": .integer(number), "double": .double(Double(number)),
                "text": .string("\(users[number]) \(number)"), "list": [.integer(number)],
                "owner": .string(users[number]),
            ]
        }

        func configuration(_ number: Int) -> ConfigurationState {
            .make(
                meta: ["number": .integer(number)],
                sections: ["Stamp": ActiveConfigSection(settings: settings(number))])
        }

        /// The number, or nil unless it and the owner belong to the same configuration.
        func number(_ number: Int?, ifOf owner: String?) -> Int? {
            guard let number, users.indices.contains(number) else { return nil }
            return users[number] == owner ? number : nil
        }
    }

    /// A kind of read, which returns the number, or nil when its parts belong to different
    /// configurations.
    private typealias Kind = @Sendable (ActiveConfig, Plan) -> Int?

    /// Kinds that read a single setting.
    private static let simpleKinds: [Kind] = [
        { config, _ in config[integer] },
        { config, _ in config["Stamp"]?.integer(forKey: "integer") },
        { config, _ in config[integer] },
        { config, _ in config.diagnostics.explain(integer).value?.integerValue },
    ]

    private static let allKinds: [Kind] =
        simpleKinds + [
            { config, _ in Int(config[double]) },
            { config, plan in
                let parts = config[text].split(separator: " ")
                return plan.number(Int(parts[1]), ifOf: String(parts[0]))
            },
            { config, _ in config[list][0] },
            { config, plan in
                let section = config["Stamp"]
                return plan.number(
                    section?.integer(forKey: "integer"), ifOf: section?.string(forKey: "owner"))
            },
            { config, plan in
                let stamp = config.section(Stamp.self)
                return plan.number(stamp.integer, ifOf: stamp.owner)
            },
        ]

    /// The range of numbers that may be active.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    private final class History: Sendable {
        /// Number of the configuration that is active or is being activated.
        let begun = Atomic<Int>(0)
        /// Number of the last configuration whose activation has ended.
        let done = Atomic<Int>(0)
        /// Greatest number that a finished read has returned.
        let seen = Atomic<Int>(0)

        /// Reads once.
        ///
        /// - Returns: A description of a wrong result, or nil.
        func fault(in read: () -> Int?) -> String? {
            let least = max(
                done.load(ordering: .sequentiallyConsistent),
                seen.load(ordering: .sequentiallyConsistent))
            let number = read()
            let most = begun.load(ordering: .sequentiallyConsistent)
            guard let number else { return "a mix" }
            seen.max(number, ordering: .sequentiallyConsistent)
            return least <= number && number <= most ? nil : "\(number), not \(least)...\(most)"
        }
    }

    /// Number of a thread's reads; relaxed, because ordered counts would hide races.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    private final class ReadCount: Sendable {
        let value = Atomic<Int>(0)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(arguments: Means.allCases)
    func everyReadSeesTheOneOrderOfConfigurations(means: Means) async throws {
        var generator = SeededGenerator.printingItsSeed()
        let plan = Plan(count: Sanitizer.isOn ? 100 : Rounds.count(200, nightly: 500), &generator)
        let next = Locked(0)
        let store = InMemoryStore()
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { _ in .configuration(plan.configuration(next.withLock { $0 })) },
            store: store, overrides: .settable)
        let config = fixture.config
        switch means {
        case .downloadsAndUsers:
            store.persistConfiguration(plan.configuration(0), forUserID: "A")
            config.currentUserID = "A"
        case .defaults: config.setDefaults(plan.configuration(0).sections)
        case .overrides: config.overrides.set(0, for: SettingPath("Stamp", "integer"))
        }

        let history = History()
        let isOver = Atomic<Bool>(false)
        let seeds = (0..<8).map { _ in generator.next() }
        let reads = seeds.map { _ in ReadCount() }
        let readers = Task {
            try await Threads.run(8) { thread -> String? in
                var generator = SeededGenerator(seed: seeds[thread])
                // Half of the threads read only from the cache and the table beside it.
                let kinds =
                    means == .overrides || thread.isMultiple(of: 2)
                    ? Self.simpleKinds : Self.allKinds
                repeat {
                    let number = Int(generator.next() % UInt64(kinds.count))
                    let fault = history.fault { kinds[number](config, plan) }
                    reads[thread].value.add(1, ordering: .relaxed)
                    if let fault {
                        isOver.store(true, ordering: .relaxed)
                        return "kind \(number) gave \(fault)"
                    }
                } while !isOver.load(ordering: .relaxed)
                return nil
            }
        }
        for number in plan.users.indices.dropFirst() {
            // On a busy machine, all configurations could be over before some threads read at all.
            // deadline: the readers end this
            while reads.contains(where: { $0.value.load(ordering: .relaxed) < 2 * number }),
                !isOver.load(ordering: .relaxed)
            { await Task.yield() }
            let user = plan.users[number]
            history.begun.store(number, ordering: .sequentiallyConsistent)
            switch means {
            case .downloadsAndUsers where user == plan.users[number - 1]:
                next.withLock { $0 = number }
                try await config.downloadNewConfig()
            case .downloadsAndUsers:
                store.persistConfiguration(plan.configuration(number), forUserID: user)
                config.currentUserID = user
            case .defaults:
                // Documents without the settings come and go above the defaults.
                if user != plan.users[number - 1] { config.currentUserID = user }
                config.setDefaults(plan.configuration(number).sections)
            case .overrides:
                config.overrides.set(.integer(number), for: SettingPath("Stamp", "integer"))
            }
            history.done.store(number, ordering: .sequentiallyConsistent)
        }
        isOver.store(true, ordering: .relaxed)
        let faults = try await readers.value
        #expect(faults.compactMap { $0 } == [])
        // Too few reads would not detect a fault.
        #expect(reads.allSatisfy { $0.value.load(ordering: .relaxed) > 100 })
        #expect(config[Self.integer] == plan.users.count - 1)
    }
}
