import Foundation
import SeededRandomness
import TemplateStore
import TemporaryFolders
import Testing

@testable import SampleBackend

struct BackupFileTests {
    @Test func oneOfSeveralFilesGetsTheName() throws {
        let folder = try TemporaryFolder()
        for round in 0..<Rounds.count(200, nightly: 5_000) {
            let path = folder.path("backup-\(round)")
            let files = try (0..<8).map { _ in try BackupFile(path: path) }
            for file in files {
                try Data(file.partialPath.utf8).write(to: URL(filePath: file.partialPath))
            }
            let named = Locked<[String]>([])
            DispatchQueue.concurrentPerform(iterations: files.count) { index in
                if (try? files[index].giveName()) != nil {
                    named.withLock { $0.append(files[index].partialPath) }
                }
            }
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(named.withLock { $0 } == [text])
            for file in files { file.removePartialFiles() }
        }
    }

    /// Which error a file system without hard links gives depends on it.
    @Test(arguments: [EPERM, ENOSYS, EACCES])
    func withoutHardLinksTheFileIsRenamed(code: Int32) throws {
        let folder = try TemporaryFolder()
        func giveName(_ file: BackupFile) throws {
            try file.giveName(byLink: { _, _ in
                errno = code
                return -1
            })
        }
        let file = try BackupFile(path: folder.path("backup"))
        _ = try folder.write("whole", to: URL(filePath: file.partialPath).lastPathComponent)
        let late = try BackupFile(path: folder.path("backup"))
        _ = try folder.write("late", to: URL(filePath: late.partialPath).lastPathComponent)
        try giveName(file)
        #expect(throws: CommandFailure.self) { try giveName(late) }
        #expect(try String(contentsOfFile: folder.path("backup"), encoding: .utf8) == "whole")
        #expect(!FileManager.default.fileExists(atPath: late.partialPath))
    }

    @Test func aFileThatCannotBeRenamedStays() throws {
        let folder = try TemporaryFolder()
        let file = try BackupFile(path: folder.path("backup"))
        // The partial file is missing, so neither way of naming it works.
        let failure = #expect(throws: CommandFailure.self) { try file.giveName() }
        #expect(failure?.description.contains(file.partialPath) == true)
        #expect(!FileManager.default.fileExists(atPath: folder.path("backup")))
    }

    @Test func aFileThatAppearsIsNamed() throws {
        let folder = try TemporaryFolder()
        let file = try BackupFile(path: folder.path("backup"))
        _ = try folder.write("partial", to: URL(filePath: file.partialPath).lastPathComponent)
        let other = try folder.write("mine", to: "backup")
        let failure = #expect(throws: CommandFailure.self) { try file.giveName() }
        #expect(failure?.description.contains("\(other) exists") == true)
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "mine")
    }
}
