import HTTPTypes
import JSONTree
import TemplateStore
import Templates

extension RequestError {
    /// 400: a template that cannot be published, with every problem.
    static func invalidTemplate(_ error: TemplateValidationError) -> RequestError {
        let count = error.problems.count
        let first = error.problems.first?.description ?? ""
        let message =
            count > 1
            ? "The template has \(count) problems, which details lists. The first: \(first)"
            : "The template cannot be published. \(first)"
        var result = RequestError(
            httpStatus: .badRequest, statusName: "VALIDATION_ERROR", message: message)
        result.details = error.problems.map(\.json)
        return result
    }

    /// What a client is told of a store's error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - project: The project that was asked for.
    init(_ error: TemplateStoreError, project: String) {
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

    /// 404: nothing was ever published in a project.
    static func unknownProject(_ project: String) -> RequestError {
        .notFound(
            "There is no project \"\(project.shortened)\": a project exists from its first publish "
                + "on.")
    }
}

extension TemplateProblem {
    /// The problem as it stands in the details of an error.
    var json: JSONNode {
        var node: JSONNode = ["path": .string(path), "message": .string(message)]
        node.setMember("column", column.map { .number("\($0)") })
        return node
    }
}
