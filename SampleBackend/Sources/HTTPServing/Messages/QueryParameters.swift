import JSONTree

/// The parameters of a query in their order, decoded on access.
///
/// ```swift
/// for parameter in QueryParameters("app.id=x&flag") { print(parameter.name ?? "?") }
/// ```
package struct QueryParameters: Sequence, Sendable {
    /// The percent-encoded query without its question mark; empty when there is none.
    private let query: Substring

    /// Creates the parameters of a request line's query, percent-encoded and without the question
    /// mark.
    package init(_ query: Substring) {
        self.query = query
    }

    /// The parameters; empty ones (`a=1&&b=2`) are skipped.
    package func makeIterator() -> AnyIterator<Parameter> {
        var rest = query.utf8[...]
        return AnyIterator {
            while !rest.isEmpty {
                let text = rest.prefix { $0 != UInt8(ascii: "&") }
                rest = rest[text.endIndex...].dropFirst()
                if !text.isEmpty { return Parameter(text: Substring(text)) }
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

    /// The decoded value of the last parameter whose decoded name fulfils a condition, empty when it
    /// has no `=`; nil when there is none.
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
        /// The percent-encoded pair.
        fileprivate let text: Substring

        /// The decoded name; nil when it is not percent-encoded UTF-8, so that it matches no known
        /// name.
        package var name: String? {
            Substring(text.utf8.prefix { $0 != UInt8(ascii: "=") }).percentDecoded()
        }

        /// The decoded value, empty without `=`; nil when it is not percent-encoded UTF-8.
        package var value: String? {
            let value = text.utf8.drop { $0 != UInt8(ascii: "=") }.dropFirst()
            return Substring(value).percentDecoded()
        }
    }
}
