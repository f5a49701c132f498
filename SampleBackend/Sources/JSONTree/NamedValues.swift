public import OrderedCollections

/// Values by name, in order; names are compared by their bytes.
///
/// ```swift
/// var members: NamedValues<JSONNode> = ["title": "x"]
/// members["count"] = 3
/// ```
///
/// An `OrderedDictionary<String, …>` would take canonically equivalent names for one
/// (``ExactText``). The methods are those of `OrderedDictionary`. They are inlinable so that other
/// modules specialize them; lookups are on the way of each request.
public struct NamedValues<Value> {
    @usableFromInline
    var table: OrderedDictionary<ExactText, Value>

    @inlinable
    init(table: OrderedDictionary<ExactText, Value>) { self.table = table }

    /// Creates an empty table.
    @inlinable
    public init() { table = [:] }

    /// Creates a table of values.
    ///
    /// - Parameters:
    ///   - values: The values with their names.
    ///   - combine: Returns the value of a duplicate name, from the earlier and the later value.
    @inlinable
    public init(
        _ values: some Sequence<(key: String, value: Value)>,
        uniquingKeysWith combine: (Value, Value) -> Value
    ) {
        table = OrderedDictionary(
            values.lazy.map { (ExactText($0.key), $0.value) }, uniquingKeysWith: combine)
    }

    /// The number of values.
    @inlinable
    public var count: Int { table.count }

    /// A Boolean value that indicates whether there are no values.
    @inlinable
    public var isEmpty: Bool { table.isEmpty }

    /// The names, in order; a set of them compares bytes.
    @inlinable
    public var keys: OrderedSet<ExactText> { table.keys }

    /// The names as texts, in order.
    @inlinable
    public var names: LazyMapSequence<OrderedSet<ExactText>, String> { keys.lazy.map(\.text) }

    /// The values, in order.
    @inlinable
    public var values: OrderedDictionary<ExactText, Value>.Values {
        get { table.values }
        _modify { yield &table.values }
    }

    /// The value of a name; nil removes it, and a new name is appended.
    @inlinable
    public subscript(name: String) -> Value? {
        get { table[ExactText(name)] }
        _modify { yield &table[ExactText(name)] }
    }

    /// The value of a name; nil removes it, and a new name is appended.
    @inlinable
    public subscript(name: ExactText) -> Value? {
        get { table[name] }
        _modify { yield &table[name] }
    }

    /// The value of a name, or a default.
    @inlinable
    public subscript(name: String, default value: @autoclosure () -> Value) -> Value {
        get { table[ExactText(name), default: value()] }
        _modify { yield &table[ExactText(name), default: value()] }
    }

    /// The index of a name; nil when it is absent.
    @inlinable
    public func index(forKey name: String) -> Int? { table.index(forKey: ExactText(name)) }

    /// Sets the value of a name.
    @inlinable
    public mutating func updateValue(_ value: Value, forKey name: String) {
        table.updateValue(value, forKey: ExactText(name))
    }

    /// Removes a name, and returns its value; nil when it is absent.
    @inlinable
    @discardableResult
    public mutating func removeValue(forKey name: String) -> Value? {
        table.removeValue(forKey: ExactText(name))
    }

    /// Removes the value at an index.
    @inlinable
    @discardableResult
    public mutating func remove(at index: Int) -> Element {
        let (name, value) = table.remove(at: index)
        return (name.text, value)
    }

    /// Removes the values that fulfill a condition.
    @inlinable
    public mutating func removeAll(where shouldBeRemoved: (Element) -> Bool) {
        table.removeAll { shouldBeRemoved(($0.key.text, $0.value)) }
    }

    /// Sorts the values.
    @inlinable
    public mutating func sort(by isBefore: (Element, Element) -> Bool) {
        table.sort { isBefore(($0.key.text, $0.value), ($1.key.text, $1.value)) }
    }

    /// Returns the values that fulfill a condition.
    @inlinable
    public func filter(_ isIncluded: (Element) -> Bool) -> NamedValues {
        NamedValues(table: table.filter { isIncluded(($0.key.text, $0.value)) })
    }

    /// Returns other values by the same names.
    @inlinable
    public func mapValues<Other>(_ transform: (Value) -> Other) -> NamedValues<Other> {
        NamedValues<Other>(table: table.mapValues(transform))
    }

    /// Adds the values of another table.
    @inlinable
    public mutating func merge(
        _ other: NamedValues, uniquingKeysWith combine: (Value, Value) -> Value
    ) {
        table.merge(other.table, uniquingKeysWith: combine)
    }

    /// Returns the values of both tables.
    @inlinable
    public func merging(
        _ other: NamedValues, uniquingKeysWith combine: (Value, Value) -> Value
    ) -> NamedValues {
        NamedValues(table: table.merging(other.table, uniquingKeysWith: combine))
    }
}

extension NamedValues: Sequence {
    /// A name with its value.
    public typealias Element = (key: String, value: Value)

    /// The iterator.
    public struct Iterator {
        @usableFromInline
        var base: OrderedDictionary<ExactText, Value>.Iterator

        @inlinable
        init(base: OrderedDictionary<ExactText, Value>.Iterator) { self.base = base }

        /// Returns the next value.
        @inlinable
        public mutating func next() -> Element? {
            base.next().map { (key: $0.key.text, value: $0.value) }
        }
    }

    /// Returns an iterator over the values, in order.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(base: table.makeIterator()) }

    /// The number of values.
    @inlinable
    public var underestimatedCount: Int { table.count }
}

extension NamedValues.Iterator: IteratorProtocol {}
extension NamedValues.Iterator: Sendable where Value: Sendable {}

extension NamedValues: ExpressibleByDictionaryLiteral {
    /// Creates a table; the last value of a duplicate name wins.
    @inlinable
    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init(elements.lazy.map { (key: $0.0, value: $0.1) }) { _, last in last }
    }
}

extension NamedValues: Sendable where Value: Sendable {}
extension NamedValues: Equatable where Value: Equatable {}
extension NamedValues: Hashable where Value: Hashable {}
