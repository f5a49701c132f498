import Templates
import Testing

struct TemplateDiffSectionsTests {
    /// Template with two conditions and three sections.
    private static let base = """
        {"conditions": [
           {"name": "a", "expression": "true"}, {"name": "b", "expression": "false"}],
         "parameters": {"flag": {"defaultValue": {"value": "x"}}},
         "parameterGroups": {
           "Home": {"parameters": {"title": {"defaultValue": {"value": "x"},
             "conditionalValues": {"a": {"value": "1"}, "b": {"value": "é"}}}}},
           "Cart": {"parameters": {"limit": {"defaultValue": {"value": "3"},
             "conditionalValues": {"b": {"value": "4"}}}}}}}
        """

    /// Replacements in the template, with the sections that may differ after each.
    private static let rows: [(old: String, new: String, sections: [String])] = [
        ("x", "x", []),
        (#""flag": {"#, #""flag": {"description": "d", "#, []),
        (
            #""flag": {"#, #""flag": {"owner": "Ada", "tags": ["t"], "permanent": "legal", "#, []
        ),
        (#""flag": {"#, #""flag": {"archived": true, "#, ["Default"]),
        (#""expression": "true""#, #""expression": "true", "tagColor": "PINK""#, []),
        (#""Home": {"#, #""Home": {"description": "d", "#, []),
        (#""flag": {"defaultValue": {"value": "x"}"#, #""flag": {"#, ["Default"]),
        (#""limit""#, #""most""#, ["Cart"]),
        (#""value": "1""#, #""value": "9""#, ["Home"]),
        (#""value": "é""#, #""value": "e\#u{301}""#, ["Home"]),
        (#""expression": "true""#, #""expression": "false""#, ["Home"]),
        (#""expression": "false""#, #""expression": "true""#, ["Cart", "Home"]),
        (#""Cart": {"#, #""Basket": {"#, ["Basket", "Cart"]),
        (#""Home": {"#, #""Empty": {}, "Home": {"#, ["Empty"]),
        (#"{"name": "b""#, #"{"name": "c", "expression": "true"}, {"name": "b""#, []),
        (
            #"{"name": "a", "expression": "true"}, {"name": "b", "expression": "false"}"#,
            #"{"name": "b", "expression": "false"}, {"name": "a", "expression": "true"}"#,
            ["Home"]
        ),
    ]

    @Test func anUnknownFieldIsNoConditionalValueOfItsName() throws {
        let old = #"{"defaultValue": {"value": "0"}, "conditionalValues.a": {"value": "1"}}"#
        let new = #"{"defaultValue": {"value": "0"}, "conditionalValues": {"a": {"value": "1"}}}"#
        let templates = try [old, new].map { parameter in
            try RemoteConfigTemplate.make(
                #"{"conditions": [{"name": "a", "expression": "true"}], "#
                    + #""parameters": {"flag": \#(parameter)}}"#)
        }
        #expect(TemplateDiff.changedSections(from: templates[0], to: templates[1]) == ["Default"])
        #expect(TemplateDiff.changedSections(from: templates[1], to: templates[0]) == ["Default"])
    }

    /// Swift's `<` compares the Kelvin sign as "K", and finds no order between it and "K::".
    @Test func theSectionsAreSortedByTheirUTF8() throws {
        let names = ["\u{212A}", "L", "K::"]
        let groups = names.map { #""\#($0)": {}"# }.joined(separator: ", ")
        let new = try RemoteConfigTemplate.make(#"{"parameterGroups": {\#(groups)}}"#)
        let changed = TemplateDiff.changedSections(from: try .make(#"{"parameters": {}}"#), to: new)
        #expect(changed == ["K::", "L", "\u{212A}"])
    }

    @Test(arguments: rows) func aDiffNamesTheSectionsThatMayDiffer(
        _ row: (old: String, new: String, sections: [String])
    ) throws {
        let changed = Self.base.replacing(row.old, with: row.new)
        let (old, new) = try (
            RemoteConfigTemplate.make(Self.base), RemoteConfigTemplate.make(changed)
        )
        #expect(TemplateDiff.changedSections(from: old, to: new) == row.sections)
        #expect(TemplateDiff.changedSections(from: new, to: old) == row.sections)
    }
}
