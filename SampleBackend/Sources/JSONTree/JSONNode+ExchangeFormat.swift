extension JSONNode {
    /// Creates an object whose members are sorted by the UTF-8 of their names.
    ///
    /// - Parameter members: The members; the last of duplicate names wins.
    public init(sorting members: some Sequence<(key: String, value: JSONNode)>) {
        let sorted = members.sorted { $0.key.precedes($1.key) }.map { ($0.key, $0.value) }
        self = .object(NamedValues(sorted, uniquingKeysWith: { _, last in last }))
    }

    /// Creates a number in a document's form (FORMAT 4).
    ///
    /// An integer keeps its digits, even beyond 64 bits, except leading zeros. Any other number
    /// becomes the shortest text of the nearest `Double`, with a fraction or an exponent.
    ///
    /// - Parameter text: The decimal number, also with leading zeros or as `.5`. Any other text,
    ///   and a
    ///   number beyond the range of `Double`, becomes `null`.
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

    /// The value in a document's form: members sorted by the UTF-8 of their names, and numbers as
    /// ``init(number:)`` writes them.
    ///
    /// Equal values of a document have identical texts in this form.
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
