/// A sequence of one section's values: the current one first, nil when there is none, then each new
/// one.
///
/// A slow consumer gets the newest.
public struct SectionValues: AsyncSequence, Sendable {
    /// The section's changes.
    let changes: SectionChanges

    /// Starts an iteration.
    public func makeAsyncIterator() -> Iterator {
        Iterator(changes: changes.makeAsyncIterator())
    }

    /// An iteration over a section's values.
    public struct Iterator: AsyncIteratorProtocol {
        /// The section's changes.
        var changes: SectionChanges.Iterator
        private var isFirst = true

        init(changes: SectionChanges.Iterator) {
            self.changes = changes
        }

        /// The next value; the outer nil when the task was cancelled.
        public mutating func next() async -> ActiveConfigSection?? {
            await next(isolation: #isolation)
        }

        /// The next value; the outer nil when the task was cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> ActiveConfigSection?? {
            if isFirst, !Task.isCancelled {
                isFirst = false
                return .some(await changes.takeCurrent(isolation: actor)?.new)
            }
            return await changes.next(isolation: actor).map(\.new)
        }
    }
}

@available(*, unavailable)
extension SectionValues.Iterator: Sendable {}
