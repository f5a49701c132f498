/// The part of a ``TemplateStore`` that keeps what is known of the use of projects.
///
/// It is neither a change nor in the audit trail, and followers of the change feed do not see it. It
/// is not part of an archive, so a copy of a store begins without it. Deleting a project removes it.
public protocol UsageStoring: Sendable {
    /// Adds a batch to the usage of a project, atomically.
    ///
    /// Without effect if there is no such project. Deliveries and reads of a deleted project of the same
    /// name are left out: the versions of the new one are higher.
    ///
    /// - Parameters:
    ///   - batch: What was recorded since the last batch.
    ///   - project: The project's name.
    /// - Throws: ``TemplateStoreError`` when the engine fails.
    func recordUsage(
        _ batch: UsageBatch, inProject project: String
    ) async throws(TemplateStoreError)

    /// The usage of a project; an empty one when nothing is known, also when a stored one is damaged.
    ///
    /// - Throws: ``TemplateStoreError`` when the engine fails.
    func usage(inProject project: String) async throws(TemplateStoreError) -> ProjectUsage
}

/// Use of a project that one process has recorded.
public struct UsageBatch: Sendable, Hashable {
    /// The day of the batch.
    public var day: UsageDay

    /// The last delivery to each app.
    public var deliveries: [UsedApp: UsageMark]

    /// The last read of each setting by its name.
    public var reads: [UsedSetting: UsageMark]

    /// The share of clients on the newest version; nil if it was not measured.
    public var share: UsageShare?

    /// Creates a batch, by default one that only says that use is recorded since its day.
    public init(
        day: UsageDay, deliveries: [UsedApp: UsageMark] = [:],
        reads: [UsedSetting: UsageMark] = [:], share: UsageShare? = nil
    ) {
        self.day = day
        self.deliveries = deliveries
        self.reads = reads
        self.share = share
    }

    /// Adds an earlier or later batch.
    public mutating func add(_ other: UsageBatch) {
        day = min(day, other.day)
        deliveries.merge(other.deliveries, uniquingKeysWith: { $0.merged(with: $1) })
        reads.merge(other.reads, uniquingKeysWith: { $0.merged(with: $1) })
        share = share ?? other.share
    }

    /// The batch without what a deleted project of the same name has left.
    ///
    /// - Parameter deletedVersion: The last version of the deleted project; nil without one.
    /// - Returns: The rest of the batch.
    package func after(deletedVersion: Int?) -> UsageBatch {
        guard let deletedVersion else { return self }
        var batch = self
        batch.deliveries = deliveries.filter { $0.value.version > deletedVersion }
        batch.reads = reads.filter { $0.value.version > deletedVersion }
        if let share, share.version <= deletedVersion { batch.share = nil }
        return batch
    }
}

extension ProjectUsage {
    /// The usage with a batch; nil if that changes nothing.
    package func adding(_ batch: UsageBatch, deletedVersion: Int?) -> ProjectUsage? {
        var usage = self
        usage.add(batch.after(deletedVersion: deletedVersion))
        return usage == self ? nil : usage
    }
}
