import ArgumentParser
import Foundation
import JSONTree
import TemplateStore
import Templates

/// The reason why a command failed, and its exit code.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String
    let code: ExitCode

    /// The problems of an invalid template; empty for any other failure.
    private(set) var problems: [TemplateProblem] = []

    /// The conflicts that someone must decide, as in the API; empty for any other failure.
    private(set) var conflicts: [JSONNode]

    /// True when a retry is pointless.
    private(set) var isFinal: Bool

    init(_ description: String, code: ExitCode, conflicts: [JSONNode] = []) {
        self.description = description
        self.code = code
        self.conflicts = conflicts
        isFinal = [Exit.notAllowed, Exit.notFound, Exit.failure, Exit.usage].contains(code)
    }

    /// Lists the problems of a template, with an excerpt of each faulty expression if
    /// `template` is given.
    init(_ problems: [TemplateProblem], in template: JSONNode?) {
        let lines = problems.flatMap { problem in
            let excerpt = template.flatMap { ExpressionExcerpt(problem, in: $0) }
            return ["\(problem)"]
                + (excerpt?.description.split(separator: "\n").map { "    \($0)" } ?? [])
        }
        let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
        let text =
            (template == nil
                ? "There \(problems.count == 1 ? "is" : "are") \(count):\n"
                : "The template has \(count):\n")
            + lines.map { "  \($0)" }.joined(separator: "\n")
        self.init(text, code: Exit.invalidTemplate)
        self.problems = problems
    }

    /// The error in a server's response.
    ///
    /// - Parameters:
    ///   - answer: The response.
    ///   - template: The template that was sent.
    ///   - credentials: The options that supply the credentials for a 401 response.
    init(
        _ answer: AdministrationAnswer, template: JSONNode? = nil,
        credentials: String = "--token or ACTIVECONFIG_TOKEN"
    ) {
        let error = (try? JSONNode(jsonData: answer.body))?["error"]
        let details = error?["details"]?.arrayValue ?? []
        if error?["status"] == "VALIDATION_ERROR", !details.isEmpty {
            self.init(details.map(Self.problem), in: template)
            return
        }
        let reason =
            (300..<400).contains(answer.status)
            ? ", a redirect, which is not followed" : " and no reason"
        let hint = answer.status == 401 ? " Pass it with \(credentials)." : ""
        let message =
            (error?["message"]?.stringValue?.escapedForTerminal).map { $0 + hint }
            ?? "The server answered with status \(answer.status)\(reason): check --server."
        let code =
            switch (answer.status, error?["status"]?.stringValue) {
            case (400, "VALIDATION_ERROR"): Exit.invalidTemplate
            case (400, _): Exit.usage
            case (401, _), (403, _): Exit.notAllowed
            case (404, _): Exit.notFound
            case (412, _): Exit.versionMismatch
            case (500..., _): Exit.unavailable
            default: Exit.failure
            }
        let conflicts = error?["status"] == "MERGE_CONFLICT" ? details : []
        let lines = conflicts.map { "\n  " + Self.line(conflict: $0).escapedForTerminal }
        self.init(message + lines.joined(), code: code, conflicts: conflicts)
        // Rate limits and slow uploads are transient.
        if [408, 429].contains(answer.status) { isFinal = false }
    }

    /// The path of a conflict, and the version that caused it, if known.
    private static func line(conflict: JSONNode) -> String {
        let path = conflict["path"]?.stringValue ?? "?"
        guard let version = conflict["changedBy"],
            let number = version["versionNumber"]?.stringValue
        else { return path }
        let author = version["updateUser"]?["name"]?.stringValue.map { " by \($0)" } ?? ""
        return "\(path) (version \(number)\(author))"
    }

    /// A problem in the `details` of an error response.
    static func problem(_ detail: JSONNode) -> TemplateProblem {
        TemplateProblem(
            path: detail["path"]?.stringValue?.escapedForTerminal ?? "",
            message: detail["message"]?.stringValue?.escapedForTerminal ?? "",
            column: detail["column"]?.integerValue)
    }

    /// A failure of a store that this process has open.
    init(_ error: TemplateStoreError) {
        let isRefusal = [.notEmpty, .incompleteCopy].contains(error.code)
        self.init(error.description, code: isRefusal ? Exit.failure : Exit.unavailable)
    }

    /// The failure in JSON output.
    var json: JSONNode {
        var node: JSONNode = [
            "error": .string(description), "exitCode": .number("\(code.rawValue)"),
        ]
        if !conflicts.isEmpty { node.setMember("conflicts", .array(conflicts)) }
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

/// The faulty expression of a condition, with a caret below the position of the problem.
struct ExpressionExcerpt: CustomStringConvertible {
    /// Maximum number of characters of the expression that are shown.
    private static let width = 76

    /// Two lines: the expression and the caret.
    let description: String

    /// Nil when the problem has no column in an expression.
    init?(_ problem: TemplateProblem, in template: JSONNode) {
        let parts = problem.path.split(whereSeparator: { "[]".contains($0) })
        guard let column = problem.column, parts.count == 3, parts[0] == "conditions",
            parts[2] == ".expression", let index = Int(parts[1]),
            let conditions = template["conditions"]?.arrayValue, conditions.indices.contains(index),
            let expression = conditions[index]["expression"]?.stringValue
        else { return nil }
        // A line feed or a tab would shift the caret.
        let characters = expression.map { $0.isWhitespace ? " " : $0 }
        let place = min(max(column - 1, 0), characters.count)
        let start = max(0, min(place - Self.width / 2, characters.count - Self.width))
        let shown = String(characters[start..<min(start + Self.width, characters.count)])
        description = shown + "\n" + String(repeating: " ", count: place - start) + "^"
    }
}
