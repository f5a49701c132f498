import Testing

/// A named row of a table of cases: what goes in and what has to come out.
struct Row<Input: Sendable, Expected: Sendable>: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let input: Input
    let expected: Expected

    init(_ name: String, _ input: Input, _ expected: Expected) {
        testDescription = name
        self.input = input
        self.expected = expected
    }
}
