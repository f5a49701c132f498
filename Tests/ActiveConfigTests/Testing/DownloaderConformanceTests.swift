import ActiveConfig
import ActiveConfigTesting
import Testing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct DownloaderConformanceTests {
    @Test func aDownloaderThatKeepsTheRulesPasses() async throws {
        try await DownloaderConformance { FaultyDownloader(nil, backend: $0) }.run()
    }

    @Test func theScriptedDownloaderPasses() async throws {
        try await DownloaderConformance { backend in
            ScriptedDownloader { request in
                backend.requestArrived()
                switch backend.conduct {
                case .hangs: return .held
                case .fails: return .failure(FaultyDownloader.Failure())
                case .answers:
                    let answer = backend.configuration(forUserID: request.userID)
                    let isKnown = request.lastKnown?.entityTag == answer?.entityTag
                    guard let answer, !isKnown else { return .unchanged }
                    return .configuration(answer)
                }
            }
        }.run()
    }

    @Test(arguments: FaultyDownloader.Fault.allCases)
    func theSuiteNamesTheRuleThatADownloaderBreaks(fault: FaultyDownloader.Fault) async throws {
        let failure = try await #require(throws: ConformanceFailure.self) {
            let patience: Duration =
                // deadline: only for a request that goes on after it
                fault == .ignoresCancellation ? .milliseconds(50) : .seconds(60)
            try await DownloaderConformance(patience: patience) {
                FaultyDownloader(fault, backend: $0)
            }.run()
        }
        #expect(failure.subject == "ActiveConfigDownloader")
        #expect(failure.description.contains(fault.rule), "\(failure)")
    }

    @Test func aFailureListsEachCheckOnALine() async throws {
        let failure = try await #require(throws: ConformanceFailure.self) {
            try await DownloaderConformance { FaultyDownloader(.alwaysUnchanged, backend: $0) }
                .run()
        }
        let lines = failure.description.split(separator: "\n")
        #expect(lines.count == failure.failedChecks.count + 1)
        #expect(
            lines[0] == "\(failure.failedChecks.count) checks of ActiveConfigDownloader failed:")
    }
}
