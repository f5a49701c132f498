import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Random histories of several users across launches, compared with a model of the documented
/// rules.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UsersModelTests {
    private static let users: [String?] = ["a", "b", nil]

    /// A document whose sections contain its version.
    private static func document(_ version: Int) -> ConfigurationState {
        .make(
            meta: ["template_version": .integer(version)],
            sections: ["Home": ["n": .integer(version)], "Kill": ["n": .integer(version)]],
            entityTag: "\"\(version)\"")
    }

    /// The values that a user reads.
    private struct Active: Equatable {
        var home: Int?
        var kill: Int?

        init(_ own: Int? = nil) { (home, kill) = (own, own) }

        init(_ section: (String) -> ActiveConfigSection?) {
            home = section("Home")?.integer(forKey: "n")
            kill = section("Kill")?.integer(forKey: "n")
        }
    }

    /// The rules: each user has an own document and a pending one, whose section Kill is active at
    /// once.
    private struct Model {
        var own: [UserID: Int] = [:]
        var waiting: [UserID: Int] = [:]
        let bootstrap: Int?
        let policy: ActivationPolicy

        func active(_ user: String?) -> Active {
            let id = UserID(user)
            var active =
                own[id].map { Active($0) } ?? (user == nil ? Active(bootstrap) : active(nil))
            if let waiting = waiting[id] { active.kill = waiting }
            return active
        }

        mutating func receive(_ version: Int, _ user: String?) {
            if policy.isImmediate {
                own[UserID(user)] = version
            } else {
                waiting[UserID(user)] = version
            }
        }

        mutating func activate(_ user: String?) {
            if let version = waiting.removeValue(forKey: UserID(user)) {
                own[UserID(user)] = version
            }
        }

        mutating func forget(_ user: String?) {
            own[UserID(user)] = nil
            waiting[UserID(user)] = nil
        }
    }

    private static func launch(
        _ store: InMemoryStore, _ policy: ActivationPolicy, _ version: Locked<Int>
    ) -> ActiveConfig {
        var options = ActiveConfigOptions()
        options.activationPolicy = policy
        options.userCacheLimits = UserCacheLimits(maximumCount: 1)
        return .make(
            downloader: ScriptedDownloader { _ in
                .configuration(document(version.withLock { $0 }))
            }, store: store, options: options)
    }

    @Test(arguments: [ActivationPolicy.immediate, .manual(except: ["Kill"])], 0..<8)
    func usersReadWhatTheRulesSay(policy: ActivationPolicy, seed: UInt64) async throws {
        for history in Rounds.numbers(40, nightly: 5_000) {
            var random = SeededGenerator(seed: seed * 10_000 + UInt64(history))
            let bootstrap = Bool.random(using: &random) ? 1 : nil
            let store = InMemoryStore(bootstrap: bootstrap.map { .state(Self.document($0)) })
            var model = Model(bootstrap: bootstrap, policy: policy)
            let version = Locked(10)
            var config = Self.launch(store, policy, version)
            var current: String?
            var steps: [String] = []
            for _ in 0..<15 {
                let user = Self.users.randomElement(using: &random) ?? nil
                let handle = config.configuration(forUserID: user)
                switch Int.random(in: 0..<7, using: &random) {
                case 0:
                    let new = version.withLock { version -> Int in
                        version += 1
                        return version
                    }
                    steps.append("download \(user ?? "-") \(new)")
                    try await handle.download()
                    model.receive(new, user)
                case 1:
                    let new = version.withLock { version -> Int in
                        version += 1
                        return version
                    }
                    steps.append("push \(user ?? "-") \(new)")
                    _ = await config.downloads.push(to: UserID(user)) { _ in
                        .apply(Self.document(new))
                    }
                    model.receive(new, user)
                case 2:
                    steps.append("activate \(user ?? "-")")
                    await handle.activate()
                    model.activate(user)
                case 3:
                    steps.append("switch \(user ?? "-")")
                    config.currentUserID = user
                    current = user
                case 4:
                    steps.append("forget \(user ?? "-")")
                    try config.users.forget(UserID(user))
                    model.forget(user)
                case 5:
                    steps.append("reload")
                    await config.reload()
                default:
                    steps.append("launch")
                    config = Self.launch(store, policy, version)
                    current = nil
                }
                let comment = Comment(rawValue: "\(seed) \(history) \(steps)")
                #expect(
                    Active { config[$0] } == model.active(current), comment)
                for user in Self.users {
                    let handle = config.configuration(forUserID: user)
                    #expect(Active { handle[$0] } == model.active(user), comment)
                }
            }
        }
    }
}
