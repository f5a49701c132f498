/// A JSON value that preserves its text form: the order of members, and the digits of numbers.
///
/// Templates are read into and written from this type, so that a published template is returned
/// unchanged, including unknown fields.
///
/// Two objects are equal if their members are equal, in any order. Two numbers are equal if their
/// texts are: `1` and `1.0` differ. Two texts are equal if their bytes are.
public enum JSONNode: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number as its text, which is a valid JSON number if it was parsed.
    case number(String)
    case string(String)
    /// Values in order.
    case array([JSONNode])
    /// Values by name, in source order.
    case object(NamedValues<JSONNode>)

    /// An object without members.
    public static let emptyObject = JSONNode.object([:])
}

extension JSONNode {
    /// The Boolean value, or nil when it is another kind of value.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The text, or nil when it is another kind of value.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, or nil when it is another kind of value.
    public var arrayValue: [JSONNode]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members, or nil when it is another kind of value.
    public var objectValue: NamedValues<JSONNode>? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The nearest floating-point number, or nil when it is not a number.
    public var doubleValue: Double? {
        if case .number(let text) = self { Double(text) } else { nil }
    }

    /// The integer; nil if the value is not an integer (such as `5.0`) or exceeds 64 bits.
    public var integerValue: Int? {
        if case .number(let text) = self { Int(text) } else { nil }
    }

    /// The member of an object; nil if it is absent, or this is not an object.
    public subscript(name: String) -> JSONNode? {
        objectValue?[name]
    }

    /// The kind of value for an error message, such as "a string".
    public var kindDescription: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONNode: Hashable {
    /// Returns a Boolean value that indicates whether two values are equal, ignoring the order of
    /// members.
    public static func == (left: JSONNode, right: JSONNode) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)):
            left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let text), .string(let text): hasher.combine(text)
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(Set(members.keys))
        }
    }
}

extension JSONNode: ExpressibleByStringLiteral {
    /// Creates `.string`.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONNode: ExpressibleByBooleanLiteral {
    /// Creates `.bool`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONNode: ExpressibleByIntegerLiteral {
    /// Creates `.number`.
    public init(integerLiteral value: Int) { self = .number(value.description) }
}

extension JSONNode: ExpressibleByArrayLiteral {
    /// Creates `.array`.
    public init(arrayLiteral elements: JSONNode...) { self = .array(elements) }
}

extension JSONNode: ExpressibleByDictionaryLiteral {
    /// Creates `.object`; the last value of a duplicate name wins.
    public init(dictionaryLiteral elements: (String, JSONNode)...) {
        self = .object(NamedValues(elements, uniquingKeysWith: { _, last in last }))
    }
}

extension JSONNode {
    /// Sets a member of an object; appends a new one.
    ///
    /// - Parameters:
    ///   - name: The member's name.
    ///   - value: Its value; nil changes nothing, so that absent values are omitted.
    public mutating func setMember(_ name: String, _ value: JSONNode?) {
        guard case .object(var members) = self, let value else { return }
        self = .null
        members[name] = value
        self = .object(members)
    }

    /// Removes a member of an object.
    ///
    /// - Parameter name: The member's name; a missing member changes nothing.
    public mutating func removeMember(_ name: String) {
        guard case .object(var members) = self else { return }
        self = .null
        members.removeValue(forKey: name)
        self = .object(members)
    }
}
