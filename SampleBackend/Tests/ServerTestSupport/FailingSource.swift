import ClientAPI
import ConfigServer
import HTTPServing
package import Rendering
package import Targeting

/// Source that fails every request.
package struct FailingSource: ConfigurationSource {
    /// Error whose details no client may see.
    package struct Secret: Error {}

    package init() {}

    package func configuration(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> RenderedConfiguration? {
        throw Secret()
    }

    package func checkReadiness() async throws {
        throw Secret()
    }
}
