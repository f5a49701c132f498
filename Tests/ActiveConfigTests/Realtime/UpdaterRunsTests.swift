import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

/// Which of several runs of an updater takes place, and when.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UpdaterRunsTests {
    /// An updater whose runs end only after ``mayEnd`` has finished, like those of a transport that
    /// hangs.
    private struct HeldUpdater {
        let updater: ActiveConfigUpdater
        let log = RecordingLog()
        let openingCount = Locked(0)
        let openings: AsyncStream<Void>
        let mayEnd: AsyncStream<Void>.Continuation

        var errors: [String] { log.messages(ofLevel: .error) }

        init() {
            let (openings, opened) = AsyncStream.makeStream(of: Void.self)
            let (end, mayEnd) = AsyncStream.makeStream(of: Void.self)
            (self.openings, self.mayEnd) = (openings, mayEnd)
            let source = PreparedSource { [openingCount] userID in
                let connection = PreparedConnection(
                    userID, document: { _ in DocumentAnswer(.make(sections: ["S": [:]])) },
                    opening: { _ in
                        openingCount.withLock { $0 += 1 }
                        opened.yield()
                        // Ignores cancellation.
                        await Task { for await _ in end {} }.value
                    })
                connection.send("event: hello\nid: 1\ndata: {\"template_version\":1}\n\n")
                return connection
            }
            updater = .make(ActiveConfig.make(log: log.log), source: source, clock: ManualClock())
        }

        func run() -> Task<Void, Never> { Task { [updater] in await updater.run() } }

        /// Waits until a further run has opened its connection.
        func waitForRun() async { for await _ in openings { break } }

        func giveFaultsTime() async {
            // deadline: only gives a fault time, a run beside one that ends
            for _ in 0..<1_000 { await Task.yield() }
        }

        /// Ends the runs before, waits for the next one, and ends it.
        func expectNextRun(_ run: Task<Void, Never>? = nil) async {
            await giveFaultsTime()
            #expect(openingCount.withLock { $0 } == 1)
            mayEnd.finish()
            await waitForRun()
            updater.stop()
            run?.cancel()
            await run?.value
            #expect(openingCount.withLock { $0 } == 2)
        }
    }

    private static let runsAlready =
        "The updater runs already. Call start() or run(), and only once at a time."

    /// As by `.task(id:)` of SwiftUI.
    @Test func aRunAfterACancelledRunWaitsForItsEnd() async {
        let held = HeldUpdater()
        let first = held.run()
        await held.waitForRun()
        first.cancel()
        await held.expectNextRun(held.run())
        await first.value
        #expect(held.errors == [])
    }

    @Test func startingAfterACancelledRunWaitsForItsEnd() async {
        let held = HeldUpdater()
        let first = held.run()
        await held.waitForRun()
        first.cancel()
        held.updater.start()
        await held.expectNextRun()
        await first.value
        #expect(held.errors == [])
    }

    @Test func ofTwoThatWaitForAnEndingRunOneRuns() async {
        let held = HeldUpdater()
        held.updater.start()
        await held.waitForRun()
        held.updater.stop()
        let run = held.run()
        await held.giveFaultsTime()
        held.updater.start()
        await held.expectNextRun(run)
        #expect(held.errors.count == 1)
    }

    @Test func aWaitingRunThatIsCancelledReturnsAtOnce() async {
        let held = HeldUpdater()
        let first = held.run()
        await held.waitForRun()
        first.cancel()
        for _ in 1...3 {
            let waiting = held.run()
            await held.giveFaultsTime()
            waiting.cancel()
            await waiting.value
        }
        await held.expectNextRun(held.run())
        await first.value
        #expect(held.errors == [])
    }

    @Test func aSecondRunIsLoggedAndReturns() async {
        let held = HeldUpdater()
        held.mayEnd.finish()
        let run = held.run()
        await held.waitForRun()
        await held.updater.run()
        #expect(held.errors == [Self.runsAlready])
        #expect(held.openingCount.withLock { $0 } == 1)
        run.cancel()
        await run.value
    }

    /// Even if the started task has yet to begin.
    @Test func aRunAfterAStartIsLoggedAndReturns() async {
        let held = HeldUpdater()
        held.mayEnd.finish()
        held.updater.start()
        await held.updater.run()
        #expect(held.errors == [Self.runsAlready])
        await held.waitForRun()
        held.updater.stop()
    }

    @Test func whatIsStoppedBeforeItBeginsIsNotLogged() async {
        let held = HeldUpdater()
        held.mayEnd.finish()
        let run = held.run()
        await held.waitForRun()
        // Some tasks may begin before they are stopped.
        let rounds = 20
        for _ in 0..<rounds {
            held.updater.start()
            held.updater.stop()
            await held.giveFaultsTime()
        }
        #expect(held.errors.count < rounds)
        run.cancel()
        await run.value
    }
}
