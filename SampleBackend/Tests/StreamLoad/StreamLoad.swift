import Foundation
import NIOCore
import NIOPosix

/// Holds many streams open (PROTOCOL 2), and reports when they receive each version.
///
/// `StreamLoad PORT [SOURCES [IN-FLIGHT]]` reads a ``Command`` per line and responds to each with
/// one line of JSON, a ``Report``. It exits when its standard input ends.
@main
struct StreamLoad {
    /// Runs the program.
    ///
    /// - Throws: An error if the report cannot be encoded as JSON.
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
