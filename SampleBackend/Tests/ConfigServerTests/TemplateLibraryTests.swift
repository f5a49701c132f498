import Foundation
import HTTPServing
import InMemoryTemplateStore
import JSONTree
import Logging
import NIOCore
import Rendering
import SQLiteTemplateStore
import SeededRandomness
import ServerTestSupport
import Targeting
import TemplateStore
import Templates
import TemporaryFolders
import Testing

@testable import AdminAPI
@testable import ClientAPI

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct TemplateLibraryTests {
    private let store = InMemoryTemplateStore()
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test func theFeedOfChangesCompilesNoVersionThatIsKnown() async throws {
        let library = TemplateLibrary(store: store, logger: logger)
        try await library.load()
        try await publish(into: library)
        #expect(library.project("default")?.compiled.version.number == 1)
        try await takeChanges(into: library)
        // The check before publishing has already compiled it.
        #expect(library.compilationCount == 0)

        let other = TemplateLibrary(store: store, logger: logger)
        try await takeChanges(into: other)
        #expect(other.compilationCount == 1)
        #expect(other.project("default")?.compiled.version.number == 1)
    }

    @Test func aProjectThatIsAppliedJustAfterARefusalIsLookedForAgain() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteTemplateStore(path: folder.path("store"))
        let library = TemplateLibrary(store: store, logger: logger)
        try await library.load()
        let refusal = RequestError.unknownProject("default")
        #expect(library.catchUp(beforeRefusing: refusal, project: "default") != nil)
        let content = JSONNode.sample.jsonData()
        library.apply(
            try await store.publish(
                TemplateSubmission(
                    project: "default", content: content, expectation: .any, date: Date(),
                    user: TemplateVersion.User())))
        let again = library.catchUp(beforeRefusing: refusal, project: "default")
        try await again?()
        #expect(again != nil)
        #expect(library.catchUp(beforeRefusing: .notFound("No flag"), project: "default") == nil)
        await store.close()
    }

    @Test func theFeedOfChangesCompilesNoVersionThatIsBeingPublished() async throws {
        let library = TemplateLibrary(store: store, logger: logger)
        try await library.load()
        let content = JSONNode.sample.jsonData()
        library.prepare(
            try ValidatedTemplate(jsonData: content), content: content, project: "default")
        // The response to the publisher arrives late.
        _ = try await store.publish(
            TemplateSubmission(
                project: "default", content: content, expectation: .any, date: Date(),
                user: .init(name: nil)))
        try await takeChanges(into: library)
        #expect(library.project("default")?.compiled.version.number == 1)
        #expect(library.compilationCount == 0)
    }

    @Test func theSnapshotOfALibraryServesTheSame() async throws {
        let library = TemplateLibrary(store: store, logger: logger)
        try await publish(into: library)
        // Equal as strings, but two users.
        for (userID, content) in [
            ("\u{E9}", #"{"A":{"b":1}}"#), ("e\u{301}", #"{"A":{"b":10000000000000000.5}}"#),
        ] {
            try await store.setOverrides(
                OverridesChange(
                    project: "default", userID: userID, content: Data(content.utf8), date: Date(),
                    actor: "a"))
        }
        try await library.load()
        let other = TemplateLibrary(store: InMemoryTemplateStore(), logger: logger)
        try await other.load(library.snapshot(), takenAt: Date())
        let (known, kept) = (library.project("default"), other.project("default"))
        #expect(known?.overrides.count == 2)
        #expect(kept?.overrides == known?.overrides)
        #expect(kept?.compiled.version == known?.compiled.version)
        #expect(kept?.compiled.template == known?.compiled.template)
        #expect(other.revision == library.revision)
        #expect(library.snapshot() == other.snapshot())
    }

    @Test func aProjectOfADeletedOnesNameHasNoneOfItsPinnedValues() async throws {
        let library = TemplateLibrary(store: store, logger: logger)
        try await publish(into: library)
        try await store.setOverrides(
            OverridesChange(
                project: "default", userID: "1", content: Data(#"{"Home":{"title":"x"}}"#.utf8),
                date: Date(), actor: "a"))
        try await library.load()
        #expect(library.project("default")?.overrides["1"] != nil)
        _ = try await store.setProjectDetails(
            ProjectDetailsChange(
                project: "default", details: ProjectDetails(isArchived: true), date: Date(),
                actor: "a"))
        try await store.deleteProject(
            ProjectDeletion(project: "default", date: Date(), actor: "a"))
        let created = try await store.createProject(
            ProjectCreation(
                project: "default", details: ProjectDetails(), date: Date(), actor: "a"))
        let changes = Locked<[LibraryChange]>([])
        library.observe { change in changes.withLock { $0.append(change) } }
        // The library learns of the deletion only when the new project exists.
        try await library.apply(
            StoreChange(.project("default"), revision: created.revision))
        #expect(library.project("default")?.compiled.version.number == 2)
        #expect(library.project("default")?.overrides.isEmpty == true)
        #expect(library.projectDetails(ofProject: "default") == ProjectDetails())
        #expect(changes.withLock { $0 } == [.deletion("default"), .project("default")])
    }

    /// Such a project has no details of its own, which would replace those of the deleted one.
    @Test func aProjectThatAPublishCreatesAgainIsNotArchived() async throws {
        let library = TemplateLibrary(store: store, logger: logger)
        try await publish(into: library)
        _ = try await store.setProjectDetails(
            ProjectDetailsChange(
                project: "default", details: ProjectDetails(isArchived: true), date: Date(),
                actor: "a"))
        try await library.load()
        #expect(library.projectDetails(ofProject: "default").isArchived)
        try await store.deleteProject(
            ProjectDeletion(project: "default", date: Date(), actor: "a"))
        let published = try await store.publish(
            TemplateSubmission(
                project: "default", content: Data("{}".utf8), expectation: .any, date: Date(),
                user: .init(name: nil)))
        try await library.apply(
            StoreChange(.project("default"), revision: published.revision))
        #expect(library.project("default")?.compiled.version.number == 2)
        #expect(!library.projectDetails(ofProject: "default").isArchived)
    }

    @Test func aTemplateIsPreparedForTheVersionThatItBecomes() async throws {
        let library = TemplateLibrary(store: store, logger: logger)
        try await publish(into: library)
        let content = Data(#"{"parameters":{}}"#.utf8)
        let validated = try ValidatedTemplate(jsonData: content)
        for (comparisons, number) in [2, 3, 5].enumerated() {
            let version = TemplateVersion(
                number: number, updateTime: Date(timeIntervalSince1970: Double(number)))
            library.prepare(validated, content: content, project: "default")
            library.apply(
                StoredTemplate(
                    project: "default", version: version, content: content,
                    revision: StoreRevision(Int64(number))))
            let compiled = try #require(library.project("default")?.compiled)
            #expect(compiled.version == version)
            let document = String(buffer: compiled.bootstrapBytes())
            #expect(document.contains(#""creation_time":"1970-01-01T00:00:0\#(number)"#))
            #expect(document.contains(#""template_version":\#(number)}"#))
            // Each version was compared once, before it was stored.
            #expect(library.comparisonCount == comparisons + 1)
            // The library does not know version 4, which another server has published.
            let changed = library.changedSections(
                ofProject: "default", from: number - 1, to: number)
            #expect((changed == nil) == (number == 5))
        }
        #expect(library.compilationCount == 0)
    }

    @Test func anotherTemplateThanThePreparedOneIsCompiled() async throws {
        let library = TemplateLibrary(store: store, logger: logger)
        let content = Data(#"{"parameters":{}}"#.utf8)
        library.prepare(
            try ValidatedTemplate(jsonData: content), content: content, project: "default")
        let other = TemplateSubmission(
            project: "default", content: JSONNode.sample.jsonData(), expectation: .any,
            date: Date(), user: .init(name: nil))
        library.apply(try await store.publish(other))
        #expect(library.compilationCount == 1)
        #expect(library.project("default")?.compiled.hasSetting(nil, inSection: "Home") == true)
        library.forgetPrepared(project: "default")
    }

    @Test func aSnapshotDoesNotUndoALaterPublish() async throws {
        let library = TemplateLibrary(store: store, logger: logger)
        try await publish(into: library)
        let snapshot = try await store.snapshot()
        try await library.load { () throws(TemplateStoreError) in
            try await publish(into: library)
            return snapshot
        }
        #expect(library.project("default")?.compiled.version.number == 2)
        #expect(library.revision == snapshot.revision)
    }

    /// The details of another store may have later revisions.
    @Test func aSnapshotReplacesTheDetailsOfProjects() async throws {
        let library = TemplateLibrary(store: store, logger: logger)
        func details(_ name: String, at revision: Int64) -> StoredProjectDetails {
            StoredProjectDetails(
                ProjectDetails(displayName: name), revision: StoreRevision(revision))
        }
        library.apply(details("old", at: 9), project: "a")
        library.apply(details("old", at: 9), project: "b")
        try await library.load { () throws(TemplateStoreError) in
            library.apply(details("meanwhile", at: 10), project: "b")
            return TemplateStoreSnapshot(
                templates: [], overrides: [:], projectDetails: ["c": details("new", at: 3)],
                revision: StoreRevision(3))
        }
        let names = ["a", "b", "c"].map { library.projectDetails(ofProject: $0).displayName }
        #expect(names == [nil, "meanwhile", "new"])
        try await library.load { () throws(TemplateStoreError) in
            TemplateStoreSnapshot(
                templates: [], overrides: [:], projectDetails: ["c": details("older", at: 2)],
                revision: StoreRevision(2))
        }
        #expect(library.projectDetails(ofProject: "b") == ProjectDetails())
        #expect(library.projectDetails(ofProject: "c").displayName == "older")
    }

    @Test func aSnapshotBringsTheOverridesOfAVersionThatIsPublishedMeanwhile() async throws {
        let library = TemplateLibrary(store: store, logger: logger)
        try await publish(into: library)
        // A gap in the changes hid this from the library.
        try await store.setOverrides(
            OverridesChange(
                project: "default", userID: "1", content: Data(#"{"A":{"b":true}}"#.utf8),
                date: Date(), actor: "test"))
        let snapshot = try await store.snapshot()
        try await library.load { () throws(TemplateStoreError) in
            try await publish(into: library)
            return snapshot
        }
        #expect(library.project("default")?.compiled.version.number == 2)
        #expect(library.project("default")?.overrides["1"] != nil)
    }

    @Test(arguments: [false, true])
    func aSnapshotDoesNotTakeBackOverridesThatAreStoredMeanwhile(
        hasNewVersion: Bool
    ) async throws {
        let library = TemplateLibrary(store: store, logger: logger)
        try await publish(into: library)
        try await library.readOverrides(ofUser: "2", inProject: "default") { Self.pinned }
        try await library.load { () throws(TemplateStoreError) in
            let snapshot = try await store.snapshot()
            try await store.setOverrides(
                OverridesChange(
                    project: "default", userID: "1", content: Self.pinned, date: Date(),
                    actor: "test"))
            try await library.readOverrides(ofUser: "1", inProject: "default")
            if hasNewVersion { try await publish(into: library) }
            return snapshot
        }
        #expect(library.project("default")?.overrides["1"] != nil)
        // The value was read before the snapshot, which does not contain it.
        #expect(library.project("default")?.overrides["2"] == nil)
    }

    @Test func overridesThatWereReadEarlierDoNotReplaceLaterOnes() async throws {
        let library = TemplateLibrary(store: store, logger: logger)
        try await publish(into: library)
        try await library.readOverrides(ofUser: "1", inProject: "default") {
            () throws(TemplateStoreError) in
            // While this read is in progress, the values are removed, and others are pinned for
            // another user.
            try await library.readOverrides(ofUser: "1", inProject: "default") { nil }
            try await library.readOverrides(ofUser: "2", inProject: "default") { Self.pinned }
            return Self.pinned
        }
        #expect(library.project("default")?.overrides["1"] == nil)
        #expect(library.project("default")?.overrides["2"] != nil)
        try await library.readOverrides(ofUser: "1", inProject: "default") { Self.pinned }
        #expect(library.project("default")?.overrides["1"] != nil)
    }

    private static let pinned = Data(#"{"A":{"b":true}}"#.utf8)

    @Test func aSnapshotRemovesWhatTheStoreNoLongerHas() async throws {
        let library = TemplateLibrary(store: store, logger: logger)
        try await publish(into: library)
        let snapshot = try await store.snapshot()
        try await publish(into: library)
        // The store was restored from a backup: version 2 existed before the snapshot was read.
        try await library.load { snapshot }
        #expect(library.project("default")?.compiled.version.number == 1)
        let empty = try await InMemoryTemplateStore().snapshot()
        let changes = Locked<[LibraryChange]>([])
        library.observe { change in changes.withLock { $0.append(change) } }
        try await library.load { empty }
        #expect(library.project("default") == nil)
        #expect(changes.withLock { $0 } == [.deletion("default"), .everything])
    }

    @Test func aSnapshotTellsWhoseOverridesChangedMeanwhile() async throws {
        let library = TemplateLibrary(store: store, logger: logger)
        try await publish(into: library)
        try await library.readOverrides(ofUser: "1", inProject: "default") { Self.pinned }
        let changes = Locked<[LibraryChange]>([])
        library.observe { change in changes.withLock { $0.append(change) } }
        // The store no longer has pinned values of the user.
        try await library.load()
        #expect(
            changes.withLock { $0 } == [
                .everything,
                .overrides(project: "default", userID: "1", sections: ["A"]),
            ])
    }

    /// Publishes the sample once more.
    private func publish(into library: TemplateLibrary) async throws(TemplateStoreError) {
        let administration = Administration(
            store: store, library: library, access: AdministratorAccess(environmentToken: nil),
            metrics: LibraryMetrics(), now: { Date() })
        let draft = Administration.TemplateRequest(
            project: "default", body: JSONNode.sample.jsonData(), ifMatch: "*",
            user: .init(name: nil), origin: .restAPI, approval: .none)
        do {
            _ = try await administration.publish(try administration.check(draft))
        } catch {
            throw TemplateStoreError(.unavailable, "\(error)")
        }
    }

    /// Applies the store's changes so far, up to the first one of a template.
    private func takeChanges(into library: TemplateLibrary) async throws {
        for try await change in store.changes(since: .zero) {
            try await library.apply(change)
            if case .template = change.subject { return }
        }
    }

    /// Source that knows the tag of a document it cannot render.
    private struct TagSource: DocumentSource {
        static let tag = EntityTag(ofContent: ByteBuffer(string: "x"))

        func document(
            inProject project: String, forUserID userID: String?, signals: Signals
        ) throws -> RenderedDocument? {
            throw CancellationError()
        }

        func identity(
            inProject project: String, forUserID userID: String?, signals: Signals
        ) -> DocumentIdentity? { DocumentIdentity(entityTag: Self.tag, version: 1) }

        func checkReadiness() {}
    }

    @Test func anAnswerWithoutABodyNeedsTheTagAlone() async throws {
        try await RunningServer.with(source: TagSource()) { server in
            let known = try await server.answer(
                "/activeconfig/user/1", fields: ["If-None-Match: \(TagSource.tag)"])
            #expect(known.status == 304)
            #expect(known.fields["etag"] == TagSource.tag.description)
            let unknown = try await server.answer(
                "/activeconfig/user/1", fields: ["If-None-Match: \"other\""])
            #expect(unknown.status == 503)
        }
    }
}
