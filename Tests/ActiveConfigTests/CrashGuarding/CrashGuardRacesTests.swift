import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigTrust

/// The crash guard watches the active document, whichever transitions overlap.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct CrashGuardRacesTests {
    private let crashGuard = CrashGuard()

    private func launch(
        _ store: any ActiveConfigStore, _ activation: ActivationPolicy = .immediate
    ) -> ActiveConfig {
        var options = ActiveConfigOptions()
        options.vetting = [crashGuard]
        options.activationPolicy = activation
        return CoordinatorFixture.make(store: store, options: options).config
    }

    private var watched: LaunchRecord.Document? { crashGuard.state.withLock { $0.document } }

    private static func switchUser(to userID: String, in config: ActiveConfig) async {
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                config.currentUserID = userID
                done.resume()
            }
        }
    }

    @Test func aPushToTheFormerUserLeavesTheGuardWithTheNewOne() async throws {
        let store = SteppedStore()
        for userID in ["a", "b"] {
            store.base.persistConfiguration(GuardedLaunch.document(1), forUserID: userID)
        }
        let config = launch(store)
        config.currentUserID = "a"
        let isStored = DispatchSemaphore(value: 0)
        let push = Locked<Task<Void, Never>?>(nil)
        store.beforeNextUpdate(of: "crash-guard") {
            // The guard records the document of b while a is still the current user.
            store.afterNextPersist(of: "a") { isStored.signal() }
            let task = Task {
                _ = await config.downloads.push(to: UserID("a")) { _ in
                    .apply(GuardedLaunch.document(2))
                }
            }
            push.withLock { $0 = task }
            isStored.wait()
            // The push continues until it reaches the guard, which is busy.
            for _ in 0..<10_000 { sched_yield() }
        }
        await Self.switchUser(to: "b", in: config)
        await push.withLock { $0 }?.value
        crashGuard.drain()
        #expect(watched?.userID == "b")
        let record = try JSONDecoder().decode(
            LaunchRecord.self, from: #require(store.base.clientState(named: "crash-guard")))
        #expect(record.sessions.map(\.document.userID) == ["b"])
        crashGuard.willTerminate()
    }

    @Test func pushesAndSwitchesAtOnceEndWithTheActiveDocument() async {
        let store = InMemoryStore()
        for userID in ["a", "b"] {
            store.persistConfiguration(GuardedLaunch.document(1), forUserID: userID)
        }
        let config = launch(store)
        config.currentUserID = "a"
        var wrong = 0
        for round in Rounds.numbers(200, nightly: 2_000) {
            let userID = round.isMultiple(of: 2) ? "b" : "a"
            await withTaskGroup { group in
                for pushed in ["a", "b"] {
                    group.addTask {
                        _ = await config.downloads.push(to: UserID(pushed)) { _ in
                            .apply(GuardedLaunch.document(round + 2))
                        }
                    }
                }
                config.currentUserID = userID
            }
            if watched?.userID != userID || watched?.version != round + 2 { wrong += 1 }
        }
        #expect(wrong == 0)
        crashGuard.willTerminate()
    }

    /// Random histories of one process, with a bootstrap, which the guard does not watch.
    @Test(arguments: [ActivationPolicy.immediate, .manual(except: ["Home"]), .nextLaunch])
    func theGuardWatchesTheActiveDocumentAfterEachStep(policy: ActivationPolicy) async throws {
        let users: [String?] = [nil, "a", "b"]
        for seed in Rounds.numbers(20, nightly: 2_000).map(UInt64.init) {
            var random = SeededGenerator(seed: seed)
            let races = CrashGuardRacesTests()
            let store = InMemoryStore(bootstrap: .state(GuardedLaunch.document(0)))
            let config = races.launch(store, policy)
            var steps: [String] = []
            for version in 1...12 {
                let userID = users.randomElement(using: &random) ?? nil
                let step = Int.random(in: 0..<5, using: &random)
                steps.append("\(step) \(userID ?? "generic") \(version)")
                switch step {
                case 0:
                    _ = await config.downloads.push(to: UserID(userID)) { _ in
                        .apply(GuardedLaunch.document(version))
                    }
                case 1: await config.configuration(forUserID: userID).activate()
                case 2: config.currentUserID = userID
                case 3: try config.users.forget(UserID(userID))
                default:
                    store.persistConfiguration(
                        GuardedLaunch.document(version), forUserID: userID)
                    await config.reload()
                }
                let known = config.loadedSnapshot().known
                let comment = Comment(rawValue: "\(seed) \(steps)")
                let isFallback = [.bootstrap, .absent].contains(known.source)
                #expect((races.watched == nil) == isFallback, comment)
                guard let watched = races.watched else { continue }
                #expect(watched.version == known.configuration.templateVersion, comment)
                let owner = known.source == .genericUser ? nil : config.currentUserID
                #expect(watched.userID == owner, comment)
            }
            races.crashGuard.willTerminate()
        }
    }
}
