import OrderedCollections

extension JSONNode {
    /// Creates an object whose members are sorted by the UTF-8 of their names.
    ///
    /// - Parameter members: The members; of two with the same name the last one counts.
    public init(sorting members: some Sequence<(key: String, value: JSONNode)>) {
        let sorted = members.sorted { $0.key.precedes($1.key) }.map { ($0.key, $0.value) }
        self = .object(OrderedDictionary(sorted, uniquingKeysWith: { _, last in last }))
    }

    /// Creates a number in the form of a document (FORMAT 4).
    ///
    /// A whole number keeps its digits, also beyond 64 bits, but for zeros at the beginning. Every
    /// other number becomes the shortest text of the nearest `Double`, with a fraction or an
    /// exponent.
    ///
    /// - Parameter text: The decimal number, also with zeros at the beginning or as `.5`; `null`
    ///   results from any other text and beyond the range of `Double`.
    public init(number text: String) {
        if let integer = Int(text) {
            self = .number(integer.description)
            return
        }
        guard let double = Double(text), double.isFinite else {
            self = .null
            return
        }
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        if digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            self = .number((double < 0 ? "-" : "") + digits.drop { $0 == "0" })
        } else {
            self = .number(double.description)
        }
    }

    /// The value in the form of a document: members sorted by the UTF-8 of their names, numbers as
    /// ``init(number:)`` writes them.
    ///
    /// Equal values of a document have the same text in this form.
    public var exchangeForm: JSONNode {
        switch self {
        case .null, .bool, .string: self
        case .number(let text): JSONNode(number: text)
        case .array(let elements): .array(elements.map(\.exchangeForm))
        case .object(let members):
            JSONNode(sorting: members.lazy.map { (key: $0.key, value: $0.value.exchangeForm) })
        }
    }
}
