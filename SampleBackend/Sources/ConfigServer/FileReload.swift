package import Logging
import TemplateStore

/// Reads files again when it is asked to, one reload at a time.
///
/// Runs in the background: a pipe or a mount that does not respond can block a reload for ever.
package final class FileReload: Sendable {
    private enum State {
        case idle
        /// `isWantedAgain` means that the files may have changed since this reload read them.
        case running(isWantedAgain: Bool)
    }

    private let name: String
    private let files: String
    private let timeLimit: Duration
    private let logger: Logger
    private let read: @Sendable () async throws -> Void
    private let state = Locked(State.idle)

    /// - Parameters:
    ///   - name: The content of the files, for the log.
    ///   - files: Their paths, for the log.
    ///   - timeLimit: The time after which the log has an error; the reload goes on.
    ///   - logger: Receives what was reloaded, and the reason when a file cannot be used.
    ///   - read: Reads the files; what they cannot replace stays in use.
    package init(
        _ name: String, files: String, timeLimit: Duration = .seconds(5), logger: Logger,
        read: @escaping @Sendable () async throws -> Void
    ) {
        self.name = name
        self.files = files
        self.timeLimit = timeLimit
        self.logger = logger
        self.read = read
    }

    /// Starts a reload; during one, causes one more after it, however often it is called.
    package func start() {
        let isIdle = state.withLock { state in
            if case .running = state {
                state = .running(isWantedAgain: true)
                return false
            }
            state = .running(isWantedAgain: false)
            return true
        }
        // A child task would have to end before the server does.
        if isIdle { Task { await run() } }
    }

    private func run() async {
        repeat { await reload() } while isWantedAgain()
    }

    private func isWantedAgain() -> Bool {
        state.withLock { state in
            guard case .running(isWantedAgain: true) = state else {
                state = .idle
                return false
            }
            state = .running(isWantedAgain: false)
            return true
        }
    }

    private func reload() async {
        let warning = Task {
            guard (try? await Task.sleep(for: timeLimit)) != nil else { return }
            logger.error(
                """
                The \(name) is not reloaded after \(timeLimit): the loaded one stays in use until the \
                file can be read
                """,
                metadata: ["file": "\(files)"])
        }
        defer { warning.cancel() }
        do {
            try await read()
            logger.notice("Reloaded the \(name)", metadata: ["file": "\(files)"])
        } catch {
            logger.error(
                "The \(name) could not be reloaded: the loaded one stays in use",
                metadata: ["file": "\(files)", "error": "\(error)"])
        }
    }
}
