import ActiveConfig
import Foundation

#if canImport(SwiftUI)
    import SwiftUI
#endif

/// The sample app: a coloured view whose colour, label and button are settings, for users 1, 2, 3.
///
/// It starts from a bundled bootstrap configuration, listens to its section, downloads on command,
/// and keeps the downloaded configuration between runs.
@main
enum SampleApp {
    @MainActor
    static func main() async {
        do {
            let options = try SampleOptions(arguments: Array(CommandLine.arguments.dropFirst()))
            if options.showsHelp {
                print(SampleOptions.help)
            } else if options.showsWindow {
                try showWindow()
            } else {
                exit(try await run(options) ? 0 : 1)
            }
        } catch {
            FileHandle.standardError.write(Data("ActiveConfigSampleApp: \(error)\n".utf8))
            exit(64)
        }
    }

    @MainActor
    private static func showWindow() throws(SampleOptions.Failure) {
        #if canImport(SwiftUI)
            SampleWindow.main()
        #else
            throw SampleOptions.Failure("There are no windows on this platform.")
        #endif
    }

    /// - Returns: False when a download failed.
    @MainActor
    private static func run(_ options: SampleOptions) async throws -> Bool {
        let model = SampleModel(options)
        defer { model.stop() }
        await model.start()
        if let script = options.script {
            for command in script {
                guard await model.perform(command) else { break }
            }
        } else if Terminal.isInteractive, !options.isJSON {
            try await Terminal.withKeys { keys in
                for await key in keys {
                    guard let command = SampleCommand(key: key) else { continue }
                    guard await model.perform(command) else { break }
                }
            }
        } else if options.isLive {
            // Standard input would block the main thread, and with it the updates.
            await model.follow()
        } else {
            while let line = readLine() {
                for command in try SampleCommand.script(line) {
                    guard await model.perform(command) else { return model.hasSucceeded }
                }
            }
        }
        return model.hasSucceeded
    }
}
