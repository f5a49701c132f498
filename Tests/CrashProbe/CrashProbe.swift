import ActiveConfig
import ActiveConfigTrust
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An app with a crash guard that crashes on a value; tests run it as a process.
///
/// `CrashProbe FOLDER LIMIT WINDOW [DOCUMENT]` starts with the store in FOLDER, a guard with that
/// limit and a window in milliseconds, and user "1". DOCUMENT, if given, is the answer of the
/// server and is downloaded first. The process prints the value of `Home.mode` and the verdict,
/// crashes if the value is `crash`, and then executes each line of its input: `healthy`,
/// `background`, `exit`, or `version`, which prints the active version.
@main
enum CrashProbe {
    private struct Answer: ActiveConfigDownloader {
        let file: String

        func requestActiveConfig(
            forUserID userID: String?, lastKnown: ConfigurationState?
        ) async throws -> ConfigurationState? {
            var state = try ConfigurationState(jsonData: Data(contentsOf: URL(filePath: file)))
            state.entityTag = "\"\(state.templateVersion ?? 0)\""
            return state.entityTag == lastKnown?.entityTag ? nil : state
        }
    }

    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count > 3, let limit = Int(arguments[2]), let window = Int(arguments[3])
        else { return say("usage: see the source") }
        let crashGuard = CrashGuard(crashLimit: limit, window: .milliseconds(window))
        let options = ActiveConfigOptions(vetting: [crashGuard], log: .disabled)
        let config = ActiveConfig(
            configDownloader: Answer(file: arguments.last ?? ""),
            configStore: FileDefaultsStore(directory: URL(filePath: arguments[1]), log: .disabled),
            listenerQueue: DispatchQueue(label: "listeners"), options: options)
        config.currentUserID = "1"
        if arguments.count > 4 { _ = try? await config.downloadNewConfig() }
        let mode = config["Home"]?.string(forKey: "mode") ?? "none"
        say("mode: \(mode)")
        say("verdict: \(crashGuard.verdict?.description ?? "none")")
        if mode == "crash" {
            abort()
        }
        while let line = readLine() {
            switch line {
            case "healthy": crashGuard.markHealthy()
            case "background": crashGuard.didEnterBackground()
            case "version": say("version: \(config.currentConfiguration.templateVersion ?? 0)")
            default: exit(0)
            }
            say("done: \(line)")
        }
    }

    private static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}
