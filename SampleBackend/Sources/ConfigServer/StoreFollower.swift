import AdminAPI
import ClientAPI
import Logging
import ServiceLifecycle
import TemplateStore

/// A type that keeps the library and the tokens as the store has them, whichever process changes it.
struct StoreFollower: Service {
    /// How often the last uses of tokens are stored.
    private static let useInterval: Duration = .seconds(30)

    /// The longest wait after a store that does not answer.
    private static let maximumDelay: Duration = .seconds(5)

    /// What holds the templates.
    let library: TemplateLibrary

    /// What holds the tokens.
    let access: AdministratorAccess

    /// Where faults are named.
    let logger: Logger

    /// What is counted.
    let metrics: LibraryMetrics

    /// Reads all that the server answers from.
    func load() async throws(TemplateStoreError) {
        try await library.load()
        access.setTokens(try await library.store.tokens())
    }

    /// Follows the store until the task is cancelled or the server shuts down.
    func run() async {
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                group.addTask { await follow() }
                group.addTask { await storeUses() }
            }
        }
        await storeUsesOnce()
    }

    /// Follows the changes; when they are lost, reads everything anew.
    private func follow() async {
        var delay: Duration = .milliseconds(100)
        while !Task.isCancelled {
            do {
                for try await change in library.store.changes(since: library.revision) {
                    try await library.apply(change)
                    if change.subject == .tokens {
                        access.setTokens(try await library.store.tokens())
                    }
                    delay = .milliseconds(100)
                }
                if Task.isCancelled { return }
                try await load()
            } catch {
                if Task.isCancelled { return }
                metrics.countStoreError(operation: "watch")
                logger.warning("The store's changes were lost", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: delay * Double.random(in: 0.5...1))
                delay = min(delay * 2, Self.maximumDelay)
                try? await load()
            }
        }
    }

    /// Stores when tokens were last used, every now and then.
    private func storeUses() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.useInterval)
            await storeUsesOnce()
        }
    }

    /// Stores when tokens were last used.
    private func storeUsesOnce() async {
        for (id, date) in access.takeUses() {
            do {
                try await library.store.recordUse(ofToken: id, date: date)
            } catch {
                metrics.countStoreError(operation: "record_use")
                logger.warning(
                    "When a token was last used was not stored", metadata: ["error": "\(error)"])
            }
        }
    }
}
