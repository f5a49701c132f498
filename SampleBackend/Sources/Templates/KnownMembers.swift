import JSONTree

/// The names of the members that a template's object can have.
struct KnownMembers: Sendable, ExpressibleByArrayLiteral {
    let names: [String]

    init(arrayLiteral names: String...) {
        self.names = names
    }

    /// Other words for members, without a plural "s".
    private static let synonyms = [
        "group": "parameterGroups", "section": "parameterGroups", "setting": "parameters",
        "condition": "conditionalValues", "conditional": "conditionalValues",
        "default": "defaultValue", "value": "defaultValue", "type": "valueType",
        "color": "tagColor", "colour": "tagColor", "rule": "expression", "if": "expression",
    ]

    /// Maximum length of a compared name: a longer one is not misspelt, and its length has no
    /// limit.
    private static let maximumLength = 30

    /// The known member that an unknown name probably means, if any.
    func nearest(to name: String) -> String? {
        guard name.utf8.count < Self.maximumLength else { return nil }
        let simplified = name.simplified
        if let same = names.first(where: { $0.simplified == simplified }) { return same }
        if let meant = Self.synonyms[simplified], names.contains(meant) { return meant }
        let limit = min(2, simplified.utf8.count / 3)
        return names.map { (name: $0, distance: $0.simplified.editDistance(to: simplified)) }
            .filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.name
    }
}

extension String {
    /// The text in lowercase, without `_`, `-` and a trailing "s".
    fileprivate var simplified: String {
        let text = lowercased().filter { $0 != "_" && $0 != "-" }
        return text.last == "s" ? String(text.dropLast()) : text
    }
}
