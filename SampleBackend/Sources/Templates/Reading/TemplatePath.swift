import JSONTree

/// A place in a template, such as `parameterGroups.Home.parameters.title`.
struct TemplatePath: Sendable, CustomStringConvertible {
    /// The most characters of a name that are shown, so that no path grows with bad input.
    private static let longestName = 256

    /// The place as text.
    let description: String

    /// The template itself.
    static let root = TemplatePath(description: "")

    /// The place of a member; a name that is more than letters, digits and `_` stands in brackets,
    /// as a string of JSON.
    func member(_ name: String) -> TemplatePath {
        if !name.isEmpty, name.utf8.count <= Self.longestName,
            name.utf8.allSatisfy(ParameterKey.isWord)
        {
            return TemplatePath(description: description.isEmpty ? name : "\(description).\(name)")
        }
        let shown =
            name.isLonger(than: Self.longestName)
            ? String(String.UnicodeScalarView(name.unicodeScalars.prefix(Self.longestName))) + "…"
            : name
        return TemplatePath(description: "\(description)[\(JSONNode.string(shown))]")
    }

    /// The place of an element.
    func element(_ index: Int) -> TemplatePath {
        TemplatePath(description: "\(description)[\(index)]")
    }
}
