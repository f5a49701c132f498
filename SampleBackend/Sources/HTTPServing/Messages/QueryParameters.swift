import JSONTree

/// The parameters of a query in order, decoded on access.
///
/// ```swift
/// for parameter in QueryParameters("app.id=x&flag") { print(parameter.name ?? "?") }
/// ```
package struct QueryParameters: Sequence, Sendable {
    /// The percent-encoded query without its question mark; empty when there is none.
    private let query: Substring

    /// Creates the parameters from a percent-encoded query without its question mark.
    package init(_ query: Substring) {
        self.query = query
    }

    /// The parameters; empty ones (`a=1&&b=2`) are skipped.
    package func makeIterator() -> Iterator { Iterator(rest: query) }

    package struct Iterator: IteratorProtocol {
        /// Nil after the last parameter.
        fileprivate var rest: Substring?

        package mutating func next() -> Parameter? {
            while let text = rest {
                let (pair, after) = text.cut(at: UInt8(ascii: "&"))
                rest = after
                guard !pair.isEmpty else { continue }
                let (name, value) = pair.cut(at: UInt8(ascii: "="))
                return Parameter(encodedName: name, encodedValue: value ?? "")
            }
            return nil
        }
    }

    /// The decoded value of the last parameter with this decoded name, empty when it has no `=`;
    /// nil when there is none.
    ///
    /// - Throws: A ``RequestError`` with status 400 when the value is not percent-encoded UTF-8.
    package func lastValue(named name: String) throws(RequestError) -> String? {
        try lastValue { $0.hasSameBytes(as: name) }
    }

    /// The decoded value of the last parameter whose decoded name satisfies a condition, empty when
    /// it has no `=`; nil when there is none.
    ///
    /// - Throws: A ``RequestError`` with status 400 when the value is not percent-encoded UTF-8.
    package func lastValue(
        where isNamed: (_ name: String) -> Bool
    ) throws(RequestError) -> String? {
        var found: (name: String, parameter: Parameter)?
        for parameter in self {
            if let name = parameter.name, isNamed(name) { found = (name, parameter) }
        }
        guard let found else { return nil }
        guard let value = found.parameter.value else {
            throw .invalidArgument(
                "The value of the query parameter \"\(found.name)\" is not percent-encoded UTF-8: "
                    + "encode it again.")
        }
        return value
    }

    /// One `name=value` pair of a query.
    package struct Parameter: Sendable {
        fileprivate let encodedName: Substring
        fileprivate let encodedValue: Substring

        /// The decoded name; nil when it is not percent-encoded UTF-8 and therefore matches no
        /// known name.
        package var name: String? { encodedName.percentDecoded() }

        /// The decoded value, empty without `=`; nil when it is not percent-encoded UTF-8.
        package var value: String? { encodedValue.percentDecoded() }
    }
}
