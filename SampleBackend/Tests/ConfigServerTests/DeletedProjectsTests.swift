import Foundation
import InMemoryTemplateStore
import JSONTree
import Logging
import Rendering
import SeededRandomness
import ServerTestSupport
import Targeting
import TemplateStore
import Templates
import Testing

@testable import ClientAPI

/// What a replica has in memory of a project whose name was that of a deleted one.
///
/// The other replicas are calls of the store.
@Suite("Deleted projects in memory", .timeLimit(.minutes(Rounds.minutes)))
struct DeletedProjectsTests {
    private let store = InMemoryTemplateStore()
    private let library: TemplateLibrary

    init() {
        library = TemplateLibrary(
            store: store, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private static let old = Data(#"{"A":{"b":"old"}}"#.utf8)
    private static let new = Data(#"{"A":{"b":"new"}}"#.utf8)

    @discardableResult
    private func publish() async throws(TemplateStoreError) -> StoredTemplate {
        try await store.publish(
            TemplateSubmission(
                project: "shop", content: Data("{}".utf8), expectation: .any, date: Date(),
                user: .init(name: nil)))
    }

    private func pin(_ content: Data) async throws(TemplateStoreError) {
        try await store.setOverrides(
            OverridesChange(
                project: "shop", userID: "1", content: content, date: Date(), actor: "a"))
    }

    @discardableResult
    private func describe(
        _ details: ProjectDetails
    ) async throws(TemplateStoreError) -> StoredProjectDetails {
        try await store.setProjectDetails(
            ProjectDetailsChange(project: "shop", details: details, date: Date(), actor: "a"))
    }

    private func archiveAndDelete() async throws(TemplateStoreError) {
        try await describe(ProjectDetails(isArchived: true))
        _ = try await store.deleteProject(
            ProjectDeletion(project: "shop", date: Date(), actor: "a"))
    }

    /// Lets the library apply the changes of the store after its revision.
    private func follow() async throws {
        let latest = try await store.snapshot().revision
        for try await change in store.changes(since: library.revision) {
            try await library.apply(change)
            if change.revision >= latest { return }
        }
    }

    /// Loads a project with a pinned value and details.
    private func loadOldProject() async throws(TemplateStoreError) {
        try await publish()
        try await pin(Self.old)
        try await describe(ProjectDetails(displayName: "Old"))
        try await library.load()
    }

    private var version: Int? { library.project("shop")?.compiled.version.number }
    private var pinned: String? {
        library.project("shop")?.overrides["1"].map { "\($0)" }
    }
    private var name: String? { library.projectDetails(ofProject: "shop").displayName }

    /// The response to a publish arrives before the news of the deletion.
    @Test(arguments: [1, 2])
    func aPublishAfterADeletionBringsNothingOfTheDeletedProject(count: Int) async throws {
        try await loadOldProject()
        try await archiveAndDelete()
        for _ in 1..<count { try await publish() }
        library.apply(try await publish())
        #expect(version == 1 + count)
        #expect(pinned == nil)
        #expect(library.projectDetails(ofProject: "shop") == ProjectDetails())
        #expect(
            library.changedSections(ofProject: "shop", from: count, to: 1 + count) == nil)
        try await pin(Self.new)
        try await describe(ProjectDetails(displayName: "New"))
        try await follow()
        #expect(version == 1 + count)
        #expect(pinned?.contains("new") == true)
        #expect(name == "New")
    }

    @Test(arguments: [false, true])
    func aLatePublishDoesNotReviveADeletedProject(isSeen: Bool) async throws {
        try await loadOldProject()
        let late = try await publish()
        if isSeen { try await follow() }
        try await archiveAndDelete()
        try await follow()
        library.apply(late)
        #expect(version == nil)
        try await publish()
        try await follow()
        library.apply(late)
        #expect(version == 3)
    }

    /// The library learns of the deletion when the name has another project.
    @Test func aNewProjectHasNoDetailsOfTheDeletedOne() async throws {
        try await loadOldProject()
        let late = try await describe(ProjectDetails(displayName: "Late"))
        try await archiveAndDelete()
        try await publish()
        try await follow()
        #expect(version == 2)
        #expect(library.projectDetails(ofProject: "shop") == ProjectDetails())
        library.apply(late, project: "shop")
        #expect(library.projectDetails(ofProject: "shop") == ProjectDetails())
        let new = try await describe(ProjectDetails(displayName: "New"))
        library.apply(new, project: "shop")
        #expect(name == "New")
        library.apply(late, project: "shop")
        #expect(name == "New")
    }

    /// The details of a project arrive before the news of its deletion.
    @Test func detailsThatArriveBeforeTheDeletionEndWithIt() async throws {
        try await loadOldProject()
        let late = try await describe(ProjectDetails(displayName: "Late"))
        try await archiveAndDelete()
        library.apply(try await publish())
        library.apply(late, project: "shop")
        try await follow()
        #expect(version == 2)
        #expect(library.projectDetails(ofProject: "shop") == ProjectDetails())
    }

    @Test(arguments: [false, true])
    func pinnedValuesThatWereReadBeforeTheDeletionAreNotThoseOfTheNewProject(
        isPublishedHere: Bool
    ) async throws {
        try await loadOldProject()
        try await library.readOverrides(ofUser: "1", inProject: "shop") {
            () throws(TemplateStoreError) in
            try await archiveAndDelete()
            let template = try await publish()
            if isPublishedHere {
                library.apply(template)
            } else {
                do { try await follow() } catch { throw .closed }
            }
            return Self.old
        }
        #expect(version == 2)
        #expect(pinned == nil)
        try await pin(Self.new)
        try await follow()
        #expect(pinned?.contains("new") == true)
    }

    /// A snapshot that is read before a deletion and applied after it.
    @Test(arguments: [false, true])
    func aSnapshotDoesNotReviveADeletedProject(isCreatedAgain: Bool) async throws {
        try await loadOldProject()
        let snapshot = try await store.snapshot()
        try await library.load { () throws(TemplateStoreError) in
            try await archiveAndDelete()
            do { try await follow() } catch { throw .closed }
            if isCreatedAgain { library.apply(try await publish()) }
            return snapshot
        }
        #expect(version == (isCreatedAgain ? 2 : nil))
        #expect(pinned == nil)
        #expect(library.projectDetails(ofProject: "shop") == ProjectDetails())
        // The changes after the snapshot follow again.
        try await follow()
        #expect(version == (isCreatedAgain ? 2 : nil))
        #expect(pinned == nil)
        #expect(library.projectDetails(ofProject: "shop") == ProjectDetails())
    }

    /// A backup may be older than a deletion that the library knows.
    @Test func aRestoredBackupBringsADeletedProjectBack() async throws {
        try await loadOldProject()
        let backup = try await store.snapshot()
        try await archiveAndDelete()
        try await follow()
        #expect(version == nil)
        try await library.load { backup }
        #expect(version == 1)
        #expect(pinned?.contains("old") == true)
        #expect(name == "Old")
    }

    /// A snapshot is newer than a deletion that the library never saw.
    @Test func aLatePublishDoesNotReviveAProjectThatASnapshotLacks() async throws {
        try await loadOldProject()
        let late = try await publish()
        try await archiveAndDelete()
        try await library.load()
        library.apply(late)
        #expect(version == nil)
    }

    @Test func aNewProjectWhoseTemplateIsUnreadableIsNotTheDeletedOne() async throws {
        try await loadOldProject()
        try await archiveAndDelete()
        let unreadable = try await store.publish(
            TemplateSubmission(
                project: "shop", content: Data("[]".utf8), expectation: .any, date: Date(),
                user: .init(name: nil)))
        library.apply(unreadable)
        #expect(version == nil)
        #expect(library.unreadableVersion(ofProject: "shop")?.number == 2)
    }

    /// The response to a deletion arrives after the news of a new project.
    @Test func aLateDeletionKeepsANewProject() async throws {
        try await loadOldProject()
        let changes = Locked<[LibraryChange]>([])
        library.observe { change in changes.withLock { $0.append(change) } }
        try await archiveAndDelete()
        try await publish()
        try await follow()
        library.remove(project: "shop", upTo: 1)
        #expect(version == 2)
        #expect(changes.withLock { $0 } == [.deletion("shop"), .project("shop")])
        library.remove(project: "shop", upTo: 2)
        #expect(version == nil)
    }

    /// A replica that missed both the deletion and the creation: its feed had a gap, or it was
    /// started from a snapshot.
    @Test(arguments: [false, true])
    func aReloadAnnouncesADeletedProjectWhoseNameIsInUse(isFromSnapshot: Bool) async throws {
        try await loadOldProject()
        if isFromSnapshot {
            try await library.load(try await store.snapshot(), takenAt: Date())
        }
        let changes = Locked<[LibraryChange]>([])
        library.observe { change in changes.withLock { $0.append(change) } }
        try await archiveAndDelete()
        try await publish()
        try await pin(Self.new)
        try await library.load()
        #expect(version == 2)
        #expect(changes.withLock { $0.first } == .deletion("shop"))
        // The new project's audit trail must still be read.
        #expect(library.earlierOverrides.mayInclude("1", inProject: "shop", since: 2))
        try await library.load()
        #expect(changes.withLock { $0.count { $0 == .deletion("shop") } } == 1)
    }
}
