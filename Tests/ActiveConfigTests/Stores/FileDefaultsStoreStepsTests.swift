import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Faults at each system call of each operation of a `FileDefaultsStore`.
///
/// The call fails, is the last call of the process, or is followed by a loss of power. A reader
/// then gets the newest whole version, or none after a removal; after a loss of power it may get
/// the previous version.
@Suite(.onOneThread)
struct FileDefaultsStoreStepsTests {
    @Test(arguments: StoreOperation.all)
    func aCallThatFailsLeavesWhatWasKept(operation: StoreOperation) throws {
        let start = try operation.prepared()
        for (number, call) in try operation.calls(on: start).enumerated() {
            for error in [EIO, ENOSPC] {
                let place: Comment = "\(error) at \(number), \(call)"
                let system = start.reopened(.init(failing: number, error: error))
                let hasThrown = operation.run(on: system) != nil
                let found = operation.read(system)
                // If only a removal's last synchronization fails, nothing brings the files back.
                let isRemoved =
                    hasThrown && operation.after == nil && found == nil && call.contains("sync")
                if !isRemoved {
                    #expect(found == (hasThrown ? operation.before : operation.after), place)
                }
                let violations = try operation.violations(
                    from: start, to: system, hasEnded: !hasThrown)
                #expect(violations.isEmpty, place)
                if hasThrown, operation.after != nil {
                    let previous = StoreOperation.readDamaged(system)
                    #expect(previous == StoreOperation.readDamaged(start), place)
                }
                #expect(try StoreOperation.canGoOn(system), place)
            }
        }
    }

    /// Reads after each call, whichever call fails.
    ///
    /// Excludes the mark of the first download, which is undone if it cannot be made durable, so
    /// that the next download counts as the first.
    @Test(arguments: StoreOperation.all.filter { !$0.isDurable || $0.after == nil })
    func noReaderGoesBackToAnOlderVersion(operation: StoreOperation) throws {
        let start = try operation.prepared()
        for (number, call) in try operation.calls(on: start).enumerated() {
            let whole = start.reopened(.init(failing: number))
            operation.run(on: whole)
            let found = (0...whole.calls.count).map { ending in
                let system = start.reopened(.init(failing: number, ending: ending))
                operation.run(on: system)
                return operation.read(system)
            }
            let later = found.drop { $0 == operation.before }
            #expect(later.allSatisfy { $0 == operation.after }, "\(number), \(call)")
        }
    }

    @Test(arguments: StoreOperation.all)
    func aProcessThatEndsAtAnyCallLeavesTheNewestVersion(operation: StoreOperation) throws {
        let start = try operation.prepared()
        let count = try operation.calls(on: start).count
        for number in 0...count {
            let system = start.reopened(.init(ending: number))
            operation.run(on: system)
            let violations = try operation.violations(
                from: start, to: system, hasEnded: number == count)
            #expect(violations.isEmpty, "before \(number)")
            #expect(try StoreOperation.canGoOn(system), "before \(number)")
        }
    }

    @Test(arguments: StoreOperation.all)
    func noSynchronizationCanBeLeftOut(operation: StoreOperation) throws {
        let start = try operation.prepared()
        let calls = try operation.calls(on: start)
        let synchronizations = calls.indices.filter { calls[$0].hasPrefix("sync") }
        #expect(synchronizations.count == operation.synchronizations)
        for number in synchronizations.dropFirst(operation.needlessSynchronizations) {
            let isNoticed = try operation.isNoticed(.init(leftOut: number), on: start)
            #expect(isNoticed, "\(number), \(calls[number])")
        }
    }

    @Test(arguments: StoreOperation.all.filter { !$0.order.isEmpty })
    func noStepCanBeMadeLater(operation: StoreOperation) throws {
        let start = try operation.prepared()
        let calls = try operation.calls(on: start)
        for (first, second) in operation.order {
            // The last such pair, because the parents of the first folder are synchronized twice.
            let behind = try #require(calls.lastIndex(of: second), "\(second)")
            let call = try #require(calls[..<behind].lastIndex(of: first), "\(first)")
            let isNoticed = try operation.isNoticed(
                .init(moved: (call, behind: behind)), on: start)
            #expect(isNoticed, "\(first) behind \(second)")
        }
    }
}
