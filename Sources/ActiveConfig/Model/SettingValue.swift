/// A value of a setting: any JSON value, with integers and floating-point numbers distinguished.
///
/// ```swift
/// let value: SettingValue = ["interval": 1.5, "retries": 3, "hosts": ["a", "b"]]
/// value.dictionaryValue?["retries"]  // .integer(3)
/// ```
///
/// A number without fraction and exponent that fits 64 bits is `.integer`, any other is `.double`;
/// both keep their kind through reading and writing (FORMAT 4).
///
/// Values created in code can be nested as deeply as the stack of the thread that releases them
/// allows, at about 200 bytes a level. The depth of values that are read or stored is limited; see
/// ``ConfigurationLimits``.
public enum SettingValue: Sendable {
    /// JSON's `null`: a value that is present, but that no typed getter converts (FORMAT 3.4).
    case null
    /// A truth value.
    case bool(Bool)
    /// A whole number that fits `Int`, which has 64 bits, or 32 on watches whose apps are built for
    /// arm64_32.
    case integer(Int)
    /// A number with a fraction or an exponent, or a whole one that does not fit `Int`, rounded to
    /// the nearest `Double`; ``ConfigurationState/problems`` lists the latter.
    case double(Double)
    /// A text.
    case string(String)
    /// A list of values.
    case array([SettingValue])
    /// Values by name, unordered.
    case object([String: SettingValue])
}

extension SettingValue: ExpressibleByNilLiteral {
    /// Creates `.null`.
    public init(nilLiteral: ()) { self = .null }
}

extension SettingValue: ExpressibleByBooleanLiteral {
    /// Creates `.bool`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension SettingValue: ExpressibleByIntegerLiteral {
    /// Creates `.integer`.
    public init(integerLiteral value: Int) { self = .integer(value) }
}

extension SettingValue: ExpressibleByFloatLiteral {
    /// Creates `.double`, also from a literal such as `1.0`.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension SettingValue: ExpressibleByStringInterpolation {
    /// Creates `.string`.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension SettingValue: ExpressibleByArrayLiteral {
    /// Creates `.array`.
    public init(arrayLiteral elements: SettingValue...) { self = .array(elements) }
}

extension SettingValue: ExpressibleByDictionaryLiteral {
    /// Creates `.object`.
    ///
    /// When a name occurs twice, the last value counts, as in a document (FORMAT 1.3).
    public init(dictionaryLiteral elements: (String, SettingValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}

extension SettingValue {
    /// For error messages, such as "a string".
    var kindDescription: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer: "an integer"
        case .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension SettingValue: Hashable {
    /// Nesting levels whose content is hashed.
    ///
    /// Deeper containers contribute only their count, so that no depth overflows the stack.
    private static let hashedLevels = 16

    /// Returns a Boolean value that indicates whether both are of the same kind and equal; the
    /// order of an object's members is ignored, and NaN equals itself.
    ///
    /// `1` and `1.0` are not equal, since each is written as it was read. Listeners, however, are
    /// not notified when one replaces the other, except from 2⁵³ on, where a `Double` cannot
    /// represent every integer.
    public static func == (left: SettingValue, right: SettingValue) -> Bool {
        left.isContainer
            ? isContainer(left, equalTo: right, scalars: isScalar(_:equalTo:))
            : isScalar(left, equalTo: right)
    }

    /// True when both are equal apart from the kind of numbers: for notifications an integer and a
    /// double of its value are the same below 2⁵³.
    func isEquivalent(to other: SettingValue) -> Bool {
        isContainer
            ? Self.isContainer(self, equalTo: other, scalars: Self.isScalar(_:equivalentTo:))
            : Self.isScalar(self, equivalentTo: other)
    }

    private static func isScalar(_ left: SettingValue, equivalentTo right: SettingValue) -> Bool {
        switch (left, right) {
        case (.integer(let integer), .double(let double)),
            (.double(let double), .integer(let integer)):
            double.exactInteger == integer
        default: isScalar(left, equalTo: right)
        }
    }

    private static func isScalar(_ left: SettingValue, equalTo right: SettingValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right || left.isNaN && right.isNaN
        case (.string(let left), .string(let right)): left == right
        default: false
        }
    }

    /// Hashes the kind and the content; of deeply nested values only a part.
    public func hash(into hasher: inout Hasher) {
        hash(into: &hasher, levels: Self.hashedLevels)
    }

    var isContainer: Bool {
        switch self {
        case .array, .object: true
        case .null, .bool, .integer, .double, .string: false
        }
    }

    private static func isContainer(
        _ left: SettingValue, equalTo right: SettingValue,
        scalars isEqual: (SettingValue, SettingValue) -> Bool
    ) -> Bool {
        // Not recursive: a value can be nested deeper than the stack allows.
        var pending: [(SettingValue, SettingValue)] = []
        var pair = (left, right)
        while true {
            guard isLevel(pair.0, equalTo: pair.1, scalars: isEqual, but: &pending) else {
                return false
            }
            guard let next = pending.popLast() else { return true }
            pair = next
        }
    }

    /// Compares one level; pairs of nested containers go to `pending`.
    private static func isLevel(
        _ left: SettingValue, equalTo right: SettingValue,
        scalars isEqual: (SettingValue, SettingValue) -> Bool,
        but pending: inout [(SettingValue, SettingValue)]
    ) -> Bool {
        switch (left, right) {
        case (.array(let left), .array(let right)):
            guard left.count == right.count else { return false }
            for index in left.indices {
                let (value, other) = (left[index], right[index])
                if value.isContainer {
                    pending.append((value, other))
                } else if !isEqual(value, other) {
                    return false
                }
            }
            return true
        case (.object(let left), .object(let right)):
            guard left.count == right.count else { return false }
            for (key, value) in left {
                guard let other = right[key] else { return false }
                if value.isContainer {
                    pending.append((value, other))
                } else if !isEqual(value, other) {
                    return false
                }
            }
            return true
        default: return false
        }
    }

    private func hash(into hasher: inout Hasher, levels: Int) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value):
            // As the equivalent integer, so that equivalent values have one hash.
            if let integer = value.exactInteger {
                hasher.combine(integer)
            } else {
                hasher.combine(value.isNaN ? .nan : value)
            }
        case .string(let value): hasher.combine(value)
        case .array(let elements):
            hasher.combine(elements.count)
            guard levels > 0 else { return }
            for element in elements { element.hash(into: &hasher, levels: levels - 1) }
        case .object(let members):
            hasher.combine(members.count)
            guard levels > 0 else { return }
            // A sum, which is independent of the order.
            var sum = 0
            for (key, value) in members {
                var own = Hasher()
                own.combine(key)
                value.hash(into: &own, levels: levels - 1)
                sum &+= own.finalize()
            }
            hasher.combine(sum)
        }
    }
}

extension Double {
    /// True when it may have lost digits of the written number, as for integers beyond 64 bits.
    var mayBeRounded: Bool {
        // Every smaller whole number is exactly a Double.
        magnitude >= 0x1p53
    }

    /// The integer of the same value; nil when there is none, or when the number may be rounded.
    fileprivate var exactInteger: Int? { mayBeRounded ? nil : Int(exactly: self) }
}
