package import HTTPServing
import JSONTree
import Targeting
package import TemplateStore

extension RequestError {
    /// Maps a store error about a project to the client's error.
    package init(_ error: TemplateStoreError, project: String) {
        self =
            switch error.code {
            case .versionMismatch:
                .versionMismatch(
                    "The current version of \"\(project)\" is \(error.currentVersion ?? 0), not the "
                        + "one that If-Match names: get it, see what changed since, and send the "
                        + "request again with its ETag.")
            case .projectMissing: .unknownProject(project)
            case .versionMissing: .notFound(error.message)
            case .tooManyOverrides, .tooManyWebhooks: .invalidArgument(error.message)
            case .outOfSpace: .outOfSpace
            case .filesReplaced: .filesReplaced
            default: .storeUnavailable
            }
    }

    /// 404: nothing was ever published in the project.
    package static func unknownProject(_ project: String) -> RequestError {
        .notFound(
            "There is no project \"\(project.shortened)\": a project exists from its first publish "
                + "on.")
    }
}
