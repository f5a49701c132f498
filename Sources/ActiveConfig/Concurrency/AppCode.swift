/// Tells failures of the app's code, such as a closure that creates a request, from those of the server.
///
/// Only the latter make a download wait. The errors stay as they are, so that an app catches its own.
/// A download has one mark: in a downloader of the app that makes several requests, the code that began
/// or ended last decides.
package enum AppCode {
    /// True while code of the app runs, and after it has thrown; nil outside a download.
    @TaskLocal static var isAtFault: Locked<Bool>?

    /// Runs code of the app.
    package static func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        isAtFault?.withLock { $0 = true }
        let result = try await body()
        // Code that returns only because a time limit has cancelled it is at fault, too.
        try Task.checkCancellation()
        isAtFault?.withLock { $0 = false }
        return result
    }
}
