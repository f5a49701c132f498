import JSONTree

/// The parameters of a query in order, decoded on access.
///
/// ```swift
/// for parameter in QueryParameters("app.id=x&flag") { print(parameter.name ?? "?") }
/// ```
package struct QueryParameters: Sequence, Sendable {
    /// The text with the percent-encoded query, in contiguous memory.
    private let text: String
    /// Where the query starts and ends in the UTF-8 of ``text``.
    private let bounds: Range<Int>

    /// Creates the parameters from a percent-encoded query without its question mark.
    package init(_ query: Substring) {
        var text = query.base
        let start = text.utf8.distance(from: text.startIndex, to: query.startIndex)
        bounds = start..<(start + query.utf8.count)
        text.makeContiguousUTF8()
        self.text = text
    }

    /// The parameters; empty ones (`a=1&&b=2`) are skipped.
    package func makeIterator() -> Iterator { Iterator(text: text, rest: bounds) }

    package struct Iterator: IteratorProtocol {
        fileprivate let text: String
        fileprivate var rest: Range<Int>

        package mutating func next() -> Parameter? {
            var (start, end, equals) = (rest.lowerBound, rest.lowerBound, Int?.none)
            let limit = rest.upperBound
            unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
                while end < limit {
                    let byte = unsafe bytes[end]
                    if byte == UInt8(ascii: "&") {
                        if end > start { break }
                        start = end + 1
                    } else if byte == UInt8(ascii: "="), equals == nil {
                        equals = end
                    }
                    end += 1
                }
            }
            rest = Swift.min(end + 1, limit)..<limit
            guard start < end else { return nil }
            let name = start..<(equals ?? end)
            let value = Swift.min(name.upperBound + 1, end)..<end
            return Parameter(text: text, encodedName: name, encodedValue: value)
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
        fileprivate let text: String
        fileprivate let encodedName: Range<Int>
        fileprivate let encodedValue: Range<Int>

        /// The decoded name; nil when it is not percent-encoded UTF-8 and therefore matches no
        /// known name.
        package var name: String? { text.percentDecoded(encodedName) }

        /// The decoded value, empty without `=`; nil when it is not percent-encoded UTF-8.
        package var value: String? { text.percentDecoded(encodedValue) }
    }
}
