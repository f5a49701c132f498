import ArgumentParser
import Foundation
import JSONTree
import Templates

/// The reason why a command failed, and its exit code.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String
    let code: ExitCode

    /// The problems of an invalid template; empty for any other failure.
    private(set) var problems: [TemplateProblem] = []

    init(_ description: String, code: ExitCode) {
        self.description = description
        self.code = code
    }

    /// Lists the problems of a template, with an excerpt of each faulty expression if `template` is
    /// given.
    init(_ problems: [TemplateProblem], in template: JSONNode?) {
        let lines = problems.flatMap { problem in
            let excerpt = template.flatMap { ExpressionExcerpt(problem, in: $0) }
            return ["\(problem)"]
                + (excerpt?.description.split(separator: "\n").map { "    \($0)" } ?? [])
        }
        description =
            "The template has \(problems.count) problem\(problems.count == 1 ? "" : "s"):\n"
            + lines.map { "  \($0)" }.joined(separator: "\n")
        code = Exit.invalidTemplate
        self.problems = problems
    }

    /// The error in a server's response; `template` is the one that was sent.
    init(_ answer: AdministrationAnswer, template: JSONNode? = nil) {
        let error = (try? JSONNode(jsonData: answer.body))?["error"]
        let details = error?["details"]?.arrayValue ?? []
        if error?["status"] == "VALIDATION_ERROR", !details.isEmpty {
            self.init(details.map(Self.problem), in: template)
            return
        }
        let message =
            error?["message"]?.stringValue?.escapedForTerminal
            ?? "The server answered with status \(answer.status) and no reason: check --server."
        let code =
            switch (answer.status, error?["status"]?.stringValue) {
            case (400, "VALIDATION_ERROR"): Exit.invalidTemplate
            case (401, _), (403, _): Exit.notAllowed
            case (404, _): Exit.notFound
            case (412, _): Exit.versionMismatch
            case (500..., _): Exit.unavailable
            default: Exit.failure
            }
        self.init(message, code: code)
    }

    /// A problem in the `details` of an error response.
    private static func problem(_ detail: JSONNode) -> TemplateProblem {
        TemplateProblem(
            path: detail["path"]?.stringValue?.escapedForTerminal ?? "",
            message: detail["message"]?.stringValue?.escapedForTerminal ?? "",
            column: detail["column"]?.integerValue)
    }

    /// Whether a retry is pointless.
    var isFinal: Bool { code == Exit.notAllowed || code == Exit.notFound || code == Exit.failure }

    /// The failure in JSON output.
    var json: JSONNode {
        var node: JSONNode = [
            "error": .string(description), "exitCode": .number("\(code.rawValue)"),
        ]
        guard !problems.isEmpty else { return node }
        let list = problems.map { problem in
            var node: JSONNode = [
                "path": .string(problem.path), "message": .string(problem.message),
            ]
            node.setMember("column", problem.column.map { .number("\($0)") })
            return node
        }
        node.setMember("problems", .array(list))
        return node
    }

    /// A failure of reading or parsing a file.
    static func badInput(_ description: String) -> CommandFailure {
        CommandFailure(description, code: Exit.badInput)
    }
}
