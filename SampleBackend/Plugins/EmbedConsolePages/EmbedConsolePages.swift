import Foundation
import PackagePlugin

/// A plugin that makes the pages of the console a part of the program, so that it stays one file.
///
/// `embedInCode` would want each file by name, in the manifest and again in the sources.
@main
struct EmbedConsolePages: BuildToolPlugin {
    /// Writes each file of the folder `Pages` into a source file.
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = target.directoryURL.appending(path: "Pages")
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { !$0.hasPrefix(".") }.sorted().map { folder.appending(path: $0) }
        let output = context.pluginWorkDirectoryURL.appending(path: "ConsolePages+Files.swift")
        return [
            .buildCommand(
                displayName: "Embedding the pages of the console",
                executable: try context.tool(named: "EmbedPages").url,
                arguments: [output.path] + pages.map(\.path),
                inputFiles: pages, outputFiles: [output])
        ]
    }
}
