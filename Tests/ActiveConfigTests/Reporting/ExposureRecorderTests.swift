import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigReporting

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ExposureRecorderTests {
    private static let columns = SettingKey("Home", "columns", default: 1)
    private static let title = SettingKey("Home", "title", default: "none")

    private static func document(_ columns: Int, version: Int = 7) -> ConfigurationState {
        .make(
            meta: [
                "template_version": .integer(version),
                "experiments": ["new_home": true, "old": false, "odd": 1],
            ],
            sections: ["Home": ["columns": .integer(columns), "secret": "x", "wrong": "many"]])
    }

    private func config(
        _ recorder: ExposureRecorder, _ downloader: ScriptedDownloader = ScriptedDownloader(),
        store: any ActiveConfigStore = InMemoryStore(bootstrap: .state(document(2)))
    ) -> ActiveConfig {
        let config = ActiveConfig.make(downloader: downloader, store: store)
        recorder.observe(config)
        return config
    }

    @Test func aSettingIsRecordedOnceForAUserAndValue() async throws {
        let batches = Locked<[[Exposure]]>([])
        let recorder = ExposureRecorder { batch in batches.withLock { $0.append(batch) } }
        let config = config(
            recorder,
            ScriptedDownloader(
                .configuration(Self.document(3, version: 8)),
                .configuration(Self.document(3, version: 9))))
        for _ in 0..<3 { #expect(config[Self.columns] == 2) }
        #expect(config[Self.title] == "none")
        await recorder.flush()
        let first = try #require(batches.withLock { $0.first })
        #expect(first.map(\.setting.description) == ["Home.columns", "Home.title"])
        #expect(first.map(\.value) == [2, nil])
        #expect(first.map(\.source) == [.bootstrap, .default])
        #expect(first.map(\.templateVersion) == [7, 7])
        #expect(first[0].experiments == ["new_home": true, "old": false])
        #expect(first[0].userID == nil)
        for _ in 0..<2 {
            try await config.downloadNewConfig()
            #expect(config[Self.columns] == 3)
            #expect(config[Self.title] == "none")
        }
        await recorder.flush()
        #expect(batches.withLock { $0.count } == 2)
        let second = try #require(batches.withLock { $0.last })
        #expect(second.map(\.value) == [3])
        #expect(second.map(\.templateVersion) == [8])
        #expect(second.map(\.source) == [.downloaded])
    }

    @Test func aValueThatReturnsIsRecordedAgain() async throws {
        let seen = Locked<[Exposure]>([])
        let recorder = ExposureRecorder { batch in seen.withLock { $0 += batch } }
        let columns = [3, 4, 4, 3, 3]
        let config = config(
            recorder,
            ScriptedDownloader { call in
                .configuration(Self.document(columns[call.number - 1], version: call.number))
            })
        for _ in columns {
            try await config.downloadNewConfig()
            _ = (config[Self.columns], config[Self.title])
        }
        await recorder.flush()
        #expect(seen.withLock { $0.map(\.value) } == [3, nil, 4, 3])
        #expect(seen.withLock { $0.map(\.templateVersion) } == [1, 1, 2, 4])
    }

    /// A server that rewrites its documents may write 1 as 1.0.
    @Test func anEqualNumberOfTheOtherKindIsNotRecordedAgain() async throws {
        let seen = Locked<[Exposure]>([])
        let recorder = ExposureRecorder { batch in seen.withLock { $0 += batch } }
        let values: [SettingValue] = [
            1, 1.0, [["a": 2]], [["a": 2.0]], .integer(1 << 53), .double(0x1p53),
        ]
        let config = config(
            recorder,
            ScriptedDownloader { call in
                .configuration(.make(sections: ["Home": ["columns": values[call.number - 1]]]))
            })
        let key = SettingKey("Home", "columns", default: SettingValue.null)
        for value in values {
            try await config.downloadNewConfig()
            #expect(config[key] == value)
        }
        await recorder.flush()
        // From 2⁵³ on the double may be another number.
        #expect(seen.withLock { $0.map(\.value) } == [1, [["a": 2]], values[4], values[5]])
    }

    @Test func eachUserIsExposedForItself() async throws {
        let seen = Locked<[Exposure]>([])
        let recorder = ExposureRecorder { batch in seen.withLock { $0 += batch } }
        let config = config(recorder)
        for user in ["1", "2", "1"] {
            config.currentUserID = user
            _ = config[Self.columns]
        }
        for user in ["2", "3"] { _ = config.configuration(forUserID: user)[Self.columns] }
        await recorder.flush()
        #expect(seen.withLock { $0.map(\.userID) } == ["1", "2", "3"])
    }

    @Test func theValueThatIsUsedIsRecordedAndSecretsAreMasked() async throws {
        let seen = Locked<[Exposure]>([])
        let recorder = ExposureRecorder { batch in seen.withLock { $0 += batch } }
        let config = config(recorder)
        config.diagnostics.markSecret(SettingPath("Home", "secret"))
        #expect(config[SettingKey("Home", "secret", default: "none")] == "x")
        config.setDefaults(["Home": ["wrong": 5]])
        #expect(config[SettingKey("Home", "wrong", default: 1)] == 5)
        await recorder.flush()
        let exposures = seen.withLock { $0 }
        #expect(exposures.map(\.value) == [nil, 5])
        #expect(exposures.map(\.isMasked) == [true, false])
        #expect(exposures.map(\.source) == [.bootstrap, .default])
    }

    @Test func aFullBatchIsHandedOverAtOnce() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let recorder = ExposureRecorder(batchSize: 2, interval: .seconds(3_600)) { batch in
            continuation.yield(batch.count)
        }
        let config = config(recorder)
        _ = config[Self.columns]
        _ = config[Self.title]
        var counts = stream.makeAsyncIterator()
        #expect(await counts.next() == 2)
    }

    @Test func aHandlerMayReadTheConfiguration() async {
        let config = Locked<ActiveConfig?>(nil)
        let values = Locked<[Int]>([])
        let recorder = ExposureRecorder { _ in
            let value = config.withLock { $0 }?[SettingKey("Home", "columns", default: 9)]
            values.withLock { $0.append(value ?? 0) }
        }
        let own = self.config(recorder)
        config.withLock { $0 = own }
        _ = own[Self.title]
        await recorder.flush()
        #expect(values.withLock { $0 } == [2])
        config.withLock { $0 = nil }
    }

    /// 8 tasks read the same 50 settings.
    @Test func tasksAtOnceRecordNothingTwice() async {
        let seen = Locked<[Exposure]>([])
        let recorder = ExposureRecorder(batchSize: 7) { batch in seen.withLock { $0 += batch } }
        let config = config(recorder)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for number in 0..<1_000 {
                        _ = config[SettingKey("Home", "key \(number % 50)", default: 0)]
                    }
                }
            }
        }
        await recorder.flush()
        #expect(seen.withLock { $0.count } == 50)
        #expect(seen.withLock { Set($0.map(\.setting)).count } == 50)
    }

    @Test func aUserWhoWasForgottenIsNotReported() async throws {
        let seen = Locked<[Exposure]>([])
        let recorder = ExposureRecorder { batch in seen.withLock { $0 += batch } }
        let config = config(recorder)
        for user in ["1", "2"] { _ = config.configuration(forUserID: user)[Self.columns] }
        try await config.forgetUser("1")
        await recorder.flush()
        #expect(seen.withLock { $0.map(\.userID) } == ["2"])
        // A later read of the user is reported again.
        _ = config.configuration(forUserID: "1")[SettingKey("Home", "columns", default: 7)]
        await recorder.flush()
        #expect(seen.withLock { $0.map(\.userID) } == ["2", "1"])
    }

    @Test func anExposureWaitsForOthersUntilTheIntervalIsOver() async throws {
        let clock = ManualClock()
        let (stream, continuation) = AsyncStream.makeStream(of: [SettingValue?].self)
        let recorder = ExposureRecorder(interval: .seconds(30), clock: clock) { batch in
            continuation.yield(batch.map(\.value))
        }
        var batches = stream.makeAsyncIterator()
        for number in [1, 3] {
            Self.record(number, to: recorder)
            try await clock.waitForSleepers()
            Self.record(number + 1, to: recorder)
            clock.advance(by: .seconds(30))
            #expect(await batches.next() == [.integer(number), .integer(number + 1)])
        }
    }

    /// The clock would trap on the sum.
    @Test func anIntervalOfAgesIsNoMistake() async {
        let seen = Locked(0)
        let recorder = ExposureRecorder(interval: .seconds(Int64.max)) { batch in
            seen.withLock { $0 += batch.count }
        }
        Self.record(1, to: recorder)
        await recorder.flush()
        #expect(seen.withLock { $0 } == 1)
    }

    /// A handler with an analytics object that flushes all it knows, for example.
    @Test func aHandlerThatFlushesDoesNotWaitForItself() async {
        let own = Locked<ExposureRecorder?>(nil)
        let seen = Locked<[[SettingValue?]]>([])
        let recorder = ExposureRecorder { batch in
            seen.withLock { $0.append(batch.map(\.value)) }
            guard batch[0].value == 1, let recorder = own.withLock({ $0 }) else { return }
            Self.record(2, to: recorder)
            await recorder.flush()
            // The batch that was flushed is not handed over meanwhile.
            #expect(seen.withLock { $0 } == [[1]])
        }
        own.withLock { $0 = recorder }
        Self.record(1, to: recorder)
        await recorder.flush()
        await recorder.flush()
        #expect(seen.withLock { $0 } == [[1], [2]])
        own.withLock { $0 = nil }
    }

    /// Such a task inherits the handler's task-local values for its whole life.
    @Test func aTaskStartedByAHandlerThatHasReturnedWaitsInFlush() async {
        let own = Locked<ExposureRecorder?>(nil)
        let seen = Locked<[[SettingValue?]]>([])
        let task = Locked<Task<Void, Never>?>(nil)
        let (returns, hasReturned) = AsyncStream.makeStream(of: Void.self)
        let recorder = ExposureRecorder { batch in
            if batch[0].value == 1 {
                let started = Task {
                    for await _ in returns {}
                    guard let recorder = own.withLock({ $0 }) else { return }
                    Self.record(2, to: recorder)
                    await recorder.flush()
                    #expect(seen.withLock { $0 } == [[1], [2]])
                }
                task.withLock { $0 = started }
            } else {
                // deadline: only gives a fault time, a flush that does not wait
                for _ in 0..<1_000 { await Task.yield() }
            }
            seen.withLock { $0.append(batch.map(\.value)) }
        }
        own.withLock { $0 = recorder }
        Self.record(1, to: recorder)
        await recorder.flush()
        hasReturned.finish()
        await task.withLock { $0 }?.value
        own.withLock { $0 = nil }
    }

    @TaskLocal private static var reader = "none"

    @Test func theHandlerDoesNotRunWithTheTaskLocalValuesOfAReader() async {
        let readers = Locked<[String]>([])
        let recorder = ExposureRecorder(batchSize: 1) { _ in
            readers.withLock { $0.append(Self.reader) }
        }
        Self.$reader.withValue("request 1") { Self.record(1, to: recorder) }
        await recorder.flush()
        #expect(readers.withLock { $0 } == ["none"])
    }

    @Test func batchesAreHandedOverOneAfterAnother() async {
        let seen = Locked<[Exposure]>([])
        let running = Locked(0)
        let recorder = ExposureRecorder(batchSize: 3) { batch in
            let count = running.withLock { count in
                count += 1
                return count
            }
            #expect(count == 1)
            await Task.yield()
            seen.withLock { $0 += batch }
            running.withLock { $0 -= 1 }
        }
        await withTaskGroup { group in
            for _ in 0..<4 { group.addTask { for _ in 0..<50 { await recorder.flush() } } }
            for number in 0..<1_000 { Self.record(number, to: recorder) }
        }
        await recorder.flush()
        #expect(seen.withLock { $0.map(\.value) } == (0..<1_000).map { .integer($0) })
    }

    @Test func whatWaitsForAHandlerThatHangsIsBounded() async {
        let seen = Locked(0)
        let (begin, hasBegun) = AsyncStream.makeStream(of: Void.self)
        let (end, mayEnd) = AsyncStream.makeStream(of: Void.self)
        let recorder = ExposureRecorder(batchSize: 1) { batch in
            let isFirst = seen.withLock { count in
                defer { count += batch.count }
                return count == 0
            }
            guard isFirst else { return }
            hasBegun.finish()
            for await _ in end {}
        }
        Self.record(0, to: recorder)
        for await _ in begin {}
        for number in 1...20_000 { Self.record(number, to: recorder) }
        mayEnd.finish()
        await recorder.flush()
        #expect(seen.withLock { $0 } == 1 + ExposureRecorder.maximumPendingCount)
        // What was left out is not known.
        Self.record(20_000, to: recorder)
        await recorder.flush()
        #expect(seen.withLock { $0 } == 2 + ExposureRecorder.maximumPendingCount)
    }

    private static func record(_ number: Int, to recorder: ExposureRecorder) {
        recorder.record(
            Exposure(
                userID: nil, setting: SettingPath("Home", "number"),
                value: .integer(number), isMasked: false, source: .stored, templateVersion: nil,
                experiments: [:], time: Date()),
            hash: number)
    }
}
