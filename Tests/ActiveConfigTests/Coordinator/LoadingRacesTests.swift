import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// A user's pending document is stored as the user's own document while the user is being loaded.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct LoadingRacesTests {
    private let store = SteppedStore()

    private static func document(_ title: String) -> ConfigurationState {
        .titled(["Home": title], entityTag: "tag-\(title)")
    }

    private func launch() -> ActiveConfig {
        store.base.persistConfiguration(Self.document("own"), forUserID: "1")
        store.base.persistPendingConfiguration(Self.document("waiting"), forUserID: "1")
        var options = ActiveConfigOptions()
        options.activationPolicy = .nextLaunch
        let config = CoordinatorFixture.make(store: store, options: options).config
        config.currentUserID = "2"
        return config
    }

    /// Runs a closure after each of the two reads of a user's documents.
    private func afterEachRead(
        _ body: @escaping @Sendable (ActiveConfig) -> Void, _ check: (ActiveConfig) -> Void
    ) {
        for isPendingRead in [false, true] {
            let config = launch()
            let body = { @Sendable in body(config) }
            if isPendingRead {
                store.afterNextPendingRead(of: "1", body)
            } else {
                store.afterNextRead(of: "1", body)
            }
            check(config)
        }
    }

    @Test func aDocumentThatAnotherProcessActivatesIsActiveHereToo() {
        for loads in [
            { (config: ActiveConfig) in
                config.currentUserID = "1"
                return config.currentConfiguration
            },
            { config in config.configuration(forUserID: "1").currentConfiguration },
        ] {
            afterEachRead { [store] _ in
                store.base.persistConfiguration(Self.document("waiting"), forUserID: "1")
                store.base.persistPendingConfiguration(nil, forUserID: "1")
            } _: {
                #expect(loads($0).sections["Home"]?.title == "waiting")
            }
        }
    }

    @Test func theCurrentUserHasWhatTheHandlesHaveThatWereLoadedMeanwhile() {
        afterEachRead { config in
            onAnotherThread { config.configuration(forUserID: "1").activate() }
        } _: { config in
            let handle = config.configuration(forUserID: "1")
            config.currentUserID = "1"
            #expect(config["Home"]?.title == "waiting")
            #expect(handle["Home"]?.title == "waiting")
        }
    }
}
