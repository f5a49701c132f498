import ActiveConfig
import Foundation

/// The Swift text of a default: an expression of its key's type.
struct SwiftExpression: Sendable, Hashable {
    let text: String
    /// True when the text needs more of Foundation than the type does.
    private(set) var isParsed = false
    /// Number of containers and calls; compile time is quadratic.
    private var weight = 0
    /// Number of values in containers; a large literal takes the compiler minutes and gigabytes.
    private var count = 1
    /// Nesting of containers; compile time of nested arrays is exponential.
    private var depth = 0

    private static let maximumWeight = 100
    private static let maximumCount = 6_000
    private static let maximumDepth = 8

    /// Creates the expression of a value read as a type.
    ///
    /// - Throws: when the value cannot be read as the type, or only with a loss.
    init(_ value: SettingValue, as type: SettingType) throws(SettingMismatch) {
        self = try Self.make(value, type).orParsed(value, as: type)
    }

    /// Creates the expression of any value.
    init(_ value: SettingValue) {
        self = Self.literal(value).orParsed(value, as: .json)
    }

    private init(_ text: String) { self.text = text }

    private init(call text: String) {
        self.text = text
        weight = 1
    }

    private init(text: String, containing parts: [SwiftExpression]) {
        self.text = text
        weight = parts.reduce(1) { $0 + $1.weight }
        count = parts.reduce(1) { $0 + $1.count }
        depth = parts.reduce(0) { max($0, $1.depth) } + 1
    }

    private init(array elements: [SwiftExpression]) {
        let text = elements.map(\.text).joined(separator: ", ")
        self.init(text: "[\(text)]", containing: elements)
    }

    private init(object members: [(name: String, value: SwiftExpression)]) {
        let text = members.map { "\(SwiftLiteral.string($0.name)): \($0.value.text)" }
        self.init(
            text: text.isEmpty ? "[:]" : "[\(text.joined(separator: ", "))]",
            containing: members.map(\.value))
    }

    /// The expression, or one that parses JSON text at run time if the compiler would take long.
    private func orParsed(_ value: SettingValue, as type: SettingType) -> SwiftExpression {
        guard
            weight > Self.maximumWeight || depth > Self.maximumDepth || count > Self.maximumCount
        else { return self }
        let json = value.jsonData()
        // JSON has no infinite numbers, and its size is limited.
        guard (try? SettingValue(jsonData: json)) == value else { return self }
        let text = SwiftLiteral.string(String(decoding: json, as: UTF8.self))
        let parsed = "(try? SettingValue(jsonData: Data(\(text).utf8)))"
        let type = type.withoutOptional
        let converted = "\(parsed).flatMap(\(type.swiftName).init(settingValue:))"
        var expression =
            switch type.kind {
            case .json: SwiftExpression("\(parsed) ?? .null")
            case .array: SwiftExpression("\(converted) ?? []")
            default: SwiftExpression("\(converted) ?? [:]")
            }
        expression.isParsed = true
        return expression
    }
}

extension SwiftExpression {
    private static func make(
        _ value: SettingValue, _ type: SettingType
    ) throws(SettingMismatch) -> SwiftExpression {
        switch type.kind {
        case .bool: return SwiftExpression("\(try read(value, as: Bool.self))")
        case .int: return SwiftExpression("\(try readInteger(value))")
        case .double: return SwiftExpression(SwiftLiteral.number(try read(value, as: Double.self)))
        case .float: return SwiftExpression(SwiftLiteral.number(try read(value, as: Float.self)))
        case .string: return SwiftExpression(SwiftLiteral.string(try read(value, as: String.self)))
        case .url:
            let text = SwiftLiteral.string(try read(value, as: URL.self).absoluteString)
            return SwiftExpression(call: "URL(string: \(text))!")
        case .duration:
            let text = SwiftLiteral.duration(try read(value, as: Duration.self))
            return SwiftExpression(call: text)
        case .date:
            let seconds = try read(value, as: Date.self).timeIntervalSinceReferenceDate
            return SwiftExpression(
                call: "Date(timeIntervalSinceReferenceDate: \(SwiftLiteral.number(seconds)))")
        case .data:
            let text = try read(value, as: Data.self).base64EncodedString()
            return SwiftExpression(
                call: text.isEmpty ? "Data()" : "Data(base64Encoded: \"\(text)\")!")
        case .uuid:
            return SwiftExpression(
                call: SwiftLiteral.uuid(try read(value, as: UUID.self)))
        case .json: return literal(value)
        case .optional(let wrapped):
            if case .null = value { return SwiftExpression("nil") }
            return try make(value, wrapped)
        case .array(let type):
            var elements: [SwiftExpression] = []
            for (index, element) in try read(value, as: [SettingValue].self).enumerated() {
                elements.append(try part(element, type, at: .element(index)))
            }
            return SwiftExpression(array: elements)
        case .object(let type):
            var members: [(String, SwiftExpression)] = []
            for (name, member) in try read(value, as: [String: SettingValue].self).sortedByName {
                members.append((name, try part(member, type, at: .member(name))))
            }
            return SwiftExpression(object: members)
        }
    }

    private static func part(
        _ value: SettingValue, _ type: SettingType, at step: DocumentPath.Step
    ) throws(SettingMismatch) -> SwiftExpression {
        do throws(SettingMismatch) {
            return try make(value, type)
        } catch {
            throw SettingMismatch(path: DocumentPath([step] + error.path.steps), error.reason)
        }
    }

    private static func read<Value: SettingConvertible>(
        _ value: SettingValue, as type: Value.Type
    ) throws(SettingMismatch) -> Value {
        guard let result = Value(settingValue: value) else {
            throw SettingMismatch(
                "the default is \(value.excerpt) where \(Value.acceptedSettingValues) is expected; "
                    + "change one of them, or the type in the schema")
        }
        return result
    }

    /// Keys round fractions towards zero, but in a default a fraction is a mistake.
    private static func readInteger(_ value: SettingValue) throws(SettingMismatch) -> Int {
        let integer = try read(value, as: Int.self)
        if let number = value.doubleValue, number != number.rounded(.towardZero) {
            throw SettingMismatch(
                "the default is \(value.excerpt) where an integer is expected; leave the fraction "
                    + "out, or make the type double in the schema")
        }
        return integer
    }

    private static func literal(_ value: SettingValue) -> SwiftExpression {
        switch value {
        case .null: SwiftExpression("nil")
        case .bool(let value): SwiftExpression("\(value)")
        case .integer(let value): SwiftExpression("\(value)")
        case .double(let value) where !value.isFinite || value.isSubnormal:
            SwiftExpression(".double(\(SwiftLiteral.number(value)))")
        case .double(let value): SwiftExpression(SwiftLiteral.number(value))
        case .string(let value): SwiftExpression(SwiftLiteral.string(value))
        case .array(let elements): SwiftExpression(array: elements.map(literal))
        case .object(let members):
            SwiftExpression(object: members.sortedByName.map { ($0.key, literal($0.value)) })
        }
    }
}

extension Dictionary where Key == String {
    /// By UTF-8: Swift's `<` is no strict order for some names outside of Unicode's normal form.
    var sortedByName: [Element] {
        sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}
