/// The app's code within a download, whose failure is none of the server.
package enum AppCode {
    /// True while such code runs, and once it has thrown; set for a download.
    @TaskLocal static var isAtFault: Locked<Bool>?

    /// Runs code of the app.
    package static func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        isAtFault?.withLock { $0 = true }
        let result = try await body()
        isAtFault?.withLock { $0 = false }
        return result
    }
}
