import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigTrust

/// Activation policies, signatures, pushes and user handles combined, across launches.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct InterplayTests {
    /// The way in which version 2 arrives.
    enum Arrival: CaseIterable {
        case download, push, handle
    }

    struct Policy: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let policy: ActivationPolicy
        /// The active versions of `Home` and `Kill` after version 2 has arrived, and in the next
        /// launch.
        let arrived: [Int]
        let relaunched: [Int]
    }

    static let policies = [
        Policy(
            testDescription: "immediate", policy: .immediate, arrived: [2, 2], relaunched: [2, 2]),
        Policy(testDescription: "manual", policy: .manual, arrived: [1, 1], relaunched: [1, 1]),
        Policy(
            testDescription: "next launch", policy: .nextLaunch, arrived: [1, 1],
            relaunched: [2, 2]),
        Policy(
            testDescription: "manual, except for a section", policy: .manual(except: ["Kill"]),
            arrived: [1, 2], relaunched: [1, 2]),
        Policy(
            testDescription: "next launch, except for a section",
            policy: .nextLaunch(except: ["Kill"]), arrived: [1, 2], relaunched: [2, 2]),
    ]

    private static func body(_ version: Int) -> Data {
        let settings = #"{"settings": {"version": {"value": \#(version)}}}"#
        return Data(
            """
            {"meta": {"template_version": \(version)},
             "config_sections": {"Home": \(settings), "Kill": \(settings)}}
            """.utf8)
    }

    private static func document(
        _ version: Int, isSigned: Bool, userID: String = "1"
    ) throws -> ConfigurationState {
        var state = try ConfigurationState(jsonData: body(version))
        state.entityTag = "\"\(version)\""
        let field = SigningServer.field(body(version), version: version, user: "user:\(userID)")
        if isSigned {
            state.original = OriginalDocument(
                body: body(version), signature: field, entityTag: state.entityTag)
        }
        return state
    }

    private let folder = TemporaryFolder()

    private var store: FileDefaultsStore { FileDefaultsStore(directory: folder.url) }

    /// Starts the app against a server that has a version for its users.
    private func launch(
        _ policy: ActivationPolicy, isSigned: Bool, version: Int = 2, userID: String = "1"
    ) -> ActiveConfig {
        var options = ActiveConfigOptions()
        options.activationPolicy = policy
        if isSigned { options.vetting.append(SignatureVetting(verifier: SigningServer())) }
        let downloader = ScriptedDownloader { request in
            guard
                let document = try? Self.document(
                    version, isSigned: isSigned, userID: request.userID ?? "")
            else { return .unchanged }
            return .configuration(document)
        }
        let config = CoordinatorFixture.make(
            downloader, store: store, now: { SigningServer.now }, options: options
        ).config
        config.currentUserID = userID
        return config
    }

    private func versions(_ read: (String) -> ActiveConfigSection?) -> [Int] {
        ["Home", "Kill"].map { read($0)?.integer(forKey: "version") ?? 0 }
    }

    @Test(arguments: policies, Arrival.allCases)
    func thePolicyDecidesWhichDocumentIsActive(policy: Policy, arrival: Arrival) async throws {
        for isSigned in [false, true] {
            try store.persistConfiguration(nil, forUserID: "1")
            let first = launch(policy.policy, isSigned: isSigned, version: 1)
            try await first.downloadNewConfig()
            _ = await first.activate()
            #expect(versions { first[$0] } == [1, 1])

            let second = launch(
                policy.policy, isSigned: isSigned, userID: arrival == .handle ? "2" : "1")
            let handle = second.configuration(forUserID: "1")
            #expect(versions { handle[$0] } == [1, 1])
            var isTaken = true
            switch arrival {
            case .download: try await second.downloadNewConfig()
            case .handle: try await handle.download()
            case .push:
                let pushed = try Self.document(2, isSigned: false)
                let outcome = await second.downloads.push(to: UserID("1")) { _ in .apply(pushed) }
                // A pushed document has no signature and must be fetched.
                if case .needsFetch = outcome { isTaken = false }
                #expect(isTaken == !isSigned)
            }
            #expect(versions { handle[$0] } == (isTaken ? policy.arrived : [1, 1]))
            if arrival != .handle {
                #expect(versions { second[$0] } == (isTaken ? policy.arrived : [1, 1]))
            }

            let third = launch(policy.policy, isSigned: isSigned)
            #expect(versions { third[$0] } == (isTaken ? policy.relaunched : [1, 1]))
            let user = third.configuration(forUserID: "1")
            #expect(versions { user[$0] } == (isTaken ? policy.relaunched : [1, 1]))
            _ = await third.activate()
            #expect(versions { third[$0] } == (isTaken ? [2, 2] : [1, 1]))
            #expect(versions { user[$0] } == (isTaken ? [2, 2] : [1, 1]))

            let fourth = launch(policy.policy, isSigned: isSigned)
            #expect(versions { fourth[$0] } == (isTaken ? [2, 2] : [1, 1]))
            #expect(fourth.snapshot.pending?.document == nil)
            try await fourth.forgetUser("1")
        }
    }

    /// As written by an attacker with access to the device's files.
    @Test(arguments: policies)
    func anUnsignedPendingDocumentNeverBecomesActive(policy: Policy) async throws {
        let first = launch(policy.policy, isSigned: true, version: 1)
        try await first.downloadNewConfig()
        _ = await first.activate()
        try store.persistPendingConfiguration(
            try Self.document(2, isSigned: false), forUserID: "1")
        let second = launch(policy.policy, isSigned: true, version: 1)
        #expect(versions { second[$0] } == [1, 1])
        let handle = second.configuration(forUserID: "1")
        #expect(versions { handle[$0] } == [1, 1])
        _ = await second.activate()
        #expect(versions { second[$0] } == [1, 1])
        // It does not block a signed document either.
        let third = launch(policy.policy, isSigned: true, version: 3)
        try await third.downloadNewConfig()
        _ = await third.activate()
        #expect(versions { third[$0] } == [3, 3])
        let fourth = launch(policy.policy, isSigned: true, version: 3)
        #expect(versions { fourth[$0] } == [3, 3])
    }

    /// The app crashes with a document that was pending, before or after that document is stored as
    /// active.
    @Test(arguments: [ActivationPolicy.nextLaunch, .manual], [false, true])
    func aPendingDocumentThatCrashesTheAppIsRolledBack(
        policy: ActivationPolicy, isActive: Bool
    ) async throws {
        var system = ModelFileSystem()
        func launch(_ downloader: ScriptedDownloader = ScriptedDownloader()) -> GuardedLaunch {
            // A launch that has crashed writes nothing more.
            system = system.reopened()
            return GuardedLaunch(system, downloader: downloader, activation: policy)
        }
        for version in 1...2 {
            let one = launch(
                ScriptedDownloader(.configuration(GuardedLaunch.document(version))))
            try await one.config.downloadNewConfig()
            if version == 1 { _ = await one.config.activate() }
            #expect(one.version == 1)
            one.live()
        }
        for _ in 0..<3 {
            let dying = launch()
            if policy == .manual || isActive { _ = await dying.config.activate() }
            #expect(dying.version == 2)
        }
        for _ in 0..<3 {
            let saved = launch()
            #expect(saved.version == 1)
            _ = await saved.config.activate()
            #expect(saved.version == 1)
            saved.live()
        }
        // The next version is accepted.
        let next = launch(ScriptedDownloader(.configuration(GuardedLaunch.document(3))))
        try await next.config.downloadNewConfig()
        _ = await next.config.activate()
        #expect(next.version == 3)
    }
}
