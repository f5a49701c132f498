import ActiveConfig
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Process that uses a ``FileDefaultsStore``; the store's tests run and kill it.
///
/// - `loop FOLDER USER START`: persists documents, numbered from START, until it is killed, and
///   prints each number after its document was persisted.
/// - `cycle FOLDER USER START`: like `loop`, but also removes each document, and prints `removed`.
/// - `first FOLDER COUNT`: records a first download in COUNT folders within FOLDER, and prints the
///   number of each folder where it was the first.
/// - `fill FOLDER BYTES`: persists a document of about BYTES bytes, and prints `stored` or the
///   error's code.
/// - `readonly FOLDER`: persists, removes the write permission and persists again; prints the
///   error's code and the number that is read afterwards.
/// - `downloads FOLDER`, `failures FOLDER`: downloads repeatedly, with an interval of an hour and
///   waits after failures, until it is killed, and prints the number of attempts.
@main
enum StoreProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { return print("usage: see the source") }
        let folder = URL(filePath: arguments[2])
        let store = FileDefaultsStore(directory: folder, bootstrap: nil, log: .disabled)
        switch arguments[1] {
        case "loop", "cycle":
            var number = Int(arguments[4]) ?? 0
            while true {
                try store.persistConfiguration(document(number), forUserID: arguments[3])
                say("\(number)")
                if arguments[1] == "cycle" {
                    try store.persistConfiguration(nil, forUserID: arguments[3])
                    say("removed")
                }
                number += 1
            }
        case "first":
            for number in 0..<(Int(arguments[3]) ?? 0) {
                let store = FileDefaultsStore(directory: folder.appending(path: "\(number)"))
                if try store.recordFirstDownloadFinished() { say("\(number)") }
            }
        case "fill":
            say(fill(store, size: Int(arguments[3]) ?? 0))
        case "readonly":
            // The superuser may write anywhere.
            if geteuid() == 0 { setuid(65534) }
            try store.persistConfiguration(document(1), forUserID: "u")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o500], ofItemAtPath: folder.path(percentEncoded: false))
            say(outcome { try store.persistConfiguration(document(2), forUserID: "u") })
            let read = store.ownConfiguration(forUserID: "u")?.section(named: "S")
            say("\(read?.integer(forKey: "number") ?? -1)")
        case "downloads", "failures":
            let options = ActiveConfigOptions(
                fetchPolicy: .minimumInterval(.seconds(3_600)), log: .disabled)
            let config = ActiveConfig(
                configDownloader: Server(fails: arguments[1] == "failures"), configStore: store,
                options: options)
            for number in 1... {
                _ = try? await config.downloadNewConfig()
                say("\(number)")
            }
        default: print("usage: see the source")
        }
    }

    /// Answers a user's first request with a document, and other requests with "unchanged", or all
    /// of them with an error.
    private struct Server: ActiveConfigDownloader {
        var fails = false

        func requestActiveConfig(
            forUserID userID: String?, lastKnown: ConfigurationState?
        ) async throws -> ConfigurationState? {
            if fails {
                throw DownloadError(.httpStatus, status: 503, retryAfter: .seconds(600))
            }
            return lastKnown == nil ? document(1) : nil
        }
    }

    /// Document with its number in many settings, so that a torn document is detected.
    private static func document(_ number: Int) -> ConfigurationState {
        var settings: [String: SettingValue] = ["number": .integer(number)]
        for index in 0..<200 { settings["copy\(index)"] = .integer(number) }
        return ConfigurationState(
            meta: ["template_version": .integer(number)],
            sections: ["S": ActiveConfigSection(settings: settings)])
    }

    private static func fill(_ store: FileDefaultsStore, size: Int) -> String {
        let text = String(repeating: "x", count: size)
        let section = ActiveConfigSection(settings: ["number": 2, "text": .string(text)])
        let state = ConfigurationState(meta: [:], sections: ["S": section])
        return outcome { try store.persistConfiguration(state, forUserID: "u") }
    }

    private static func outcome(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "stored"
        } catch let error as StoreError {
            return error.code.description
        } catch {
            return "\(error)"
        }
    }

    private static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}
