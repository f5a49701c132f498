/// The value of a custom signal: a string, a number or a Boolean; also from a literal.
public struct CustomSignalValue: Sendable, Hashable {
    /// The sent text; nil for a number that is not finite.
    let text: String?

    /// A text.
    public static func string(_ value: String) -> CustomSignalValue {
        CustomSignalValue(text: value)
    }

    /// An integer, sent in decimal digits.
    public static func integer(_ value: Int) -> CustomSignalValue {
        CustomSignalValue(text: String(value))
    }

    /// A number, sent with the fewest digits, `5.0` as "5".
    ///
    /// `setCustomSignals(_:)` refuses one that is not finite.
    public static func double(_ value: Double) -> CustomSignalValue {
        guard value.isFinite else { return CustomSignalValue(text: nil) }
        let text = value.description
        return CustomSignalValue(text: text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }

    /// A Boolean, sent as "true" or "false".
    public static func bool(_ value: Bool) -> CustomSignalValue {
        CustomSignalValue(text: String(value))
    }
}

extension CustomSignalValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    /// Creates a text.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates an integer.
    public init(integerLiteral value: Int) { self = .integer(value) }

    /// Creates a number.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

/// A custom signal that exceeds a limit.
public struct CustomSignalError: Error, Sendable, Hashable {
    /// The kind of fault.
    ///
    /// Codes may be added: keep a `default` when you switch over it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case noName, nameTooLong, valueTooLong, notFinite, tooMany
        }

        private let kind: Kind

        /// The name is empty.
        public static let noName = Code(kind: .noName)
        /// The name has more than ``ClientSignals/maximumNameLength`` Unicode scalars.
        public static let nameTooLong = Code(kind: .nameTooLong)
        /// The value has more than ``ClientSignals/maximumValueLength`` Unicode scalars.
        public static let valueTooLong = Code(kind: .valueTooLong)
        /// The value is not a finite number.
        public static let notFinite = Code(kind: .notFinite)
        /// There would be more than ``ClientSignals/maximumCustomCount`` signals.
        public static let tooMany = Code(kind: .tooMany)

        /// The code's name, such as `nameTooLong`.
        public var description: String { kind.rawValue }
    }

    /// The kind of fault.
    public let code: Code
    /// The signal's name; the first faulty one in byte order.
    public let name: String

    /// Creates an error, for tests.
    ///
    /// - Parameters:
    ///   - code: The kind of fault.
    ///   - name: The signal's name.
    public init(_ code: Code, name: String) {
        self.code = code
        self.name = name
    }
}

extension CustomSignalError: CustomStringConvertible {
    /// One sentence with the signal's name and the limit.
    public var description: String {
        let shown = name.count > 40 ? "\(name.prefix(40))…" : name
        let fault =
            switch code {
            case .noName: "has no name"
            case .nameTooLong:
                "has a name of more than \(ClientSignals.maximumNameLength) characters"
            case .valueTooLong:
                "has a value of more than \(ClientSignals.maximumValueLength) characters"
            case .notFinite: "has a number that is not finite"
            default: "is one more than the \(ClientSignals.maximumCustomCount) that may be set"
            }
        return "The signal \(shown.debugDescription) \(fault); none was set."
    }
}
