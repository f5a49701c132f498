import JSONTree
import Targeting

extension TemplateReader {
    private static let tagColors: Set<String> = [  // names: our own literals, in ASCII
        "BLUE", "BROWN", "CYAN", "DEEP_ORANGE", "GREEN", "INDIGO", "LIME", "ORANGE", "PINK",
        "PURPLE", "TEAL", "CONDITION_DISPLAY_COLOR_UNSPECIFIED",
    ]

    mutating func readConditions(_ node: JSONNode?) -> [TemplateCondition] {
        guard let node, node != .null else { return [] }
        let path = TemplatePath.root.member("conditions")
        guard case .array(let nodes) = node else {
            found.add(path, "it is \(node.kindDescription); make it an array")
            return []
        }
        if nodes.count > limits.maximumConditions {
            found.add(
                path, "there are \(nodes.count); use at most \(limits.maximumConditions) conditions"
            )
        }
        let count = readableCount(of: nodes.count)
        conditions.reserveCapacity(count)
        return nodes.prefix(count).enumerated().map { index, node in
            readCondition(node, path.element(index))
        }
    }

    private mutating func readCondition(
        _ node: JSONNode, _ path: TemplatePath
    ) -> TemplateCondition {
        var members = found.object(node, path)
        let name = readName(members.removeValue(forKey: "name"), path.member("name"))
        let colorPath = path.member("tagColor")
        let tagColor = found.text(members.removeValue(forKey: "tagColor"), colorPath)
        if let tagColor, !Self.tagColors.contains(tagColor) {
            found.add(
                colorPath,
                "there is no colour \"\(tagColor.shortened)\"; use one of "
                    + Self.tagColors.sorted().joined(separator: ", "))
        }
        let expressionPath = path.member("expression")
        let expressionNode = members.removePresentValue(forKey: "expression")
        let expression = found.text(expressionNode, expressionPath)
        let serverCondition = members.removePresentValue(forKey: "condition")
        switch (expressionNode, serverCondition) {
        case (.some, nil):
            if let expression { parse(expression, expressionPath) }
        case (nil, let serverCondition?): parse(serverCondition, path.member("condition"))
        case (nil, nil):
            found.add(path, "it has no expression; add one, such as \"device.os == 'ios'\"")
        case (.some, .some):
            found.add(path, "it has both an expression and a condition; remove one of the two")
        }
        return TemplateCondition(
            name: name, expression: expression, serverCondition: serverCondition,
            tagColor: tagColor,
            unknownFields: unknownFields(
                members, path, known: ["name", "tagColor", "expression", "condition"]))
    }

    private mutating func readName(_ node: JSONNode?, _ path: TemplatePath) -> String {
        guard let name = found.text(node, path), !name.isEmpty else {
            if node?.stringValue == "" || node == nil || node == .null {
                found.add(path, "it is missing; a condition needs a name")
            }
            return ""
        }
        checkLength(of: name, path)
        if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            found.add(path, "it contains a control character; use letters, digits and punctuation")
        }
        if !conditionNames.insert(ExactText(name)).inserted {
            found.add(
                path, "another condition is also called \"\(name.shortened)\"; rename one of them"
            )
        } else if !shownNames.insert(name).inserted {
            // Apps compare a document's keys, and with them the names of its experiments, as Swift
            // strings (FORMAT 1.3).
            found.add(
                path,
                "another condition's name looks like \"\(name.shortened)\", in other characters; "
                    + "rename one of the two")
        }
        return name
    }

    /// Parses an expression.
    private mutating func parse(_ expression: String, _ path: TemplatePath) {
        do throws(ConditionSyntaxError) {
            add(try TargetingCondition(expression: expression, budget: budget), path)
        } catch {
            found.add(path, error.reason, column: error.column)
        }
    }

    /// Reads the condition of a server template.
    private mutating func parse(_ condition: JSONNode, _ path: TemplatePath) {
        do throws(ServerConditionError) {
            add(try TargetingCondition(serverCondition: condition, budget: budget), path)
        } catch {
            found.add(error.path.isEmpty ? path : .place(error.path, of: path), error.reason)
        }
    }

    /// Adds a condition, with remarks on its elements that are not evaluated.
    private mutating func add(_ condition: TargetingCondition, _ path: TemplatePath) {
        conditions.append(condition)
        if let excess = condition.excess {
            excesses.append(
                TemplateProblem(
                    path: path.description, message: "it is false for everyone: \(excess)"))
        }
        for remark in condition.zoneRemarks { found.warn(path, remark) }
        for element in condition.unevaluatedElements {
            found.warn(path, "\(element) is kept but not evaluated: a rule on it is false")
        }
    }
}
