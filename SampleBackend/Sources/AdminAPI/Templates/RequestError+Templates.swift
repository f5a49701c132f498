import HTTPServing
import HTTPTypes
package import JSONTree
import Templates

extension RequestError {
    /// 400: the template cannot be published; `details` lists every problem.
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
}

extension TemplateProblem {
    /// The problem in the `details` of an error.
    package var json: JSONNode {
        var node: JSONNode = ["path": .string(path), "message": .string(message)]
        node.setMember("column", column.map { .number("\($0)") })
        return node
    }
}
