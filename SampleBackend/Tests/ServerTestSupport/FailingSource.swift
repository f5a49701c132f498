import ClientAPI
import ConfigServer
import HTTPServing
package import Rendering
package import Targeting

/// Source that fails every request.
package struct FailingSource: DocumentSource {
    /// Error whose details no client may see.
    package struct Secret: Error {}

    package init() {}

    package func document(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> RenderedDocument? {
        throw Secret()
    }

    package func checkReadiness() async throws {
        throw Secret()
    }
}
