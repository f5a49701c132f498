extension AsyncStream<Void> {
    /// False when the task was cancelled.
    package func waitForNext(isolation actor: isolated (any Actor)?) async -> Bool {
        // All iterators of a stream share its state, and a new one may leave the actor.
        var iterator = makeAsyncIterator()
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            return await iterator.next(isolation: actor) != nil
        }
        return await iterator.next() != nil
    }
}
