import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Random histories of several users across launches that are killed at any step of a store, whose
/// store fails, and whose files are damaged, compared with a model of the documented rules.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UsersFaultsModelTests {
    private static let users: [String?] = ["a", "b", nil]
    private static let folder = URL(filePath: "/app/store")

    /// The versions of the own document and of the pending one.
    private struct Documents: Hashable {
        var own: Int?
        var waiting: Int?

        var newest: Int? { waiting ?? own }
        /// The pending document equals the own one, and has not been removed yet.
        var settled: Documents { waiting == own ? Documents(own: own) : self }

        mutating func receive(_ version: Int, _ policy: ActivationPolicy) {
            if policy.isImmediate { self = Documents(own: version) } else { waiting = version }
        }

        mutating func activate() { self = Documents(own: newest) }
    }

    /// Each section contains the document's owner and version.
    private static func document(_ version: Int, of userID: String?) -> ConfigurationState {
        let section: ActiveConfigSection = [
            "user": .string(userID ?? "generic"), "version": .integer(version),
        ]
        return .make(
            meta: ["template_version": .integer(version)],
            sections: ["Home": section, "Kill": section], entityTag: "\"\(version)\"")
    }

    /// A launch of the app: handles of all users, and the server.
    private struct Launch {
        let config: ActiveConfig
        let handles: [UserConfiguration]

        init(
            _ system: ModelFileSystem, _ policy: ActivationPolicy, _ server: Locked<[Int]>
        ) {
            var options = ActiveConfigOptions()
            options.activationPolicy = policy
            let downloader = ScriptedDownloader { request in
                let index = users.firstIndex(of: request.userID) ?? 0
                let document = document(server.withLock { $0[index] }, of: request.userID)
                return request.lastKnown?.entityTag == document.entityTag
                    ? .unchanged : .configuration(document)
            }
            config = .make(
                downloader: downloader,
                store: FileDefaultsStore(directory: folder, log: .disabled, system: system),
                options: options)
            handles = users.map { [config] in config.configuration(forUserID: $0) }
        }

        /// The documents from which a user's sections come.
        func documents(_ index: Int) -> Documents {
            func version(_ section: ActiveConfigSection?) -> Int? {
                let isOwn = section?.string(forKey: "user") == users[index] ?? "generic"
                return isOwn ? section?.integer(forKey: "version") : nil
            }
            let handle = handles[index]
            let own = version(handle["Home"])
            let kill = version(handle["Kill"])
            return Documents(own: own, waiting: kill == own ? nil : kill)
        }

        /// Everything that a user reads, as text.
        func reading(_ section: (String) -> ActiveConfigSection?) -> [String] {
            ["Home", "Kill"].map { name in
                section(name).map { "\($0["user"] ?? .null) \($0["version"] ?? .null)" } ?? "-"
            }
        }
    }

    private static func run(
        _ step: Int, _ index: Int, _ launch: Launch, _ server: Locked<[Int]>, _ version: inout Int,
        _ documents: inout Documents, _ policy: ActivationPolicy
    ) async throws {
        let handle = launch.handles[index]
        switch step {
        case 0:
            if version.isMultiple(of: 3) {
                version += 1
                server.withLock { [version] in $0[index] = version }
            }
            let newest = server.withLock { $0[index] }
            if documents.newest != newest { documents.receive(newest, policy) }
            try await handle.download()
        case 1:
            version += 1
            let new = version
            server.withLock { $0[index] = new }
            documents.receive(new, policy)
            _ = await launch.config.downloads.push(to: UserID(users[index])) { _ in
                .apply(document(new, of: users[index]))
            }
        case 2:
            documents.activate()
            await handle.activate()
        case 3:
            launch.config.currentUserID = users[index]
        case 4:
            documents = Documents()
            try launch.config.users.forget(UserID(users[index]))
        default:
            await launch.config.reload()
        }
    }

    @Test(arguments: [ActivationPolicy.immediate, .manual(except: ["Kill"])], 0..<4)
    func usersReadTheDocumentsOfTheRulesWhateverFails(
        policy: ActivationPolicy, seed: UInt64
    ) async throws {
        for history in Rounds.numbers(40, nightly: 12_500) {
            var random = SeededGenerator(seed: seed * 100_000 + UInt64(history))
            var system = ModelFileSystem()
            let server = Locked([1, 2, 3])
            var version = 3
            var launch = Launch(system, policy, server)
            // The documents by the rules, and the documents that a launch may find instead.
            var known = [Documents](repeating: Documents(), count: 3)
            var possible = known.map { Set([$0]) }
            // After a store has failed, any document since then may be missing.
            var lacks = false
            // The versions that have been pending.
            var waited = [Set<Int>](repeating: [], count: 3)
            func isPossible(_ found: Documents, _ index: Int) -> Bool {
                possible[index].map(\.settled).contains(found)
                    || lacks && possible[index].contains { $0.own == found.own }
                        && possible[index].contains {
                            $0.waiting == found.waiting || found.waiting == nil
                        }
            }
            var steps: [String] = []
            for _ in 0..<14 {
                let index = Int.random(in: 0..<3, using: &random)
                let step = Int.random(in: 0..<6, using: &random)
                let fault = Int.random(in: 0..<9, using: &random)
                steps.append("\(step) of \(Self.users[index] ?? "-") fault \(fault)")
                let call = system.calls.count + Int.random(in: 0..<25, using: &random)
                if fault == 0 { system.state.withLock { $0.faults.ending = call } }
                if fault == 1 { system.state.withLock { $0.faults.failing = call } }
                let before = known[index]
                if let waiting = before.waiting { waited[index].insert(waiting) }
                do {
                    try await Self.run(
                        step, index, launch, server, &version, &known[index], policy)
                } catch {
                    // A step throws only if the store fails.
                    #expect(fault < 2, "\(seed) \(history) \(steps) \(error)")
                }
                let isDead = fault == 0 && system.calls.count > call
                let hasFailed = fault == 1 && system.calls.count > call
                if !isDead { system.state.withLock { $0.faults = ModelFileSystem.Faults() } }
                if isDead || hasFailed {
                    possible[index].formUnion([before, known[index]])
                    // The pending document is removed first.
                    if step == 4 { possible[index].insert(Documents(own: before.own)) }
                } else if lacks {
                    possible[index].insert(known[index])
                } else {
                    possible[index] = [known[index]]
                }
                let comment = Comment(rawValue: "\(seed) \(history) \(steps)")
                if fault == 3, let path = system.filePaths.randomElement(using: &random) {
                    // An earlier version of the documents in that file may be left.
                    system = system.reopened()
                    system.damage(path)
                    launch = Launch(system, policy, server)
                    lacks = false
                    known = (0..<3).map { launch.documents($0) }
                    possible = known.map { [$0] }
                    for found in known { #expect((found.newest ?? 0) <= version, comment) }
                } else if isDead || fault == 2 {
                    system = system.reopened()
                    launch = Launch(system, policy, server)
                    for index in 0..<3 {
                        let found = launch.documents(index)
                        #expect(isPossible(found, index), comment)
                        (known[index], possible[index]) = (found, [found])
                    }
                    lacks = false
                } else if hasFailed {
                    // If reading has also failed, nothing is activated or forgotten.
                    known[index] = launch.documents(index)
                    lacks = true
                    let own = known[index].own ?? 0
                    if step == 2, !isPossible(known[index], index), waited[index].contains(own) {
                        // The newest pending document could not be read, but the one before it.
                        system = system.reopened()
                        launch = Launch(system, policy, server)
                        known = (0..<3).map { launch.documents($0) }
                        for other in 0..<3 where other != index {
                            #expect(isPossible(known[other], other), comment)
                        }
                        #expect(known[index].own == own, comment)
                        possible = known.map { [$0] }
                        lacks = false
                    }
                    #expect(isPossible(known[index], index), comment)
                }
                for index in 0..<3 {
                    #expect(launch.documents(index) == known[index].settled, comment)
                }
                let current = launch.config.currentUserID
                let handle = launch.config.configuration(forUserID: current)
                let (front, back) = (
                    launch.reading { launch.config[$0] }, launch.reading { handle[$0] }
                )
                #expect(front == back, comment)
                // Users without their own document read the generic user's.
                for index in 0..<2 where known[index] == Documents() {
                    let user = launch.handles[index]
                    let generic = launch.handles[2]
                    #expect(
                        launch.reading { user[$0] } == launch.reading { generic[$0] }, comment)
                }
            }
        }
    }
}

extension ModelFileSystem {
    /// The paths of all files, sorted.
    fileprivate var filePaths: [String] {
        state.withLock { state in
            state.folders.flatMap { path, folder in
                folder.nodes.compactMap { name, node in
                    node == .folder ? nil : "\(path)/\(name)"
                }
            }
        }.sorted()
    }
}
