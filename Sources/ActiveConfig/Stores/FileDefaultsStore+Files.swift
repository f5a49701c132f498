import Foundation

/// Files of a ``FileDefaultsStore``, and the order of the steps that change them.
///
/// After each step a reader gets the newest whole record, or none after a removal. A power loss can
/// undo replacements but not removals: a reader then gets the newest record, or a whole earlier
/// one.
extension FileDefaultsStore {
    struct UserFiles {
        let userID: UserID
        /// The newest record.
        let current: String
        /// The last valid record before it.
        var previous: String { "\(current).previous" }

        /// The last replaced record of a later version of the framework; only ever removed again.
        var newer: String { "\(current).newer" }

        /// The files of the pending configuration.
        var pending: UserFiles { UserFiles(userID, "\(name).pending") }

        private let name: String

        init(_ userID: UserID) {
            self.init(userID, userID.storeName)
        }

        private init(_ userID: UserID, _ name: String) {
            self.userID = userID
            self.name = name
            current = "\(name).activeconfig"
        }

        /// All files, apart from ``current``, that a removal deletes.
        var others: [String] {
            [
                FileDefaultsStore.damaged(current), FileDefaultsStore.damaged(previous), previous,
                newer,
            ]
        }
    }

    private static let newFile = ".new"
    private static let replacedFile = ".replaced"

    private static func damaged(_ name: String) -> String { "\(name).damaged" }

    private enum Content {
        case absent
        case record(StoredRecord)
        case damaged(StoredRecord.Damage)
        /// A record of a later version of the framework.
        case newer
        /// The file exists, but its content is unknown.
        case unreadable(StoreError)
    }

    private func examine(_ name: String, _ userID: UserID) -> Content {
        do throws(StoreError) {
            guard let data = try folder.read(name) else { return .absent }
            if StoredRecord.isOfNewerVersion(data) { return .newer }
            do throws(StoredRecord.Damage) {
                return .record(try StoredRecord(data, of: userID))
            } catch {
                return .damaged(error)
            }
        } catch {
            return .unreadable(error)
        }
    }

    /// Nil, with a log message, when the file has no valid record.
    func read(_ name: String, _ userID: UserID) -> StoredRecord? {
        switch examine(name, userID) {
        case .absent: return nil
        case .record(let record): return record
        case .damaged(let damage): return putAside(name, userID, damage)
        case .newer:
            log(
                .warning,
                "The file \(folder.path(of: name)) is of a later version of the framework; it is left "
                    + "out, and stays where it is.")
            return nil
        case .unreadable(let error):
            log(.warning, "A file is left out as long as it cannot be read: \(error)")
            return nil
        }
    }

    /// Nil, with a log message, when the file cannot be used.
    func configuration(in name: String, _ userID: UserID) -> ConfigurationState? {
        do throws(ConfigurationFormatError) {
            return try read(name, userID)?.configuration()
        } catch {
            log(
                .warning,
                "The file \(folder.path(of: name)) cannot be used and is left out: \(error)")
            return nil
        }
    }

    /// Renames a damaged file if the lock is free.
    ///
    /// Returns the new record if the file was replaced since it was read. The rename is not
    /// synchronized: a damaged file that reappears is put aside again.
    private func putAside(
        _ name: String, _ userID: UserID, _ damage: StoredRecord.Damage
    ) -> StoredRecord? {
        do throws(StoreError) {
            let content = try folder.withLockIfFree { () throws(StoreError) in
                let content = examine(name, userID)
                if case .damaged = content { try folder.rename(name, to: Self.damaged(name)) }
                return content
            }
            switch content {
            case .record(let record): return record
            case .damaged(let damage): logPutAside(name, damage)
            case .absent, .newer, .unreadable: break
            }
        } catch {
            log(
                .warning,
                "The file \(folder.path(of: name)) is damaged (\(damage.description)) and stays where "
                    + "it is for now: \(error)")
        }
        return nil
    }

    private func logPutAside(_ name: String, _ damage: StoredRecord.Damage) {
        log(
            .warning,
            "The file \(folder.path(of: name)) is damaged and was put aside as "
                + "\(Self.damaged(name)): \(damage.description).")
    }

    /// Replaces a user's record by the result of `change`; the old one becomes the previous one,
    /// and one of a later version of the framework is kept under a name of its own.
    func change(_ files: UserFiles, _ change: (Data?) -> Data?) throws(StoreError) {
        var damage: StoredRecord.Damage?
        var isNewer = false
        defer {
            if let damage { logPutAside(files.current, damage) }
        }
        try folder.withLock { () throws(StoreError) in
            let current = examine(files.current, files.userID)
            var (old, isSound) = (Data?.none, false)
            switch current {
            case .record(let record): (old, isSound) = (record.data, true)
            case .absent, .damaged, .newer, .unreadable:
                // The record that readers get.
                if case .record(let record) = examine(files.previous, files.userID) {
                    old = record.data
                }
            }
            guard let new = change(old) else {
                switch current {
                // An unreadable record counts as absent for the caller, and stays.
                case .absent, .newer, .unreadable: if old == nil { return }
                case .record, .damaged: break
                }
                return try removeLocked(files)
            }
            if isSound, new == old { return }
            switch current {
            case .absent, .unreadable, .record: break
            case .newer:
                isNewer = true
                try folder.link(files.current, as: files.newer)
            case .damaged(let found):
                try folder.rename(files.current, to: Self.damaged(files.current))
                damage = found
            }
            try folder.write(new, as: Self.newFile)
            do throws(StoreError) {
                if isSound { try folder.link(files.current, as: Self.replacedFile) }
                // From here on readers get the new record, so no later step may undo this one. The
                // folder is not synchronized: a power loss can restore the previous record.
                try folder.rename(Self.newFile, to: files.current)
            } catch {
                for name in [Self.newFile, Self.replacedFile] { try? folder.remove(name) }
                throw error
            }
            // If this fails, the previous record stays.
            if isSound { try? folder.rename(Self.replacedFile, to: files.previous) }
        }
        if isNewer {
            log(
                .warning,
                "The file \(folder.path(of: files.current)) was of a later version of the framework; it "
                    + "was replaced, and is kept as \(files.newer).")
        }
    }

    /// Durably replaces a file by the result of `change` on its content; nil, as content or result,
    /// means no file.
    func update(
        _ name: String, _ change: (Data?) -> Data?
    ) throws(StoreError) {
        try folder.withLock { () throws(StoreError) in
            let old = try folder.read(name)
            guard let new = change(old) else {
                if old != nil { try folder.remove(name) }
                return try folder.synchronize()
            }
            if new == old { return }
            try folder.write(new, as: Self.newFile)
            do throws(StoreError) {
                try folder.rename(Self.newFile, to: name)
            } catch {
                try? folder.remove(Self.newFile)
                throw error
            }
            try folder.synchronize()
        }
    }

    /// Removes a user's record and pending record.
    func remove(_ files: UserFiles) throws(StoreError) {
        guard try folder.contains(".") else { return }
        try folder.withLock { () throws(StoreError) in try removeLocked(files) }
    }

    private func removeLocked(_ files: UserFiles) throws(StoreError) {
        let newest =
            switch examine(files.current, files.userID) {
            case .record, .newer, .unreadable: files.current
            case .absent, .damaged: files.previous
            }
        let pending = files.pending
        let names =
            [Self.newFile, Self.replacedFile, pending.current] + pending.others + files.others
            + [files.current]
        for name in names where name != newest { try folder.remove(name) }
        // The current file is removed last, after no older one can take its place.
        try folder.synchronize()
        try folder.remove(newest)
        try folder.synchronize()
    }
}
