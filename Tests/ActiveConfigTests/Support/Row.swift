import Testing

/// Named test case with an input and the expected output.
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
