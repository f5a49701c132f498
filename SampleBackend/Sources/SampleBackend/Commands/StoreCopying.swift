import ArgumentParser
import Foundation
import JSONTree
import TemplateStore

/// Copies one store into another, for the commands `backup`, `copy` and `restore`.
struct StoreCopying: Sendable {
    /// Minimum time between two lines of progress.
    private static let pause: Duration = .milliseconds(100)

    let source: StoreLocation
    let target: StoreLocation
    /// Whether to print one JSON document instead of a sentence.
    var json: Bool
    /// The backup whose incomplete file is the target; nil when the target is a store.
    var backup: BackupFile?

    /// Copies, compares and prints the result.
    ///
    /// - Throws: A ``CommandFailure``.
    func run() async throws {
        guard target != .memory else {
            throw CommandFailure(
                "A copy in memory is lost immediately: give sqlite:PATH or etcd:URL,….",
                code: Exit.usage)
        }
        let original = try await source.openExisting(isForReading: true)
        let result: StoreCopy
        do throws(TemplateStoreError) {
            if target.isBackup { throw TemplateStoreError.isBackup("\(target)") }
            let copy = try await target.open()
            do {
                result = try await run(from: original, to: copy)
                await copy.close()
            } catch {
                await copy.close()
                backup?.removePartialFiles()
                throw error
            }
            await original.close()
        } catch {
            await original.close()
            throw backup?.failure(error) ?? CommandFailure(error)
        }
        try backup?.complete()
        print(result)
    }

    private func run(
        from original: any ArchivingStore, to copy: any ArchivingStore
    ) async throws(TemplateStoreError) -> StoreCopy {
        var last: ContinuousClock.Instant?
        defer { Terminal.showProgress(nil) }
        // Apps may have later versions than a backup, or those of another store.
        let raise =
            backup == nil
            ? VersionRaise(actor: "command line", reason: "copied from \(source)") : nil
        return try await StoreCopy.make(from: original, to: copy, raising: raise) { progress in
            guard last.map({ $0.duration(to: .now) >= Self.pause }) ?? true else { return }
            last = .now
            switch progress {
            case .copied(let count, let all):
                Terminal.showProgress("Copied \(count) of \(all) changes…")
            case .compared(let count, let all):
                Terminal.showProgress("Compared \(count) of \(all) changes…")
            }
        }
    }

    private func print(_ copy: StoreCopy) {
        let target = backup.map { StoreLocation.sqlite(path: $0.path) } ?? target
        let counts = ArchiveDigest.Part.allCases.map { ($0, copy.digest.count($0)) }
        if json {
            var node: JSONNode = [
                "from": .string(source.description), "to": .string(target.description),
                "revision": .number("\(copy.revision)"), "verified": true,
            ]
            for (part, count) in counts { node.setMember(part.rawValue, .number("\(count)")) }
            node.setMember("nextVersion", copy.nextVersion.map { .string("\($0)") })
            return Output.print(node)
        }
        let parts = counts.filter { $1 > 0 }.map { "\($1) \(Self.name($0, $1))" }
        Terminal.print(
            """
            Copied \(source) at revision \(copy.revision) to \(target), and compared both:
              \(parts.isEmpty ? "nothing" : parts.joined(separator: ", ")).
            """)
        guard let next = copy.nextVersion else { return }
        Terminal.print(
            "The next version of each project is \(next), above the versions that apps may have.")
        Terminal.print(
            "People sign in to the console again. Tokens that were revoked after this state are "
                + "valid again, and protections are as they were: look at \"sample-backend tokens "
                + "list\".")
    }

    private static func name(_ part: ArchiveDigest.Part, _ count: Int) -> String {
        let (one, several) =
            switch part {
            case .projects: ("project", "projects")
            case .versions: ("version", "versions")
            case .details: ("project with details", "projects with details")
            case .pins: ("user with pinned values", "users with pinned values")
            case .tokens: ("token", "tokens")
            case .sessions: ("session", "sessions")
            case .webhooks: ("webhook", "webhooks")
            case .deliveries: ("delivery", "deliveries")
            case .drafts: ("draft", "drafts")
            case .changeRequests: ("change request", "change requests")
            case .auditEntries: ("audit entry", "audit entries")
            }
        return count == 1 ? one : several
    }
}
