import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Conformance of the stores that keep configurations across launches.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct DurableStoreConformanceTests {
    @Test func aFileDefaultsStoreKeepsTheRules() async throws {
        try await StoreConformance(
            newPlace: { TemporaryFolder() },
            open: { FileDefaultsStore(directory: $0.url) }
        )
        .withBootstrap { FileDefaultsStore(directory: $0.url, bootstrap: .state($1)) }
        .run()
    }

    @Test func aUserDefaultsStoreKeepsTheRules() async throws {
        try await StoreConformance(
            newPlace: { UserDefaultsSuite() },
            open: { UserDefaultsStore(userDefaults: try $0.userDefaults()) }
        )
        .withBootstrap {
            UserDefaultsStore(userDefaults: try $0.userDefaults(), bootstrap: .state($1))
        }
        .run(operationsPerTask: 40)
    }
}
