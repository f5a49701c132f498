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
