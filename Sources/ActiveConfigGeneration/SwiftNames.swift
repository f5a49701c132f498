import Foundation

/// Swift names of settings or sections, different for different names.
///
/// 1. Letters and digits of any script stay; everything else separates words, which are joined in
///   camel case: `max_size` becomes `maxSize`, `URLPath` becomes `urlPath`. Several words without a
///   lower-case letter are lower-cased: `MAX_SIZE` becomes `maxSize`. The name of a section starts
///   with a capital letter and ends with `Keys`.
/// 2. A name that starts with a digit gets a `_` prefix, a keyword gets backticks.
/// 3. Names that would collide, and names without a letter or digit, stay unchanged, in backticks
///   if needed: `a b` and `aB`. In these, characters that backticks cannot hold become `%{60}`,
///   with the scalar's hexadecimal number, and a name without a letter or digit gets a `_` prefix.
struct SwiftNames {
    enum Kind {
        /// A static property.
        case setting
        /// A type.
        case section
    }

    private var names: [String: String] = [:]

    /// Creates the names of all sections, or of all settings of a section.
    init(_ originals: some Collection<String>, _ kind: Kind) {
        var exact: Set<String> = []
        // An exact name can be another name's camel case, which then has to be exact too.
        while true {
            names = [:]
            var originalsByName: [String: [String]] = [:]
            for original in originals {
                let camelCase = exact.contains(original) ? nil : Self.camelCase(original, kind)
                let name = camelCase ?? Self.exact(original, kind)
                names[original] = name
                originalsByName[name, default: []].append(original)
            }
            let colliding = originalsByName.values.filter { $0.count > 1 }.flatMap(\.self)
            if exact.isSuperset(of: colliding) { return }
            exact.formUnion(colliding)
        }
    }

    /// The Swift name, in backticks if needed.
    subscript(original: String) -> String {
        let name = names[original] ?? original
        return Self.isIdentifier(name) ? name : "`\(name)`"
    }

    /// Nil when there is neither a letter nor a digit.
    private static func camelCase(_ original: String, _ kind: Kind) -> String? {
        // Composed, as keyboards type it.
        let composed = original.precomposedStringWithCanonicalMapping
        var words = composed.unicodeScalars.split { !$0.isLetterOrDigit }.map(String.init)
        guard !words.isEmpty else { return nil }
        if words.count > 1, !composed.unicodeScalars.contains(where: \.properties.isLowercase) {
            words = words.map { $0.lowercased() }
        }
        var name = words[0]
        switch kind {
        case .setting: name = uncapitalized(name)
        case .section: name = capitalized(name)
        }
        name += words.dropFirst().map(capitalized).joined()
        if kind == .section { name += suffix }
        if !(name.unicodeScalars.first?.properties.isXIDStart ?? false) { name = "_" + name }
        return name.precomposedStringWithCanonicalMapping
    }

    private static let suffix = "Keys"

    private static func capitalized(_ word: String) -> String {
        guard let first = word.unicodeScalars.first else { return word }
        return single(first.properties.uppercaseMapping, or: first)
            + String(word.unicodeScalars.dropFirst())
    }

    /// Lower-cases the capital letters at the start, except one that starts a word: `URLPath`
    /// becomes `urlPath`.
    private static func uncapitalized(_ word: String) -> String {
        let scalars = Array(word.unicodeScalars)
        var count = scalars.prefix { $0.properties.isUppercase }.count
        if count > 1, count < scalars.count, scalars[count].properties.isLowercase { count -= 1 }
        return scalars.prefix(count).map { single($0.properties.lowercaseMapping, or: $0) }.joined()
            + scalars.dropFirst(count).map(String.init).joined()
    }

    /// The letter in the other case, or the letter itself if that is several letters.
    private static func single(_ mapping: String, or scalar: Unicode.Scalar) -> String {
        mapping.unicodeScalars.count == 1 ? mapping : String(scalar)
    }

    private static func exact(_ original: String, _ kind: Kind) -> String {
        let composed = original.precomposedStringWithCanonicalMapping
        let hasWords = composed.unicodeScalars.contains(where: \.isLetterOrDigit)
        var name = hasWords ? "" : "_"
        for scalar in composed.unicodeScalars {
            // A name must not start with "$", which the compiler reserves.
            let isEscaped =
                scalar.isInvisible || "`\\%".unicodeScalars.contains(scalar)
                || name.isEmpty && scalar == "$"
            name += isEscaped ? escaped(scalar) : String(scalar)
        }
        switch kind {
        case .section: return name + suffix
        case .setting where unusable.contains(name):
            return name.unicodeScalars.prefix(1).map(escaped).joined() + name.dropFirst()
        case .setting: return name
        }
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        "%{\(String(scalar.value, radix: 16, uppercase: true))}"
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, !keywords.contains(name) else { return false }
        return (first == "_" || first.properties.isXIDStart)
            && name.unicodeScalars.allSatisfy { $0 == "_" || $0.isLetterOrDigit }
    }

    /// Names that a member cannot have even in backticks, or that would hide a type from its key.
    private static let unusable: Set<String> = [
        "Bool", "Data", "Date", "Double", "Duration", "Float", "Int", "Protocol", "SettingKey",
        "SettingValue", "String", "Type", "URL", "UUID",
    ]

    /// Names that can be declared only in backticks.
    private static let keywords: Set<String> = [
        "Any", "Self", "_", "as", "associatedtype", "break", "case", "catch", "class", "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal",
        "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public",
        "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch",
        "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
}

extension Unicode.Scalar {
    /// True for a letter, a digit, and a mark on one.
    fileprivate var isLetterOrDigit: Bool {
        properties.isXIDContinue && !properties.isDefaultIgnorableCodePoint
            && properties.generalCategory != .connectorPunctuation
    }
}
