import Targeting

extension ValidatedTemplate {
    /// Returns remarks on rules that probably no client satisfies, such as `device.os == 'iOS'`.
    ///
    /// - Parameter limit: Maximum number of remarks.
    /// - Returns: The remarks, in the order of the conditions.
    public func doubts(atMost limit: Int = .max) -> [TemplateProblem] {
        var problems: [TemplateProblem] = []
        for (index, condition) in conditions.enumerated() where problems.count < limit {
            problems += condition.doubts(atMost: limit - problems.count).map { doubt in
                TemplateProblem(
                    path: TemplatePath.root.member("conditions").element(index).description,
                    message: "\(doubt.rule) is probably never true: \(doubt.message.dropLast())")
            }
        }
        return problems
    }
}
