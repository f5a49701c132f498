import Testing

@testable import ActiveConfigGeneration

/// The naming rule; `GeneratedKeysTests` checks that the compiler accepts the names.
struct SwiftNamesTests {
    @Test(arguments: [
        ("isOn", "isOn", "IsOnKeys"), ("IsOn", "isOn", "IsOnKeys"),
        ("max_size", "maxSize", "MaxSizeKeys"), ("MAX_SIZE", "maxSize", "MaxSizeKeys"),
        ("max-size per.user", "maxSizePerUser", "MaxSizePerUserKeys"),
        ("URL", "url", "URLKeys"), ("URLPath", "urlPath", "URLPathKeys"),
        ("X", "x", "XKeys"), ("HTTP2Server", "http2Server", "HTTP2ServerKeys"),
        ("AppKeys", "appKeys", "AppKeysKeys"),
        ("2fa", "_2fa", "_2faKeys"), ("1.5", "_15", "_15Keys"),
        ("class", "`class`", "ClassKeys"), ("Default", "`default`", "DefaultKeys"),
        ("self", "`self`", "SelfKeys"), ("Type", "type", "TypeKeys"),
        ("Über", "über", "ÜberKeys"), ("gro\u{308}ße", "größe", "GrößeKeys"),
        ("日本_語", "日本語", "日本語Keys"), ("\u{301}a", "_\u{301}a", "_\u{301}aKeys"),
        ("a\u{200B}b", "aB", "ABKeys"), ("like👍", "like", "LikeKeys"),
        ("", "`_`", "_Keys"), ("_", "__", "__Keys"), ("+", "`_+`", "`_+Keys`"),
        ("👍", "`_👍`", "`_👍Keys`"), ("`", "`_%{60}`", "`_%{60}Keys`"),
        ("\0", "`_%{0}`", "`_%{0}Keys`"), (" ", "`_ `", "`_ Keys`"),
    ])
    func aNameAloneIsInCamelCase(original: String, setting: String, section: String) {
        #expect(Array(SwiftNames([original], .setting)[original].utf8) == Array(setting.utf8))
        #expect(Array(SwiftNames([original], .section)[original].utf8) == Array(section.utf8))
    }

    @Test(arguments: [
        ["a_b": "a_b", "aB": "aB", "a b": "`a b`", "ab": "ab"],
        ["1": "`1`", "_1": "_1"], ["url": "url", "URL": "`%{55}RL`"],
        ["Type": "`%{54}ype`", "type": "type"], ["self": "`self`", "Self": "`Self`"],
        ["like👍": "`like👍`", "like👎": "`like👎`", "like": "like"],
        ["$x": "`%{24}x`", "x": "x"], ["a%b": "`a%{25}b`", "a`b": "`a%{60}b`"],
        ["a\u{200B}b": "`a%{200B}b`", "a b": "`a b`"],
        // The exact name of one setting is the camel-case name of another.
        ["日本A": "日本A", "日本a": "日本a", "日本_A": "日本_A"],
    ])
    func collidingNamesStayAsTheyAre(names: [String: String]) {
        let swiftNames = SwiftNames(names.keys, .setting)
        for (original, name) in names { #expect(swiftNames[original] == name) }
    }

    @Test func collidingSectionsStayAsTheyAre() {
        let names = SwiftNames(["Home", "home", "home page"], .section)
        #expect(names["Home"] == "HomeKeys")
        #expect(names["home"] == "homeKeys")
        #expect(names["home page"] == "HomePageKeys")
    }

    /// Names built from the few characters that the rule treats specially collide often.
    @Test(arguments: [SwiftNames.Kind.setting, .section])
    func allNamesAreDifferentInAnyOrder(kind: SwiftNames.Kind) {
        let alphabet: [Character] = ["a", "A", "b", "B", "_", " ", "1", "$", "%", "`", "日", "👍"]
        for seed in 0..<300 {
            var random = SeededGenerator(seed: UInt64(seed))
            let originals = Set(
                (0..<20).map { _ in
                    let length = Int.random(in: 0...4, using: &random)
                    let characters = (0..<length).map { _ in
                        alphabet[Int.random(in: alphabet.indices, using: &random)]
                    }
                    return String(characters)
                })
            let names = SwiftNames(originals, kind)
            #expect(Set(originals.map { names[$0] }).count == originals.count, "seed \(seed)")
            let shuffled = SwiftNames(originals.shuffled(using: &random), kind)
            #expect(originals.allSatisfy { names[$0] == shuffled[$0] }, "seed \(seed)")
        }
    }
}
