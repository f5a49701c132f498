/// Row of a table test, named in the report.
package struct NamedRow<Value: Sendable>: Sendable, CustomStringConvertible {
    package let name: String

    package let value: Value

    package init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }

    package var description: String { name }
}
