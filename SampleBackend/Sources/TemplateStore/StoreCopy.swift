/// The result of copying one store into another.
package struct StoreCopy: Sendable {
    /// The progress of a copy.
    package enum Progress: Sendable, Hashable {
        /// Number of copied changes; changes are most of a store.
        case copied(Int, of: Int)
        /// Number of changes that were read back.
        case compared(Int, of: Int)
    }

    /// The next version of each project in the target; nil for an exact copy.
    package private(set) var nextVersion: Int?

    /// The copied revision of the source.
    package let revision: StoreRevision

    /// The digest of the content, with its counts.
    package let digest: ArchiveDigest

    /// Copies the whole content of a store to an empty one, and compares both.
    ///
    /// - Parameters:
    ///   - source: The source; it is not changed.
    ///   - target: The target. Other processes cannot open it before the copy is complete and
    ///     compared;
    ///     after an error or an interruption they cannot open it at all.
    ///   - raise: Raises the version floor of the target: clients may have later versions than the
    ///     source, or of another store. The target has no sessions then, since some may have ended
    ///     after the state of the source. Nil makes an exact copy.
    ///   - report: Called after each record.
    /// - Returns: The revision and the content.
    /// - Throws: ``TemplateStoreError`` with the code `notEmpty`, or `damaged` when the copy differs.
    package static func make(
        from source: any ArchivingStore, to target: any ArchivingStore,
        raising raise: VersionRaise? = nil, report: (Progress) -> Void = { _ in }
    ) async throws(TemplateStoreError) -> StoreCopy {
        let archive = try await source.openArchive()
        let writer = try await target.beginFilling()
        var original = ArchiveDigest()
        var highest = 0
        try await archive.read { record throws(TemplateStoreError) in
            if raise != nil, case .session = record { return }
            original.add(record)
            if case .change(let entry, _) = record {
                highest = max(highest, try entry.highestVersion ?? 0)
            }
            try await writer.write(record)
            report(.copied(original.count(.auditEntries), of: archive.changeCount))
        }
        try await writer.flush()
        var copy = ArchiveDigest()
        try await target.openArchive().read { record throws(TemplateStoreError) in
            copy.add(record)
            report(.compared(copy.count(.auditEntries), of: archive.changeCount))
        }
        let differences = original.differences(from: copy)
        guard differences.isEmpty else {
            let names = differences.map { part in
                "\(part.rawValue) (\(original.count(part)) and \(copy.count(part)))"
            }
            throw TemplateStoreError(
                .damaged,
                "The copy differs from the source in its \(names.joined(separator: ", ")), and stays "
                    + "marked as incomplete: remove it and copy again.")
        }
        var result = StoreCopy(revision: archive.revision, digest: original)
        if let raise {
            let next = StoreRevision(archive.revision.number + 1)
            let (floor, entry) = try raise.applied(above: highest, revision: next)
            try await writer.write(.change(entry, nil))
            try await writer.flush()
            result.nextVersion = floor + 1
        }
        try await writer.complete()
        return result
    }
}
