import Foundation

/// The executable `StoreProbe`, run as a process of its own.
struct StoreProbeProcess {
    private let child = ChildProcess()
    private let output = Pipe()

    /// Starts it with arguments.
    ///
    /// - Parameters:
    ///   - arguments: See `StoreProbe`.
    ///   - prelude: Shell commands to run before, such as `ulimit`.
    /// - Throws: when it cannot be started.
    init(_ arguments: [String], after prelude: String = ":") throws {
        let process = child.process
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments =
            [
                "-c", "\(prelude); exec \"$0\" \"$@\"",
                URL.probe(named: "StoreProbe").path(percentEncoded: false),
            ] + arguments
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try child.run()
    }

    /// Its next line; nil at the end.
    func nextLine() -> String? {
        var line = Data()
        while let byte = try? output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
            if byte.first == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line += byte
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// Kills it (`kill -9`) and gives the lines it had written and that were not read yet.
    func kill() -> [String] {
        child.kill()
        return finish()
    }

    /// Waits for its end and gives the lines that were not read yet.
    func finish() -> [String] {
        let rest = (try? output.fileHandleForReading.readToEnd()) ?? Data()
        child.wait()
        return String(decoding: rest, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
