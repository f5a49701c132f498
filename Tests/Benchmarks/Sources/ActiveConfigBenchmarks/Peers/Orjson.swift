import Foundation

/// orjson, a fast JSON parser for Python, in a child process that runs one round per request.
final class Orjson {
    /// Versions of orjson and Python.
    private(set) var version = ""
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread = Data()

    /// orjson is missing, or its process has stopped.
    struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }

    /// Source of the Python program that the process runs.
    ///
    /// It reads the document named by its argument. Each line of input contains a number of
    /// repetitions; the answer is the total time in nanoseconds and the number of sections. The
    /// garbage collector is off, as in Python's own `timeit`.
    private static let program = """
        import gc, platform, sys, time
        import orjson
        text = open(sys.argv[1], "rb").read()
        print("orjson", orjson.__version__, "on Python", platform.python_version(), flush=True)
        gc.disable()
        loads = orjson.loads
        for line in sys.stdin:
            times = range(int(line))
            start = time.thread_time_ns()
            for _ in times:
                document = loads(text)
            end = time.thread_time_ns()
            print(end - start, len(document["config_sections"]), flush=True)
        """

    /// Starts the process.
    ///
    /// - python: Path or name of a Python interpreter with orjson.
    ///   - python: Python interpreter that has orjson, by path or by name.
    ///   - document: File to parse.
    /// - Throws: ``Unavailable``, or the error of starting a process.
    init(python: String, document: URL) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [python, "-c", Self.program, document.path(percentEncoded: false)]
        process.standardInput = input
        process.standardOutput = output
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        guard let version = readLine() else {
            process.waitUntilExit()
            let text = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
            let reason = text.split(separator: "\n").last ?? "no error output"
            throw Unavailable(description: "no orjson for \(python): \(reason)")
        }
        self.version = version
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Parses the document repeatedly.
    ///
    /// - Parameter times: Number of repetitions.
    /// - Returns: Processor time of the parsing thread for one repetition, in nanoseconds.
    /// - Throws: ``Unavailable`` if the process has stopped.
    func parse(times: Int) throws -> Double {
        try input.fileHandleForWriting.write(contentsOf: Data("\(times)\n".utf8))
        let answer = readLine()?.split(separator: " ").compactMap { Double($0) } ?? []
        guard answer.count == 2, answer[1] > 0 else {
            throw Unavailable(description: "the orjson process stopped")
        }
        return answer[0] / Double(times)
    }

    /// Next line of the process's output; nil at the end.
    private func readLine() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread = Data(unread[(end + 1)...]) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            unread.append(more)
        }
    }
}
