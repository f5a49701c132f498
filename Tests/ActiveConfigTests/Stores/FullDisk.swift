import Foundation

/// File system of 128 KiB, mounted at a folder.
struct FullDisk {
    private let path: String

    /// True if this process may mount file systems; tries it.
    static var isAvailable: Bool {
        #if os(Linux)
            let folder = FileManager.default.temporaryDirectory.appending(
                path: "ActiveConfigTests-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            guard let disk = try? FullDisk(at: folder) else { return false }
            disk.unmount()
            return true
        #else
            return false
        #endif
    }

    /// Creates the folder and mounts the file system there.
    init(at folder: URL) throws {
        path = folder.path(percentEncoded: false)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.run("mount", ["-t", "tmpfs", "-o", "size=128k", "none", path])
    }

    func unmount() { try? Self.run("umount", [path]) }

    private static func run(_ command: String, _ arguments: [String]) throws {
        let status = try ChildProcess.run("/usr/bin/env", [command] + arguments)
        if status != 0 { throw CocoaError(.fileWriteUnknown) }
    }
}
