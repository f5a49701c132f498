#if canImport(FoundationNetworking)
    import Foundation

    /// A queue for the delegate of a session that calls it at once, where the data is read.
    ///
    /// Foundation on Linux reads on however far the delegate is behind, and keeps in memory what the
    /// delegate has not seen. With this queue it cannot read ahead.
    final class InlineOperationQueue: OperationQueue, @unchecked Sendable {  // It has no state.
        override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    }
#endif
