import Foundation
import NIOCore
import NIOPosix

/// Holds many streams open (PROTOCOL 2), and says when they are told what.
///
/// `StreamLoad PORT [SOURCES [IN-FLIGHT]]` reads ``Command`` by line and answers each with one line
/// of JSON, a ``Report``. It ends with its standard input.
@main
struct StreamLoad {
    /// Runs the program.
    ///
    /// - Throws: When the answer cannot be written as JSON.
    static func main() throws {
        guard let options = LoadOptions(CommandLine.arguments.dropFirst()) else {
            FileHandle.standardError.write(
                Data("USAGE: StreamLoad PORT [SOURCES [IN-FLIGHT]]\n".utf8))
            exit(64)
        }
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let runner = try eventLoop.submit {
            NIOLoopBound(CommandRunner(Crowd(options, eventLoop: eventLoop)), eventLoop: eventLoop)
        }.wait()
        while let line = readLine() {
            let report = try eventLoop.flatSubmit { runner.value.run(line) }.wait()
            FileHandle.standardOutput.write(try JSONEncoder().encode(report) + Data("\n".utf8))
        }
    }
}
