import ClientAPI
import ConfigServer
import HTTPServing
package import Rendering
package import Targeting

/// A type that never answers.
package struct FailingSource: ConfigurationSource {
    /// The reason that no client may see.
    package struct Secret: Error {}

    /// Makes the source.
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
