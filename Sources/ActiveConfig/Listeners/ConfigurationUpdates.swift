/// A sequence of values, changes or events of a configuration, as they become active.
///
/// ```swift
/// for await isOn in config.values(for: .isCheckoutOn) { … }
/// ```
///
/// From the start of the iteration no change is missed and elements do not pile up: a slow consumer
/// gets the newest value, or several changes combined into one. The sequence ends when its task is
/// cancelled, and keeps the ``ActiveConfig`` alive until then.
public struct ConfigurationUpdates<Element: Sendable>: AsyncSequence, Sendable {
    /// The state of an iteration.
    package struct Iteration: Sendable {
        let signals: AsyncStream<Void>
        let next: @Sendable () async -> Element?

        /// - Parameters:
        ///   - signals: Yields whenever there may be an element.
        ///   - next: The next element; nil when there is none yet. It must not wait.
        package init(
            signals: AsyncStream<Void>, next: @escaping @Sendable () async -> Element?
        ) {
            self.signals = signals
            self.next = next
        }
    }

    private let start: @Sendable () -> Iteration

    package init(_ start: @escaping @Sendable () -> Iteration) { self.start = start }

    /// Starts an iteration; no later change is missed.
    public func makeAsyncIterator() -> Iterator { Iterator(iteration: start()) }

    /// An iteration.
    public struct Iterator: AsyncIteratorProtocol {
        let iteration: Iteration

        /// The next element; nil when the task was cancelled.
        public mutating func next() async -> Element? { await next(isolation: #isolation) }

        /// The next element; nil when the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while !Task.isCancelled {
                if let element = await iteration.next() { return element }
                guard await iteration.signals.waitForNext(isolation: actor) else { return nil }
            }
            return nil
        }
    }
}

@available(*, unavailable)
extension ConfigurationUpdates.Iterator: Sendable {}
