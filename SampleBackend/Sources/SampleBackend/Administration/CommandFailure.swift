import ArgumentParser
import Foundation
import JSONTree
import Templates

/// A type that says why a command did not do what it was told, and with which exit code.
struct CommandFailure: Error, CustomStringConvertible {
    /// What happened and what to do.
    let description: String

    /// The exit code.
    let code: ExitCode

    /// What is wrong with the template, when that is the reason.
    private(set) var problems: [TemplateProblem] = []

    /// Makes a failure.
    init(_ description: String, code: ExitCode) {
        self.description = description
        self.code = code
    }

    /// Says what is wrong with a template: a line for each problem, and where it is.
    ///
    /// - Parameters:
    ///   - problems: The problems.
    ///   - template: The template; nil when there is none to show the places in.
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

    /// Says what a server said.
    ///
    /// - Parameters:
    ///   - answer: An answer with an error.
    ///   - template: The template that was sent, if one was.
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

    /// One problem of a template, as a server names it.
    private static func problem(_ detail: JSONNode) -> TemplateProblem {
        TemplateProblem(
            path: detail["path"]?.stringValue?.escapedForTerminal ?? "",
            message: detail["message"]?.stringValue?.escapedForTerminal ?? "",
            column: detail["column"]?.integerValue)
    }

    /// Whether trying again makes no difference: the server does not want that, ever.
    var isFinal: Bool { code == Exit.notAllowed || code == Exit.notFound || code == Exit.failure }

    /// The failure for programs.
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

    /// Says what cannot be done with a file.
    static func badInput(_ description: String) -> CommandFailure {
        CommandFailure(description, code: Exit.badInput)
    }
}
