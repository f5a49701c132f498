/// The app's code within a download, whose failure is none of the server.
///
/// A download has one mark: in a downloader of the app that makes several requests, the code that began
/// or ended last decides.
package enum AppCode {
    /// True while such code runs, and once it has thrown; set for a download.
    @TaskLocal static var isAtFault: Locked<Bool>?

    /// Runs code of the app.
    package static func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        isAtFault?.withLock { $0 = true }
        let result = try await body()
        // A time limit that ended it is its fault, too.
        try Task.checkCancellation()
        isAtFault?.withLock { $0 = false }
        return result
    }
}
