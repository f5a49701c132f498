import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// A program that crashes on a value and is started repeatedly.
@Suite(.timeLimit(.minutes(Rounds.minutes)), .serialized, .onOneThread)
struct CrashProbeTests {
    private let folder = TemporaryFolder()

    /// Process that crashes on a value.
    private struct Probe {
        let child = ChildProcess()
        let output = ChildProcess.pipe()
        let input = ChildProcess.pipe()

        init(_ folder: TemporaryFolder, window: Int = 60_000, document: URL? = nil) throws {
            child.process.executableURL = .probe(named: "CrashProbe")
            child.process.arguments =
                [folder.url.path(percentEncoded: false), "3", "\(window)"]
                + (document.map { [$0.path(percentEncoded: false)] } ?? [])
            child.process.environment = ProcessInfo.processInfo.environment.merging(
                ["SWIFT_BACKTRACE": "enable=no"], uniquingKeysWith: { $1 })
            child.process.standardOutput = output
            child.process.standardInput = input
            child.process.standardError = FileHandle.nullDevice
            try child.run()
        }

        /// The rest of the line that starts with `word`.
        func line(_ word: String) -> String? {
            while let line = readLine() {
                if line.hasPrefix("\(word): ") { return String(line.dropFirst(word.count + 2)) }
            }
            return nil
        }

        private func readLine() -> String? {
            var line = Data()
            while let byte = try? output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
                if byte.first == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
                line += byte
            }
            return nil
        }

        func tell(_ line: String) throws {
            try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
        }

        /// Waits for the end.
        ///
        /// - Returns: True if the process ended by a signal.
        func hasCrashed() -> Bool {
            child.wait()
            return child.process.terminationReason == .uncaughtSignal
        }
    }

    private func document(_ version: Int, mode: String) throws -> URL {
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let file = folder.file("answer-\(version).txt")
        let state = ConfigurationState.make(
            meta: ["template_version": .integer(version)],
            sections: ["Home": ["mode": .string(mode)]])
        try state.jsonData().write(to: file)
        return file
    }

    private func lives(_ probe: Probe, _ words: String..., mode: String) throws {
        #expect(probe.line("mode") == mode)
        for word in words {
            try probe.tell(word)
            if word != "exit" { #expect(probe.line("done") == word) }
        }
    }

    @Test func threeCrashesBringBackTheGoodDocumentAndThenTheDefaults() throws {
        let good = try Probe(folder, document: document(1, mode: "calm"))
        try lives(good, "healthy", "exit", mode: "calm")
        #expect(!good.hasCrashed())
        // The first crash happens in the launch that downloads the document.
        let bad = try document(2, mode: "crash")
        for launch in 0..<3 {
            let probe = try Probe(folder, document: launch == 0 ? bad : nil)
            #expect(probe.line("mode") == "crash")
            #expect(probe.line("verdict") == "none")
            #expect(probe.hasCrashed())
        }
        let saved = try Probe(folder, document: bad)
        #expect(saved.line("mode") == "calm")
        #expect(saved.line("verdict")?.contains("has died 3 times after version 2") == true)
        try saved.tell("version")
        #expect(saved.line("version") == "1")
        // Killed three times within the window: then the good document is rolled back, too.
        saved.child.kill()
        #expect(saved.hasCrashed())
        for _ in 0..<2 {
            let probe = try Probe(folder)
            #expect(probe.line("verdict") == "none")
            probe.child.kill()
            #expect(probe.hasCrashed())
        }
        let last = try Probe(folder)
        try lives(last, "exit", mode: "none")
        #expect(!last.hasCrashed())
    }

    @Test func endsOnPurposeAndInTheBackgroundAreNoCrashes() throws {
        let file = try document(1, mode: "calm")
        for turn in 0..<8 {
            let probe = try Probe(folder, document: file)
            if turn.isMultiple(of: 2) {
                try lives(probe, "exit", mode: "calm")
            } else {
                try lives(probe, "background", mode: "calm")
                probe.child.kill()
            }
            #expect(probe.hasCrashed() == !turn.isMultiple(of: 2))
        }
    }

    @Test func returningFromMainIsNoCrashWhenTheGuardIsNotRetained() throws {
        let file = try document(1, mode: "calm")
        for _ in 0..<8 {
            let probe = try Probe(folder, document: file)
            #expect(probe.line("mode") == "calm")
            #expect(probe.line("verdict") == "none")
            try probe.input.fileHandleForWriting.close()
            #expect(!probe.hasCrashed())
            #expect(probe.child.process.terminationStatus == 0)
        }
    }

    @Test func anAppAndItsExtensionDoNotCountEachOther() throws {
        let file = try document(1, mode: "calm")
        let app = try Probe(folder, document: file)
        #expect(app.line("verdict") == "none")
        for _ in 0..<6 {
            let other = try Probe(folder)
            try lives(other, "exit", mode: "calm")
            #expect(!other.hasCrashed())
        }
        try app.tell("exit")
        #expect(!app.hasCrashed())
    }

    /// Kills at random moments of the launch, which is mostly spent on the guard's writes.
    @Test func killsAtRandomMomentsLeaveTheGoodDocumentOrTheDefaults() throws {
        let good = try Probe(folder, document: document(1, mode: "calm"))
        try lives(good, "healthy", "exit", mode: "calm")
        _ = good.hasCrashed()
        var generator = SeededGenerator.printingItsSeed()
        for _ in Rounds.numbers(10, nightly: 40) {
            let probe = try Probe(folder, window: 0)
            // deadline: the fault comes at a random moment
            usleep(UInt32.random(in: 0..<60_000, using: &generator))
            probe.child.kill()
            _ = probe.hasCrashed()
            let next = try Probe(folder, window: 0)
            let mode = next.line("mode")
            #expect(mode == "calm" || mode == "none")
            try next.tell("healthy")
            #expect(next.line("done") == "healthy")
            try next.tell("exit")
            #expect(!next.hasCrashed())
        }
    }
}
