import Foundation
import InMemoryTemplateStore
import JSONTree
import Logging
import NIOCore
import Rendering
import ServerTestSupport
import Targeting
import TemplateStore
import Templates
import Testing

@testable import AdminAPI
@testable import ClientAPI

@Suite(.timeLimit(.minutes(5)))
struct TemplateLibraryTests {
    private let store = InMemoryTemplateStore()
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test func theFeedOfChangesCompilesNoVersionThatIsKnown() async throws {
        let library = TemplateLibrary(store: store, logger: logger)
        try await library.load()
        let administration = Administration(
            store: store, library: library, access: AdministratorAccess(environmentToken: nil),
            metrics: LibraryMetrics(), now: { Date() })
        let draft = Administration.Draft(
            project: "default", body: JSONNode.sample.jsonData(), ifMatch: "*",
            user: .init(name: nil),
            origin: .restAPI)
        _ = try await administration.publish(try administration.check(draft))
        #expect(library.project("default")?.compiled.version.number == 1)
        try await takeChanges(into: library)
        // The check before publishing has compiled it already.
        #expect(library.compilationCount == 0)

        let other = TemplateLibrary(store: store, logger: logger)
        try await takeChanges(into: other)
        #expect(other.compilationCount == 1)
        #expect(other.project("default")?.compiled.version.number == 1)
    }

    /// Applies the changes that the store has so far, up to the first of a template.
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
