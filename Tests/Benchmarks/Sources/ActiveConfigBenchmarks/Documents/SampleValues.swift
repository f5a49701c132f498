import ActiveConfig

/// Values that are typical for apps.
///
/// Of twenty values, seven are Booleans, five numbers, six texts, one a list and one an object.
enum SampleValues {
    private static let words = [
        "welcome", "offer", "continue", "later", "premium", "settings", "profile", "subscribe",
    ]

    static func value(_ number: Int, variant: Int) -> SettingValue {
        let seed = number + variant
        switch number % 20 {
        case 0...6: return .bool(seed % 3 != 0)
        case 7...9: return .integer(seed * 37 % 100_000)
        case 10, 11: return .double(Double(seed % 1_000) * 0.125 + 0.0625)
        case 12...15: return .string("\(text(seed, words: 5)) \(seed)")
        case 16:
            return .string("https://cdn.example.com/\(word(seed))/\(word(seed + 3))/\(seed).png")
        case 17: return .string("Größe „\(word(seed))“\n\"\(text(seed + 1, words: 2))\" – \(seed)")
        case 18: return .array((0..<5).map { .string(word(seed + $0)) })
        default:
            return .object([
                "title": .string(text(seed, words: 2)), "weight": .double(0.5),
                "limit": .integer(seed), "enabled": true,
            ])
        }
    }

    private static func text(_ seed: Int, words count: Int) -> String {
        (0..<count).map { word(seed + $0) }.joined(separator: " ")
    }

    private static func word(_ seed: Int) -> String { words[seed % words.count] }
}
