import Foundation
import PackagePlugin

/// A plugin that makes the files of a target's folder `Pages` or `Resources` a part of the program, so
/// that it stays one file.
///
/// SwiftPM's `embedInCode` writes an array literal of bytes instead: the compiler takes over a minute for
/// `openapi.json`, and the manifest has to name each file.
@main
struct EmbedFiles: BuildToolPlugin {
    /// Writes the files into the source file `EmbeddedFiles.swift`.
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folders = ["Pages", "Resources"].map { target.directoryURL.appending(path: $0) }
            .filter { FileManager.default.fileExists(atPath: $0.path) }
        let files = try folders.flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: folder.path)
                .filter { !$0.split(separator: "/").contains { $0.hasPrefix(".") } }
                .sorted().map { folder.appending(path: $0).resolvingSymlinksInPath() }
                .filter {
                    try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
                }
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding \(files.count) files in \(target.name)",
                executable: try context.tool(named: "FileEmbedder").url,
                arguments: [output.path] + folders.map(\.path),
                inputFiles: files, outputFiles: [output])
        ]
    }
}
