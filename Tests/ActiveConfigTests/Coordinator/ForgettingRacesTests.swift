import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigTrust

/// A user is forgotten while an operation for that user is between two steps.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ForgettingRacesTests {
    private let store = SteppedStore()

    private static func document(_ title: String) -> ConfigurationState {
        .titled(["Home": title, "Kill": title], entityTag: "tag-\(title)")
    }

    private func launch(_ options: ActiveConfigOptions) -> ActiveConfig {
        CoordinatorFixture.make(store: store, options: options).config
    }

    @Test(arguments: [ActivationPolicy.nextLaunch, .manual(except: ["Kill"]), .immediate])
    func whoIsForgottenWhileBeingLoadedDoesNotComeBack(policy: ActivationPolicy) async throws {
        var options = ActiveConfigOptions()
        options.activationPolicy = policy
        for loads in [
            { (config: ActiveConfig) in
                config.currentUserID = "1"
                return config.currentConfiguration
            },
            { config in config.configuration(forUserID: "1").currentConfiguration },
        ] {
            store.base.persistConfiguration(Self.document("own"), forUserID: "1")
            store.base.persistPendingConfiguration(Self.document("waiting"), forUserID: "1")
            let config = launch(options)
            config.currentUserID = "2"
            // The user's documents have already been read.
            store.afterNextPendingRead(of: "1") {
                onAnotherThread { try? config.forgetUser("1") }
            }
            #expect(loads(config).sections.isEmpty)
            config.currentUserID = "1"
            #expect(config.currentConfiguration.sections.isEmpty)
            await config.activate()
            #expect(config.currentConfiguration.sections.isEmpty)
            #expect(store.base.ownConfiguration(forUserID: "1") == nil)
            #expect(store.base.pendingConfiguration(forUserID: "1") == nil)
        }
    }

    @Test func theGenericUsersSectionsDoNotStayBesideWhatWaits() throws {
        var options = ActiveConfigOptions()
        options.activationPolicy = .manual(except: ["Kill"])
        store.base.persistConfiguration(Self.document("generic"), forUserID: nil)
        store.base.persistPendingConfiguration(Self.document("own"), forUserID: "1")
        let config = launch(options)
        config.currentUserID = "1"
        #expect(config["Home"]?.title == "generic" && config["Kill"]?.title == "own")
        try config.forgetGenericUser()
        #expect(config["Home"] == nil && config["Kill"]?.title == "own")
        config.currentUserID = "2"
        config.currentUserID = "1"
        #expect(config["Home"] == nil && config["Kill"]?.title == "own")
    }

    @Test func aDocumentThatProvesGoodMeanwhileLeavesNoCopy() async throws {
        let crashGuard = CrashGuard()
        var options = ActiveConfigOptions()
        options.vetting.append(crashGuard)
        store.base.persistConfiguration(Self.document("own"), forUserID: "1")
        let config = launch(options)
        config.currentUserID = "1"
        #expect(config["Home"]?.title == "own")
        let copy = "good-\(UserID("1").digest)"
        store.beforeNextRemoval {
            crashGuard.markHealthy()
            crashGuard.drain()
        }
        try await config.forgetUser("1")
        #expect(store.base.clientState(named: copy) == nil)
        // The crash guard watches the user's next document again.
        store.base.persistConfiguration(Self.document("new"), forUserID: "1")
        let next = CrashGuard()
        options.vetting.append(next)
        launch(options).currentUserID = "1"
        next.markHealthy()
        next.drain()
        #expect(store.base.clientState(named: copy) != nil)
    }
}
