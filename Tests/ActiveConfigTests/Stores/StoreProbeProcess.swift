import Foundation

/// The executable `StoreProbe` as a child process.
struct StoreProbeProcess {
    private let child = ChildProcess()
    private let output = ChildProcess.pipe()

    /// Starts the process.
    ///
    /// - Parameters:
    ///   - arguments: Arguments of `StoreProbe`; see there.
    ///   - prelude: Shell commands that run first, such as `ulimit`.
    /// - Throws: An error when the process cannot be started.
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

    /// Next line of its output; nil at the end.
    func nextLine() -> String? {
        var line = Data()
        while let byte = try? output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
            if byte.first == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line += byte
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// Sends SIGKILL, and returns the lines that were written and not read yet.
    func kill() -> [String] {
        child.kill()
        return finish()
    }

    /// Waits for the process's end, and returns the lines that were not read yet.
    func finish() -> [String] {
        let rest = (try? output.fileHandleForReading.readToEnd()) ?? Data()
        child.wait()
        return String(decoding: rest, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
