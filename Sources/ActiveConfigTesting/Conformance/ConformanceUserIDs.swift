internal import ActiveConfig

/// User IDs of every kind, each a user of its own.
enum ConformanceUserIDs {
    /// The IDs, the generic user among them.
    static let all: [String?] = [
        nil, "", " ", "1", "01", "2", "null", "(null)", "nil", "generic", "user", ".", "..",
        "../..", "/",
        "a/b", "a%2Fb", "%2F", "a\u{0}b", "a\u{0}", "a", "A", "a ", "a\n", "a.previous",
        "\u{E9}", "e\u{301}", "E\u{301}", "\u{FEFF}a", "\u{1F600}", "\u{1F468}\u{200D}\u{1F467}",
        "\u{1F468}\u{1F467}", "\u{FB01}", "fi", "a&b=c#d?e", "\"'\\<>|*", "~", "$HOME", "CON",
        String(repeating: "x", count: 10_240), String(repeating: "x", count: 10_240) + "y",
    ]

    /// An ID for a finding.
    static func describe(_ userID: String?) -> String {
        "\(UserID(userID)) (\(userID?.utf8.count ?? 0) bytes)"
    }
}
