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

/// Several instances that read, persist, remove and lock in the same folder.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct FileDefaultsStoreContentionTests {
    private let folder = TemporaryFolder()

    private func store(_ log: ActiveConfigLog = .disabled) -> FileDefaultsStore {
        FileDefaultsStore(directory: folder.url, bootstrap: nil, log: log)
    }

    private static func document(_ number: Int) -> ConfigurationState {
        ConfigurationState(
            meta: [:], sections: ["S": ActiveConfigSection(settings: ["number": .integer(number)])])
    }

    private func number() -> Int? {
        store().ownConfiguration(forUserID: "u")?.section(named: "S")?.integer(forKey: "number")
    }

    @Test func aReaderNeverSeesAnOlderVersionBesidePersistsAndRemovals() async throws {
        let isDone = Locked(false)
        let older = try await Threads.run(5) { thread -> [String] in
            var found: [String] = []
            if thread == 0 {
                defer { isDone.withLock { $0 = true } }
                for number in stride(from: 1, to: 900, by: 3) {
                    for number in number..<(number + 3) {
                        try store().persistConfiguration(Self.document(number), forUserID: "u")
                    }
                    try store().persistConfiguration(nil, forUserID: "u")
                }
            } else {
                var newest = 0
                while !isDone.withLock({ $0 }) {
                    guard let read = number() else { continue }
                    if read < newest { found.append("\(read) after \(newest)") }
                    newest = max(newest, read)
                }
            }
            return found
        }.flatMap(\.self)
        #expect(older.isEmpty)
        #expect(number() == nil)
    }

    @Test func aReadDoesNotWaitForALockHeldElsewhere() async throws {
        for number in 1...2 {
            try store().persistConfiguration(Self.document(number), forUserID: "u")
        }
        let name = try #require(folder.fileNames.first { $0.hasSuffix(".activeconfig") })
        try Data("garbage".utf8).write(to: folder.file(name))
        let lock = try FileHandle(forUpdating: folder.file(".lock"))
        #expect(flock(lock.fileDescriptor, LOCK_EX) == 0)
        let recorder = RecordingLog()
        let hasRead = DispatchSemaphore(value: 0)
        let found = Locked<ConfigurationState?>(nil)
        Thread.detachNewThread {
            let read = store(recorder.log).lastKnownActiveConfiguration(forUserID: "u")
            found.withLock { $0 = read }
            hasRead.signal()
        }
        // The wait times out only if the read waits for the lock.
        let isTimely = wait(for: hasRead)
        #expect(flock(lock.fileDescriptor, LOCK_UN) == 0)
        #expect(isTimely)
        #expect(found.withLock { $0 } == Self.document(1))
        #expect(recorder.messages.count == 1)
        #expect(folder.fileNames.contains(name), "a later read puts the file aside")
        #expect(store().lastKnownActiveConfiguration(forUserID: "u") == Self.document(1))
        #expect(folder.fileNames.contains("\(name).damaged"))
    }

    /// Waits without suspending, because waiting for a semaphore is not available in async code.
    private func wait(for semaphore: DispatchSemaphore) -> Bool {
        semaphore.wait(timeout: .now() + 60) == .success
    }
}
