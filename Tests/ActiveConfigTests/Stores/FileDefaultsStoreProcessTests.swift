import ActiveConfig
import Foundation
import Testing

/// `FileDefaultsStore` in processes that are killed, run out of space, lack write permission, or
/// share a folder.
@Suite(.serialized)
struct FileDefaultsStoreProcessTests {
    private let folder = TemporaryFolder()

    private func store() -> FileDefaultsStore { FileDefaultsStore(directory: folder.url) }

    /// Number of the user's document, after checking that all its settings match.
    private func number(ofUser user: String) throws -> Int {
        let state = try #require(store().lastKnownActiveConfiguration(forUserID: user))
        let section = try #require(state.section(named: "S"))
        let number = try #require(section.integer(forKey: "number"))
        #expect(section.settingKeys.count == 201)
        #expect(section.settingKeys.allSatisfy { section.integer(forKey: $0) == number })
        return number
    }

    /// Kills a process that persists in a loop, at random times, and checks the stored document
    /// after each kill.
    private func killAndCheck(times: Int, _ generator: inout SeededGenerator) throws {
        var acknowledged = -1
        for _ in 0..<times {
            let probe = try StoreProbeProcess(
                ["loop", folder.url.path(percentEncoded: false), "u", "\(acknowledged + 1)"])
            // The kill follows one to three acknowledged writes, at a random time.
            let wanted = Int.random(in: 1...3, using: &generator)
            var lines: [String] = []
            while lines.count < wanted, let line = probe.nextLine() { lines.append(line) }
            let spin = Int.random(in: 0..<40_000, using: &generator)
            for index in 0..<spin { withExtendedLifetime(index) {} }
            lines += probe.kill()
            acknowledged = try #require(lines.compactMap(Int.init).last)
            let found = try number(ofUser: "u")
            #expect(found == acknowledged || found == acknowledged + 1)
        }
        #expect(folder.fileNames.allSatisfy { !$0.hasSuffix(".damaged") })
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func everyKillLeavesTheLastAcknowledgedDocumentOrALaterOne() throws {
        var generator = SeededGenerator.printingItsSeed()
        try killAndCheck(times: Sanitizer.isOn ? 20 : Rounds.count(60, nightly: 500), &generator)
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func everyKillBesideRemovalsLeavesTheLastDocumentOrNone() throws {
        let path = folder.url.path(percentEncoded: false)
        var number = 0
        var generator = SeededGenerator.printingItsSeed()
        for _ in 0..<(Sanitizer.isOn ? 10 : Rounds.count(30, nightly: 100)) {
            let probe = try StoreProbeProcess(["cycle", path, "u", "\(number)"])
            let wanted = Int.random(in: 1...4, using: &generator)
            var lines: [String] = []
            while lines.count < wanted, let line = probe.nextLine() { lines.append(line) }
            let spin = Int.random(in: 0..<40_000, using: &generator)
            for index in 0..<spin { withExtendedLifetime(index) {} }
            lines += probe.kill()
            let last = try #require(lines.compactMap(Int.init).last)
            let isThere = store().ownConfiguration(forUserID: "u") != nil
            let found = isThere ? try self.number(ofUser: "u") : nil
            // The kill may have interrupted a removal, or the persist of the next document after
            // one.
            #expect(found == nil || found == (lines.last == "removed" ? last + 1 : last))
            number = last + 2
        }
        #expect(folder.fileNames.allSatisfy { !$0.hasSuffix(".damaged") })
        try store().persistConfiguration(nil, forUserID: "u")
        #expect(folder.fileNames == [".lock"])
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func oneOfFourProcessesRecordsAFirstDownload() throws {
        let path = folder.url.path(percentEncoded: false)
        let probes = try (0..<4).map { _ in try StoreProbeProcess(["first", path, "100"]) }
        let first = probes.flatMap { $0.finish() }.compactMap(Int.init)
        #expect(first.sorted() == Array(0..<100))
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func twoProcessesMayShareAFolder() throws {
        let path = folder.url.path(percentEncoded: false)
        let probes = try ["u", "u", "v"].map { try StoreProbeProcess(["loop", path, $0, "0"]) }
        for probe in probes { _ = probe.nextLine() }
        for _ in 0..<300 {
            _ = try number(ofUser: "u")
            _ = try number(ofUser: "v")
        }
        let last = probes.map { $0.kill().compactMap(Int.init).last }
        #expect(last.allSatisfy { $0 != nil })
        #expect(folder.fileNames.allSatisfy { !$0.hasSuffix(".damaged") })
    }

    @Test(
        .timeLimit(.minutes(Rounds.minutes)),
        .disabled(if: Sanitizer.isOn, "a sanitizer's own files may not be limited"))
    func aFileThatMayNotGrowLeavesTheOldDocument() throws {
        let path = folder.url.path(percentEncoded: false)
        let first = try StoreProbeProcess(["fill", path, "100"]).finish()
        #expect(first == ["stored"])
        let limited = try StoreProbeProcess(
            ["fill", path, "100000"], after: "trap '' XFSZ; ulimit -f 8")
        #expect(limited.finish() == ["cannotWrite"])
        let section = store().ownConfiguration(forUserID: "u")?.section(named: "S")
        #expect(section?.string(forKey: "text")?.count == 100)
        #expect(folder.fileNames.allSatisfy { !$0.hasSuffix(".new") })
    }

    @Test(
        .timeLimit(.minutes(Rounds.minutes)),
        .disabled(if: Sanitizer.isOn, "a sanitizer's own files may not be limited"))
    func aFailedPersistKeepsThePreviousVersion() throws {
        let path = folder.url.path(percentEncoded: false)
        for size in ["100", "200"] {
            #expect(try StoreProbeProcess(["fill", path, size]).finish() == ["stored"])
        }
        let limited = try StoreProbeProcess(
            ["fill", path, "100000"], after: "trap '' XFSZ; ulimit -f 8")
        #expect(limited.finish() == ["cannotWrite"])
        let current = folder.fileNames.first { $0.hasSuffix(".activeconfig") }
        try Data("garbage".utf8).write(to: folder.file(try #require(current)))
        let section = store().ownConfiguration(forUserID: "u")?.section(named: "S")
        #expect(section?.string(forKey: "text")?.count == 100)
    }

    @Test(
        .timeLimit(.minutes(Rounds.minutes)),
        .enabled(if: FullDisk.isAvailable, "requires the superuser to mount a small file system"))
    func aFullDiskLeavesTheOldDocument() throws {
        let disk = try FullDisk(at: folder.url)
        defer { disk.unmount() }
        let path = folder.url.appending(path: "store").path(percentEncoded: false)
        #expect(try StoreProbeProcess(["fill", path, "100"]).finish() == ["stored"])
        #expect(try StoreProbeProcess(["fill", path, "1000000"]).finish() == ["cannotWrite"])
        let store = FileDefaultsStore(directory: URL(filePath: path))
        let section = store.ownConfiguration(forUserID: "u")?.section(named: "S")
        #expect(section?.string(forKey: "text")?.count == 100)
        #expect(try StoreProbeProcess(["fill", path, "200"]).finish() == ["stored"])
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func aFolderThatMayNotBeWrittenIsStillRead() throws {
        try FileManager.default.createDirectory(
            at: folder.url, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o777])
        let path = folder.url.appending(path: "store").path(percentEncoded: false)
        // The umask has restricted the permissions of the new folder.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777], ofItemAtPath: folder.url.path(percentEncoded: false))
        let lines = try StoreProbeProcess(["readonly", path]).finish()
        try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        #expect(lines.count == 2)
        #expect(["cannotWrite", "cannotLock"].contains(lines.first))
        #expect(lines.last == "1")
    }
}
