public import ActiveConfig

/// A listener that records its calls.
///
/// ```swift
/// let listener = RecordingListener()
/// config.registerListener(listener, forSectionName: "Home")
/// let first = try await listener.waitForDeliveries(1)[0]
/// ```
public final class RecordingListener: ActiveConfigListener {
    /// One call.
    public struct Delivery: Sendable, Hashable {
        /// The section's name.
        public let sectionName: String
        /// The section; nil when it was removed.
        public let section: ActiveConfigSection?

        /// Creates a delivery, for comparisons.
        ///
        /// - Parameters:
        ///   - sectionName: The section's name.
        ///   - section: The section.
        public init(_ sectionName: String, _ section: ActiveConfigSection?) {
            self.sectionName = sectionName
            self.section = section
        }
    }

    private let recorded = AwaitableState<[Delivery]>([])
    private let body: @Sendable (ActiveConfig, Delivery) -> Void

    /// Creates a listener.
    ///
    /// - Parameter body: Called from within each call, after it was recorded.
    public init(
        _ body: @escaping @Sendable (ActiveConfig, Delivery) -> Void = { _, _ in }
    ) {
        self.body = body
    }

    /// The deliveries so far, in order.
    public var deliveries: [Delivery] { recorded.value }

    /// The sections delivered so far, in order.
    public var sections: [ActiveConfigSection?] { recorded.value.map(\.section) }

    /// Waits for a number of deliveries.
    ///
    /// - Parameter count: The number of deliveries, since the beginning.
    /// - Returns: All deliveries, `count` or more.
    /// - Throws: `CancellationError` when the task is cancelled.
    @discardableResult
    public func waitForDeliveries(_ count: Int) async throws -> [Delivery] {
        try await recorded.wait { $0.count >= count }
    }

    /// Records a call.
    public func activeConfig(
        _ config: ActiveConfig, didReceiveConfigSection section: ActiveConfigSection?,
        forSectionName sectionName: String
    ) {
        let delivery = Delivery(sectionName, section)
        recorded.withLock { $0.append(delivery) }
        body(config, delivery)
    }
}
