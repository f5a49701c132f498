public import JSONTree

/// The custom signals of a client by name; names are compared byte by byte.
///
/// A sorted list: for at most 100 names, binary search is faster than hashing.
public struct CustomSignals: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// A signal.
    public struct Element: Sendable, Hashable {
        /// The name, without `signal.`.
        public let key: ExactText
        /// The value.
        public var value: String
    }

    /// Sorted by name, without duplicates.
    private var elements: [Element] = []

    /// Creates signals from a list in any order; the last signal of a name wins.
    public init(_ signals: some Sequence<(key: ExactText, value: String)>) {
        for (name, value) in signals { self[name] = value }
    }

    /// Creates signals from names and values; the last signal of a name wins.
    public init(dictionaryLiteral elements: (ExactText, String)...) {
        self.init(elements.lazy.map { (key: $0, value: $1) })
    }

    /// The value of a signal; nil when it was not sent.
    public subscript(name: ExactText) -> String? {
        get {
            let index = index(of: name)
            // names: the keys are exact texts
            guard index < elements.count, elements[index].key == name else { return nil }
            return elements[index].value
        }
        set {
            let index = index(of: name)
            // names: the keys are exact texts
            let isKnown = index < elements.count && elements[index].key == name
            switch (newValue, isKnown) {
            case (let value?, true): elements[index].value = value
            case (let value?, false):
                elements.insert(Element(key: name, value: value), at: index)
            case (nil, true): elements.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// The index of a signal, or its insertion point if there is none.
    private func index(of name: ExactText) -> Int {
        elements.firstIndex(whereNot: { $0.key.precedes(name) })
    }
}

extension CustomSignals: RandomAccessCollection {
    /// The index of the first signal in name order.
    public var startIndex: Int { 0 }

    /// The number of signals.
    public var endIndex: Int { elements.count }

    /// The signal at an index.
    public subscript(position: Int) -> Element { elements[position] }
}
