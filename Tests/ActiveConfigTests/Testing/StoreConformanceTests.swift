import ActiveConfig
import ActiveConfigTesting
import Testing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct StoreConformanceTests {
    @Test func theStoreInMemoryPasses() async throws {
        try await StoreConformance { InMemoryStore() }
            .withBootstrap { InMemoryStore(bootstrap: .state($1)) }
            .run(operationsPerTask: 2_000)
    }

    @Test func aStoreThatKeepsItsPlacePasses() async throws {
        try await StoreConformance(newPlace: { InMemoryStore() }, open: { $0 }).run()
    }

    @Test func aStoreMayLeaveWhatHasADefault() async throws {
        try await StoreConformance { FaultyStore(.onlyRequirements) }
            .run(without: [.ownConfiguration, .firstDownloadFinished, .records])
    }

    @Test func theSuiteNamesTheRecordsThatAStoreDoesNotKeep() async throws {
        let failure = try await #require(throws: ConformanceFailure.self) {
            try await StoreConformance { FaultyStore(.onlyRequirements) }
                .run(without: [.ownConfiguration, .firstDownloadFinished])
        }
        #expect(failure.failedChecks.map(\.rule).allSatisfy { $0.contains("without `.records`") })
        #expect(failure.failedChecks.count == 1)
    }

    @Test(.onOneThread, arguments: FaultyStore.Fault.allCases)
    func theSuiteNamesTheRuleThatAStoreBreaks(fault: FaultyStore.Fault) async throws {
        let failure = try await #require(throws: ConformanceFailure.self) {
            try await StoreConformance(
                newPlace: { FaultyStore(fault) }, open: { fault == .forgetful ? $0.forget() : $0 }
            )
            .withBootstrap { FaultyStore($0.fault, bootstrap: $1) }
            .run()
        }
        #expect(failure.subject == "ActiveConfigStore")
        #expect(failure.description.contains(fault.rule), "\(failure)")
    }
}
