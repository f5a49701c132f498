/// The changes of a store after a revision, in order, until they are lost or the store is closed.
public struct StoreChanges: AsyncSequence, Sendable {
    private let stream: AsyncThrowingStream<StoreChange, any Error>

    /// Makes a sequence of a stream, for implementations of ``TemplateStore``.
    ///
    /// - Parameter stream: It fails with a ``TemplateStoreError`` only.
    public init(_ stream: AsyncThrowingStream<StoreChange, any Error>) {
        self.stream = stream
    }

    /// Starts to listen.
    public func makeAsyncIterator() -> AsyncThrowingStream<StoreChange, any Error>.Iterator {
        stream.makeAsyncIterator()
    }
}
