package import Foundation

/// A pipe with a path, which blocks every reader until somebody writes.
package struct NamedPipe: Sendable {
    private let path: String

    /// Creates a pipe, in place of a file at the path.
    package init(at path: String) throws {
        self.path = path
        try? FileManager.default.removeItem(atPath: path)
        guard unsafe mkfifo(path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Waits until a process reads from the pipe, and returns its end for writing.
    package func writer() async throws -> FileHandle {
        var descriptor: Int32 = -1
        try await waitUntil {
            // Fails without a reader.
            descriptor = unsafe open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            return descriptor >= 0
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}
