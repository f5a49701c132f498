import Foundation

/// A server for comparison with the backend, which sends the bytes of a file from memory to every
/// user.
///
/// `Peers hummingbird FILE` prints `listening on URL` and serves until it is killed.
@main
struct Peers {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3,
            let document = FileManager.default.contents(atPath: arguments[2])
        else { return usage() }
        switch arguments[1] {
        case "hummingbird": try await HummingbirdRoute.serve(document)
        default: usage()
        }
    }

    private static func usage() {
        FileHandle.standardError.write(Data("USAGE: Peers hummingbird FILE\n".utf8))
        exit(64)
    }

    /// Prints the URL on which the server listens.
    static func announce(port: Int) {
        FileHandle.standardOutput.write(Data("listening on http://127.0.0.1:\(port)\n".utf8))
    }
}
