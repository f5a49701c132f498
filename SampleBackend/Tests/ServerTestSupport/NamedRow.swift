/// A type that is one row of a table test, known by its name in the report.
package struct NamedRow<Value: Sendable>: Sendable, CustomStringConvertible {
    /// What the row is about.
    package let name: String

    /// What the test uses.
    package let value: Value

    /// Makes a row.
    package init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }

    /// The name.
    package var description: String { name }
}
