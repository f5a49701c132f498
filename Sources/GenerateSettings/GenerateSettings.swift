import Foundation
import PackagePlugin

/// A plug-in that generates typed keys for the settings of a target's configurations.
///
/// It processes each file of the target whose name ends in `ActiveConfig.json`, in any case,
/// including those in folders that are copied as resources. `NAME.schema.json` beside `NAME.json`
/// is its schema.
@main
struct GenerateSettings: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        commands(
            files: target.sourceModule?.sourceFiles.map(\.url) ?? [], target: target.name,
            tool: try context.tool(named: "ActiveConfigGenerator").url,
            folder: context.pluginWorkDirectoryURL)
    }

    private func commands(
        files: [URL], target: String, tool: URL, folder: URL
    ) -> [Command] {
        let documents = files.flatMap(documents).sorted { $0.path < $1.path }
        if documents.isEmpty {
            Diagnostics.warning(
                "GenerateSettings: no file of the target \(target) has a name that ends in "
                    + "ActiveConfig.json; add the configuration to the target's resources")
        }
        // Some file systems are case-insensitive.
        let names = Dictionary(grouping: documents) {
            $0.deletingPathExtension().lastPathComponent.lowercased()
        }
        for documents in names.values where documents.count > 1 {
            let list = documents.map(\.lastPathComponent).joined(separator: ", ")
            Diagnostics.error(
                "GenerateSettings: the target \(target) has \(documents.count) files of one name: "
                    + "\(list); rename all but one")
        }
        return documents.map { command(for: $0, tool: tool, folder: folder) }
    }

    /// The configurations in a file or folder of the target.
    private func documents(in file: URL) -> [URL] {
        var files = [file]
        if file.hasDirectoryPath {
            let paths = try? FileManager.default.subpathsOfDirectory(atPath: file.path)
            files = (paths ?? []).map { file.appending(path: $0) }
        }
        return files.filter { $0.lastPathComponent.lowercased().hasSuffix("activeconfig.json") }
    }

    private func command(for document: URL, tool: URL, folder: URL) -> Command {
        let base = document.deletingPathExtension()
        let output = folder.appending(path: base.lastPathComponent + "+Keys.swift")
        var arguments = [document.path, "--output", output.path]
        var inputs = [document]
        let schema = base.appendingPathExtension("schema.json")
        if FileManager.default.fileExists(atPath: schema.path) {
            arguments += ["--schema", schema.path]
            inputs.append(schema)
        }
        return .buildCommand(
            displayName: "Generating keys from \(document.lastPathComponent)", executable: tool,
            arguments: arguments, inputFiles: inputs, outputFiles: [output])
    }
}

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin

    extension GenerateSettings: XcodeBuildToolPlugin {
        func createBuildCommands(
            context: XcodePluginContext, target: XcodeTarget
        ) throws -> [Command] {
            commands(
                files: target.inputFiles.map(\.url), target: target.displayName,
                tool: try context.tool(named: "ActiveConfigGenerator").url,
                folder: context.pluginWorkDirectoryURL)
        }
    }
#endif
