internal import ActiveConfig

/// Configurations and user IDs with everything that a store could lose or confuse.
enum ConformanceSamples {
    static let configurations: [(name: String, configuration: ConfigurationState)] = [
        ("without sections", .make(sections: [:])),
        ("with an empty section", .make(sections: ["Empty": [:]])),
        ("with an empty meta", .make(meta: [:])),
        (
            "with nested meta",
            .make(meta: ["format_version_string": "1.0", "a": ["b": [1, nil, ["c": "d"]]]])
        ),
        (
            "with numbers of each kind",
            .make(sections: [
                "Numbers": [
                    "one": 1, "one as a double": 1.0, "greatest": .integer(.max),
                    "least": .integer(.min), "tenth": 0.1, "huge": 1e300, "tiny": 2.5e-308,
                    "zero": 0, "minus zero": .double(-0.0), "beyond 53 bits": 9_007_199_254_740_993,
                    "true": true, "false": false,
                ]
            ])
        ),
        (
            "with null, arrays and objects",
            .make(sections: [
                "Nested": [
                    "null": nil, "array": [], "object": [:], "mixed": [1, 1.5, "x", nil, [true]],
                    "deep": ["a": ["b": ["c": [["d": nil]]]]],
                ]
            ])
        ),
        (
            "with strange texts",
            .make(sections: [
                "": ["": ""],
                "\u{E9}\u{1F600}\u{0}\n\"\\/": [
                    "key \u{2028}": "value \u{7F} \u{1F468}\u{200D}\u{1F467} \u{10FFFF}"
                ],
            ])
        ),
        (
            "of a megabyte",
            .make(sections: ["Long": ["text": .string(String(repeating: "x", count: 1_000_000))]])
        ),
    ]

    /// User IDs of every kind, each a distinct user, and the generic user.
    static let userIDs: [String?] = [
        nil, "", " ", "1", "01", "2", "null", "(null)", "nil", "generic", "user", ".", "..",
        "../..", "/",
        "a/b", "a%2Fb", "%2F", "a\u{0}b", "a\u{0}", "a", "A", "a ", "a\n", "a.previous",
        "\u{E9}", "e\u{301}", "E\u{301}", "\u{FEFF}a", "\u{1F600}", "\u{1F468}\u{200D}\u{1F467}",
        "\u{1F468}\u{1F467}", "\u{FB01}", "fi", "a&b=c#d?e", "\"'\\<>|*", "~", "$HOME", "CON",
        String(repeating: "x", count: 10_240), String(repeating: "x", count: 10_240) + "y",
    ]

    static func describe(_ userID: String?) -> String {
        "\(UserID(userID)) (\(userID?.utf8.count ?? 0) bytes)"
    }
}
