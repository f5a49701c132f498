import Crypto
package import Foundation
import JSONTree

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file with the last ``TemplateStoreSnapshot``, from which a server can start when its store
/// does not respond.
///
/// It has no tokens, sessions, drafts or secrets of webhooks. A write replaces the whole file,
/// which only its owner can read; a symbolic link stays, and its target is replaced. A file that is
/// not a snapshot, or cannot be used, is never replaced. The first line names the format, and the
/// second is the SHA-256 of the rest, which is JSON.
package struct SnapshotFile: Sendable {
    /// A snapshot, and the time at which it was read from the store.
    package struct Kept: Sendable, Hashable {
        package var snapshot: TemplateStoreSnapshot
        package let date: Date
        /// A mark of the store that has all changes of the snapshot; nil for engines without marks.
        package let mark: StoreMark?

        package init(snapshot: TemplateStoreSnapshot, date: Date, mark: StoreMark?) {
            self.snapshot = snapshot
            self.date = date
            self.mark = mark
        }
    }

    /// Maximum size in bytes.
    private static let maximumBytes = 1 << 30

    private static let name = "activeconfig-snapshot"
    private static let format = 2

    /// Maximum number of chained symbolic links.
    private static let maximumLinks = 40

    package let path: String

    package init(path: String) { self.path = path }

    /// Creates and removes a file next to this one.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `unavailable` when that fails, or when the
    ///   path is a
    ///   folder or another item that is not a file.
    package func checkIsWritable() throws(TemplateStoreError) {
        do {
            let target = try target()
            if let type = Self.type(of: target), type != .typeRegular {
                throw CocoaError(.fileWriteFileExists)
            }
            try FileManager.default.removeItem(atPath: makeTemporary(for: target))
        } catch {
            throw cannotBeWritten(error)
        }
    }

    /// Replaces the file.
    ///
    /// Keeps it if it cannot be used, or if its snapshot is of another store or a later revision:
    /// it may be the last copy of that store's content.
    ///
    /// - Throws: ``TemplateStoreError``: the errors of ``read()``, or one with the code
    ///   `unavailable`; the
    ///   file is unchanged then.
    package func write(_ kept: Kept) throws(TemplateStoreError) {
        if let earlier = try read() {
            let advice = "move the file away if the store was replaced or restored on purpose."
            if let mark = earlier.mark, mark.storeID != kept.mark?.storeID {
                throw TemplateStoreError(
                    .unavailable,
                    "The snapshot \(path) is of another store: give each store its own file, or "
                        + advice)
            }
            if earlier.snapshot.revision > kept.snapshot.revision {
                throw TemplateStoreError(
                    .unavailable,
                    "The snapshot \(path) is of revision \(earlier.snapshot.revision), and the store "
                        + "is at \(kept.snapshot.revision): \(advice)")
            }
        }
        do {
            let content = try JSONEncoder().encode(SnapshotRecord(kept))
            let digest = Data(SHA256.hash(data: content)).hexadecimal
            let head = "\(Self.name) \(Self.format)\n\(digest)\n"
            guard head.utf8.count + content.count <= Self.maximumBytes else {
                throw CocoaError(.fileWriteOutOfSpace)
            }
            try replace(by: Data(head.utf8) + content)
        } catch {
            throw cannotBeWritten(error)
        }
    }

    private func cannotBeWritten(_ error: any Error) -> TemplateStoreError {
        if let error = error as? TemplateStoreError { return error }
        return TemplateStoreError(
            .unavailable,
            "The snapshot \(path) cannot be written: check that its folder exists, that this user may "
                + "write there, and the space on the disk.", underlyingError: error)
    }

    /// Reads the file; nil when it does not exist.
    ///
    /// Unreadable records become omissions of the snapshot.
    ///
    /// - Throws: ``TemplateStoreError``: `damaged`, `otherSchema`, or `unavailable` when it cannot be
    ///   read.
    package func read() throws(TemplateStoreError) -> Kept? {
        let target: String
        do {
            target = try self.target()
        } catch {
            throw damaged("it is a link that leads to itself")
        }
        guard FileManager.default.fileExists(atPath: target) else { return nil }
        // Opening a pipe would wait for a writer.
        guard Self.type(of: target) == .typeRegular else {
            throw damaged("it is not a regular file")
        }
        let data: Data
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: target))
            defer { try? file.close() }
            data = try file.read(upToCount: Self.maximumBytes + 1) ?? Data()
        } catch {
            throw TemplateStoreError(
                .unavailable,
                "The snapshot \(path) cannot be read: make it readable, or move the file away.",
                underlyingError: error)
        }
        let lines = data.split(
            separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
        let head = lines.first.map { String(decoding: $0.prefix(64), as: UTF8.self) } ?? ""
        let words = head.split(separator: " ")
        guard words.count == 2, words[0] == Self.name, let format = Int(words[1]), format > 0
        else {
            throw damaged("it is not a snapshot")
        }
        guard format == Self.format else {
            throw TemplateStoreError(
                .otherSchema,
                "The snapshot \(path) has the format \(format), and this program reads only the "
                    + "format \(Self.format): use the program that wrote it, or move the file "
                    + "away.")
        }
        guard data.count <= Self.maximumBytes, lines.count == 3,
            Data(SHA256.hash(data: lines[2])).hexadecimal.utf8.elementsEqual(lines[1])
        else { throw damaged("its content does not match its checksum") }
        guard let record = try? JSONDecoder().decode(SnapshotRecord.self, from: Data(lines[2])),
            record.isInRange
        else { throw damaged("its content cannot be read") }
        var kept = record.kept
        kept.snapshot.omissions = record.unreadableRecords.map {
            "The record \($0) of the snapshot \(path) cannot be read and is missing until the store "
                + "is read."
        }
        return kept
    }

    private func damaged(_ reason: String) -> TemplateStoreError {
        TemplateStoreError(
            .damaged,
            "The snapshot \(path) cannot be used, since \(reason), and is not replaced: move the "
                + "file away, or give another one.")
    }

    /// The type of the item at a path; nil when there is none.
    private static func type(of path: String) -> FileAttributeType? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.type] as? FileAttributeType
    }

    /// The path to which symbolic links lead; the file need not exist.
    private func target() throws -> String {
        var path = path
        for _ in 0..<Self.maximumLinks {
            guard
                let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            else { return path }
            path = URL(filePath: link, relativeTo: URL(filePath: path)).path
        }
        throw POSIXError(.ELOOP)
    }

    /// Creates an empty file next to the target under a unique name, and returns its path.
    private func makeTemporary(for target: String) throws -> String {
        let temporary = "\(target).new-\(UUID().uuidString.prefix(8).lowercased())"
        guard
            FileManager.default.createFile(
                atPath: temporary, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        return temporary
    }

    /// Removes files that terminated servers left next to the target: those not modified for an
    /// hour.
    private func removeLeftovers(of target: String) {
        let file = URL(filePath: target)
        let folder = file.deletingLastPathComponent()
        let prefix = "\(file.lastPathComponent).new-"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix(prefix) && name.count == prefix.count + 8 {
            let path = folder.appending(path: name).path
            guard Self.type(of: path) == .typeRegular,
                let attributes = try? FileManager.default.attributesOfItem(atPath: path),
                let date = attributes[.modificationDate] as? Date,
                date.timeIntervalSinceNow < -3_600
            else { continue }
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// Writes a file next to the target, and renames it.
    private func replace(by data: Data) throws {
        let target = try target()
        removeLeftovers(of: target)
        let temporary = try makeTemporary(for: target)
        do {
            let file = try FileHandle(forWritingTo: URL(filePath: temporary))
            defer { try? file.close() }
            try file.write(contentsOf: data)
            try file.synchronize()
            guard unsafe rename(temporary, target) == 0 else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
        } catch {
            try? FileManager.default.removeItem(atPath: temporary)
            throw error
        }
    }
}
