import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Sections decoded into a type whose initial values are the defaults.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SettingsSectionTests {
    private static func fixture(
        _ settings: [String: SettingValue]?, of name: String = "Checkout"
    ) -> CoordinatorFixture {
        let sections: [String: ActiveConfigSection] =
            settings.map { [name: ActiveConfigSection(settings: $0)] } ?? ["Unrelated": ["x": 1]]
        return .make(store: InMemoryStore(bootstrap: .state(.make(sections: sections))))
    }

    private static func problems(_ fixture: CoordinatorFixture) -> [String] {
        let problems = fixture.config.diagnostics.problems.map(\.description)
        // Each problem is logged once.
        #expect(
            fixture.log.messages(ofLevel: .warning)
                == problems.map { "\($0) The next lower value, or else the default, is used." })
        return problems
    }

    struct Checkout: SettingsSection, Equatable {
        static let sectionName = "Checkout"
        static let count = Locked(0)

        enum Style: String, Codable { case plain, rich }

        enum Payment: Codable, Equatable {
            case card(limit: Int)
            case cash
        }

        struct Button: Codable, Equatable {
            struct Border: Codable, Equatable {
                var width = 1
                var color: String? = "gray"
            }

            var title = "Pay"
            var border = Border()
        }

        var isOn = false
        var timeout: Duration = .seconds(30)  // deadline: a setting's value
        var style = Style.plain
        var payment = Payment.cash
        var button = Button()
        var limit: Int? = 5
        var note: String?
        var sizes = ["S": 1, "L": 3]
        var hosts = ["a", "b"]
        var url = URL(filePath: "/default")
        var anything = SettingValue.null
        private var hidden = 7
        let fixed: Int

        init() { fixed = 9 }

        init(_ change: (inout Checkout) -> Void) {
            self.init()
            change(&self)
        }

        func with(hidden: Int) -> Checkout {
            Checkout {
                $0 = self
                $0.hidden = hidden
            }
        }

        enum CodingKeys: String, CodingKey {
            case isOn = "is_on"
            case timeout, style, payment, button, limit, note, sizes, hosts, url, anything, hidden
            case fixed
        }
    }

    @Test(
        arguments: [
            Row("no section", nil, Checkout()),
            Row("an empty section", [:], Checkout()),
            Row(
                "scalars", ["is_on": true, "timeout": "PT1M", "style": "rich", "unknown": 1],
                Checkout {
                    $0.isOn = true
                    $0.timeout = .seconds(60)
                    $0.style = .rich
                }),
            Row("a name of Swift, not of the document", ["isOn": true], Checkout()),
            Row(
                "a part of a nested type", ["button": ["border": ["width": 5]]],
                Checkout { $0.button.border.width = 5 }),
            Row("an empty nested type", ["button": [:]], Checkout()),
            Row(
                "null where nil is possible", ["limit": nil, "button": ["border": ["color": nil]]],
                Checkout {
                    $0.limit = nil
                    $0.button.border.color = nil
                }),
            Row("a value where nil is the default", ["note": "x"], Checkout { $0.note = "x" }),
            Row(
                "a dictionary, which replaces the default", ["sizes": ["M": 2]],
                Checkout { $0.sizes = ["M": 2] }),
            Row(
                "empty containers", ["sizes": [:], "hosts": []],
                Checkout {
                    $0.sizes = [:]
                    $0.hosts = []
                }),
            Row(
                "a case with a value", ["payment": ["card": ["limit": 3]]],
                Checkout { $0.payment = .card(limit: 3) }),
            Row("a private property", ["hidden": 8], Checkout().with(hidden: 8)),
            Row(
                "any value", ["anything": ["a": [1, nil]], "url": "https://a.b"],
                Checkout {
                    $0.anything = ["a": [1, nil]]
                    $0.url = URL(string: "https://a.b") ?? $0.url
                }),
        ] as [Row<[String: SettingValue]?, Checkout>])
    func aSectionHasItsOwnValuesWhereTheDocumentLacksThem(
        row: Row<[String: SettingValue]?, Checkout>
    ) {
        let fixture = Self.fixture(row.input)
        #expect(fixture.config.section(Checkout.self) == row.expected)
        #expect(Self.problems(fixture) == [])
    }

    /// The valid settings in each of these documents, next to the invalid ones.
    private static let right: [String: SettingValue] = ["is_on": true, "hosts": ["right"]]
    private static let expected = Checkout {
        $0.isOn = true
        $0.hosts = ["right"]
    }

    @Test(
        arguments: [
            Row(
                "a scalar", ["timeout": "soon"],
                [
                    "timeout' is a string where a number of seconds or an ISO 8601 duration is expected."
                ]),
            Row("null", ["style": nil], ["style' is null where a string is expected."]),
            Row(
                "an unknown case", ["style": "purple"],
                ["style' cannot be read: Cannot initialize Style from invalid String value purple."]
            ),
            Row(
                "an optional with a default", ["limit": "x"],
                ["limit' is a string where an integer in \(Int.min)...\(Int.max) is expected."]),
            Row(
                "an optional without one", ["note": 5],
                ["note' is an integer where a string is expected."]),
            Row(
                "a nested value", ["button": ["border": ["width": 1.5]]],
                [
                    """
                    button.border.width' is a number where an integer in \(Int.min)...\(Int.max) is \
                    expected.
                    """
                ]),
            Row(
                "a nested optional", ["button": ["border": ["color": []]]],
                ["button.border.color' is an array where a string is expected."]),
            Row(
                "a whole nested type", ["button": ["border": 5]],
                ["button.border' is an integer where an object is expected."]),
            Row(
                "an element of a dictionary", ["sizes": ["L": 3, "M": "x", "S": 5]],
                ["sizes.M' is a string where an integer in \(Int.min)...\(Int.max) is expected."]),
            Row(
                "an element of an array", ["url": ["https://a.b"]],
                ["url' is an array where a URL is expected."]),
            Row(
                "an unknown case with a value", ["payment": ["cheque": [:]]],
                [
                    """
                    payment' cannot be read: Invalid number of keys found, expected one.
                    """
                ]),
            Row(
                "a case with another value", ["payment": ["card": ["limit": "x"]]],
                [
                    "payment.card.limit' is a string where an integer in \(Int.min)...\(Int.max) is expected."
                ]),
            Row(
                "several", ["note": 5, "url": 5, "limit": []],
                [
                    "limit' is an array where an integer in \(Int.min)...\(Int.max) is expected.",
                    "note' is an integer where a string is expected.",
                    "url' is an integer where a URL is expected.",
                ]),
            Row(
                "a value of a `let`", ["fixed": "x"],
                ["fixed' is a string where an integer in \(Int.min)...\(Int.max) is expected."]),
        ] as [Row<[String: SettingValue], [String]>])
    func aWrongValueGivesItsDefaultAndLosesNoOther(row: Row<[String: SettingValue], [String]>) {
        let fixture = Self.fixture(Self.right.merging(row.input) { $1 })
        #expect(fixture.config.section(Checkout.self) == Self.expected)
        #expect(Self.problems(fixture) == row.expected.map { "The setting 'Checkout.\($0)" })
    }

    @Test func aWrongElementOfAnArrayIsNamedAndGivesTheDefaultArray() {
        let fixture = Self.fixture(["is_on": true, "hosts": ["a", 5]])
        #expect(fixture.config.section(Checkout.self) == Checkout { $0.isOn = true })
        #expect(
            Self.problems(fixture) == [
                "The setting 'Checkout.hosts.1' is an integer where a string is expected."
            ])
    }

    @Test func aSectionSeesTheLayers() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(
                .configuration(.make(sections: ["Checkout": ["timeout": 1, "note": "document"]]))),
            overrides: .settable)
        let config = fixture.config
        config.setDefaults(["Checkout": ["timeout": 2, "limit": 6]])
        #expect(
            config.section(Checkout.self)
                == Checkout {
                    $0.timeout = .seconds(2)  // deadline: a setting's value
                    $0.limit = 6
                })
        try await config.downloadNewConfig()
        config.overrides.set("override", for: SettingPath("Checkout", "note"))
        #expect(
            config.section(Checkout.self)
                == Checkout {
                    $0.timeout = .seconds(1)  // deadline: a setting's value
                    $0.limit = 6
                    $0.note = "override"
                })
    }

    /// As with a key, a lower layer is used for a value of another type.
    @Test func aLowerLayerStepsInForAValueOfAnotherType() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(
                .configuration(
                    .make(sections: ["Checkout": ["timeout": "soon", "button": ["title": 5]]]))),
            overrides: .settable)
        let config = fixture.config
        config.setDefaults(["Checkout": ["timeout": 2]])
        try await config.downloadNewConfig()
        #expect(config[SettingKey("Checkout", "timeout", default: .zero)] == .seconds(2))
        #expect(config.section(Checkout.self) == Checkout { $0.timeout = .seconds(2) })
        #expect(config.diagnostics.problems.map(\.name) == ["timeout", "button.title"])
    }

    /// Counts how often it is decoded.
    private struct Counted: SettingsSection {
        static let sectionName = "Checkout"
        static let count = Locked(0)
        var title = "default"

        init() {}

        init(from decoder: any Decoder) throws {
            Self.count.withLock { $0 += 1 }
            let container = try decoder.container(keyedBy: CodingKeys.self)
            title = try container.decode(String.self, forKey: .title)
        }

        enum CodingKeys: CodingKey { case title }
    }

    @Test func aSectionIsDecodedOncePerConfiguration() throws {
        let fixture = Self.fixture(["title": "a"])
        let config = fixture.config
        for _ in 0..<3 { #expect(config.section(Counted.self).title == "a") }
        #expect(Counted.count.withLock { $0 } == 1)
        config.setDefaults(["Checkout": ["x": 1]])
        for _ in 0..<3 { #expect(config.section(Counted.self).title == "a") }
        #expect(Counted.count.withLock { $0 } == 2)
    }

    @Test func typesOfOneSectionAreDistinguished() {
        let config = Self.fixture(["title": "a", "is_on": true, "count": 1]).config
        for _ in 0..<2 {
            #expect(config.section(Checkout.self).isOn)
            #expect(config.section(Asymmetric.self).title == "a")
        }
    }

    /// Decoding always fails.
    private struct Failing: SettingsSection {
        struct Failure: Error, CustomStringConvertible { let description = "never" }

        static let sectionName = "Checkout"
        var isOn = true

        init() {}
        init(from decoder: any Decoder) throws { throw Failure() }
    }

    @Test(
        arguments: [
            Row("no section", nil, 0), Row("a section", ["isOn": false], 1),
        ] as [Row<[String: SettingValue]?, Int>])
    func aTypeThatNeverDecodesHasItsDefaults(row: Row<[String: SettingValue]?, Int>) {
        let fixture = Self.fixture(row.input)
        for _ in 0..<2 { #expect(fixture.config.section(Failing.self).isOn) }
        #expect(
            Self.problems(fixture)
                == Array(
                    repeating: "The section 'Checkout' cannot be read: never.", count: row.expected)
        )
    }

    /// Its defaults cannot be represented in a document.
    private struct Unlimited: SettingsSection, Equatable {
        static let sectionName = "Checkout"
        var limit = Double.infinity
        var start = Date.distantPast
        var end = Date(timeIntervalSince1970: 1e300)
        var count = 1
    }

    @Test func aTypeWhoseDefaultsHaveNoFormInADocumentReadsItAllTheSame() {
        #expect(Self.fixture(nil).config.section(Unlimited.self) == Unlimited())
        let some = Self.fixture(["count": 5, "end": "2012-08-20T19:36:05Z"])
        let section = some.config.section(Unlimited.self)
        #expect(section.count == 5 && section.limit == .infinity)
        #expect(Self.problems(some) == [])
    }

    /// Encodes members other than those that it decodes.
    private struct Asymmetric: SettingsSection {
        static let sectionName = "Checkout"
        var title = "default"
        var count = 1

        enum Read: CodingKey { case title, count }
        enum Written: CodingKey { case heading }

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Read.self)
            title = try container.decode(String.self, forKey: .title)
            count = try container.decode(Int.self, forKey: .count)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Written.self)
            try container.encode(title, forKey: .heading)
        }
    }

    @Test func aTypeThatEncodesOtherMembersNeedsThemAll() {
        let whole = Self.fixture(["title": "a", "count": 2]).config
        #expect(whole.section(Asymmetric.self).title == "a")
        #expect(whole.diagnostics.problems == [])
        let part = Self.fixture(["title": "a"])
        #expect(part.config.section(Asymmetric.self).title == "default")
        #expect(
            Self.problems(part) == [
                "The setting 'Checkout.count' is missing and has no default."
            ])
    }

    /// Encoding fails.
    private struct Unencodable: SettingsSection {
        static let sectionName = "Checkout"
        var title = "default"
        init() {}
        func encode(to encoder: any Encoder) throws { throw Failing.Failure() }
    }

    @Test func aTypeThatDoesNotEncodeIsStillDecoded() {
        #expect(Self.fixture(["title": "a"]).config.section(Unencodable.self).title == "a")
        #expect(Self.fixture([:]).config.section(Unencodable.self).title == "default")
    }

    /// Accepts a number or a word, as hand-written decoders do.
    private struct Lenient: SettingsSection {
        enum Size: Codable, Equatable {
            case points(Int)
            case word(String)

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let points = try? container.decode(Int.self) {
                    self = .points(points)
                } else {
                    self = .word(try container.decode(String.self))
                }
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                switch self {
                case .points(let points): try container.encode(points)
                case .word(let word): try container.encode(word)
                }
            }
        }

        static let sectionName = "Checkout"
        var size = Size.points(5)
        var width = "5"
        var count = 1

        enum CodingKeys: CodingKey { case size, width, count }

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            size = try container.decode(Size.self, forKey: .size)
            if let width = try? container.decode(Int.self, forKey: .width) {
                self.width = "\(width)"
            } else {
                width = try container.decode(String.self, forKey: .width)
            }
            count = try container.decode(Int.self, forKey: .count)
        }
    }

    @Test(
        arguments: [
            Row("all right", 2, []), Row("another wrong", [], ["count"]),
        ] as [Row<SettingValue, [String]>])
    func aValueThatTheTypeTriesTwiceIsNoProblem(row: Row<SettingValue, [String]>) {
        let fixture = Self.fixture(["size": "auto", "width": "auto", "count": row.input])
        let section = fixture.config.section(Lenient.self)
        #expect(section.size == .word("auto") && section.width == "auto")
        #expect(section.count == (row.expected.isEmpty ? 2 : 1))
        #expect(fixture.config.diagnostics.problems.map(\.name) == row.expected)
    }

    /// Decodes nested containers and a superclass by hand.
    private final class ByHand: SettingsSection {
        static let sectionName = "Checkout"
        let width: Int
        let height: Int
        let hosts: [String]
        let parent: Int

        enum CodingKeys: CodingKey { case size, hosts, parent }
        enum SizeKeys: CodingKey { case width, height }

        init() { (width, height, hosts, parent) = (1, 2, ["a"], 3) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let size = try container.nestedContainer(keyedBy: SizeKeys.self, forKey: .size)
            width = try size.decode(Int.self, forKey: .width)
            height = try size.decode(Int.self, forKey: .height)
            var list = try container.nestedUnkeyedContainer(forKey: .hosts)
            var hosts: [String] = []
            while !list.isAtEnd { hosts.append(try list.decode(String.self)) }
            self.hosts = hosts
            parent = try Int(from: container.superDecoder(forKey: .parent))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var size = container.nestedContainer(keyedBy: SizeKeys.self, forKey: .size)
            try size.encode(width, forKey: .width)
            try size.encode(height, forKey: .height)
            var list = container.nestedUnkeyedContainer(forKey: .hosts)
            for host in hosts { try list.encode(host) }
            try parent.encode(to: container.superEncoder(forKey: .parent))
        }

        var all: String { "\(width) \(height) \(hosts) \(parent)" }
    }

    @Test(
        arguments: [
            Row("nothing", [:], #"1 2 ["a"] 3"#),
            Row(
                "everything", ["size": ["width": 5, "height": 6], "hosts": [], "parent": 7],
                "5 6 [] 7"),
            Row("a part", ["size": ["width": 5]], #"5 2 ["a"] 3"#),
            Row("a wrong container", ["size": 5, "parent": 7], #"1 2 ["a"] 7 size"#),
            Row(
                "a wrong value in it", ["size": ["width": "x", "height": 6]],
                #"1 6 ["a"] 3 size.width"#),
            Row("a wrong list", ["hosts": 5, "parent": 7], #"1 2 ["a"] 7 hosts"#),
            Row("a wrong element", ["hosts": ["b", 5], "parent": 7], #"1 2 ["a"] 7 hosts.1"#),
            Row("a wrong super", ["parent": "x", "hosts": ["b"]], #"1 2 ["b"] 3 parent"#),
        ] as [Row<[String: SettingValue], String>])
    func aTypeThatReadsByHandHasDefaultsToo(row: Row<[String: SettingValue], String>) {
        let fixture = Self.fixture(row.input)
        let all = fixture.config.section(ByHand.self).all
        let problems = fixture.config.diagnostics.problems.map(\.name)
        #expect(([all] + problems).joined(separator: " ") == row.expected)
    }

    /// Wraps another type, as property wrappers do.
    private struct Wrapped: SettingsSection {
        struct Box<Value: Codable & Sendable>: Codable {
            var value: Value
            init(_ value: Value) { self.value = value }
            init(from decoder: any Decoder) throws {
                value = try decoder.singleValueContainer().decode(Value.self)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(value)
            }
        }

        static let sectionName = "Checkout"
        var border = Box(Checkout.Button.Border())
        var size: Box<Int>? = Box(1)
    }

    @Test func aWrappedTypeHasItsOwnDefaultsToo() {
        let fixture = Self.fixture(["border": ["color": "red"], "size": 5])
        let section = fixture.config.section(Wrapped.self)
        #expect(section.border.value == Checkout.Button.Border(width: 1, color: "red"))
        #expect(section.size?.value == 5)
        #expect(Self.problems(fixture) == [])
    }

    /// A section whose members are not known in advance.
    private struct Open: SettingsSection {
        static let sectionName = "Checkout"
        var values: [String: Int] = [:]
        init() {}
        init(from decoder: any Decoder) throws {
            values = try decoder.singleValueContainer().decode([String: Int].self)
        }
        func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
    }

    @Test func aSectionMayBeADictionary() {
        #expect(
            Self.fixture(["a": 1, "b": 2]).config.section(Open.self).values == ["a": 1, "b": 2])
        let fixture = Self.fixture(["a": 1, "b": "x"])
        #expect(fixture.config.section(Open.self).values == [:])
        #expect(fixture.config.diagnostics.problems.map(\.name) == ["b"])
    }

    /// Skips settings that it cannot read, so that it encounters each invalid one.
    private struct Patient: SettingsSection {
        static let sectionName = "Checkout"
        var sum = 0
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: SettingCodingKey.self)
            for key in container.allKeys {
                sum += try container.decodeIfPresent(Int.self, forKey: key) ?? 0
            }
        }
    }

    /// The publisher controls how many settings are invalid, but not how long reading takes.
    @Test(.timeLimit(.minutes(Rounds.minutes)), .onOneThread)
    func manyWrongSettingsDoNotMakeDecodingSlow() {
        var settings: [String: SettingValue] = [:]
        for number in 0..<2_000 { settings["\(number)"] = "x" }
        let fixture = Self.fixture(settings)
        #expect(fixture.config.section(Patient.self).sum == 0)
        #expect(1...1_000 ~= fixture.config.diagnostics.problems.count)
    }

    /// Nested as deep as its value.
    private struct Deep: SettingsSection {
        final class Node: Codable, Sendable {
            let next: Node?
            init(_ next: Node? = nil) { self.next = next }
            var depth: Int { 1 + (next?.depth ?? 0) }
        }

        static let sectionName = "Checkout"
        var node: Node?
        var count = 1
    }

    /// A path that is too deep is cut off.
    @Test(arguments: [Row("shallow", 3, 3), Row("the deepest", 96, 96), Row("too deep", 120, 96)])
    func aDeepSectionIsDecodedOnASmallStack(row: Row<Int, Int>) async throws {
        let (depth, count, problems) = try await SmallStack.run {
            let value = (1..<row.input).reduce([:] as SettingValue) { value, _ in ["next": value] }
            let fixture = Self.fixture(["node": value, "count": 2])
            let section = fixture.config.section(Deep.self)
            return (section.node?.depth, section.count, fixture.config.diagnostics.problems)
        }
        #expect(depth == row.expected)
        #expect(count == 2)
        #expect(problems.count == (row.input > 96 ? 1 : 0))
    }

    /// Decodes a text with its own decoder, whose error contains a path inside that text.
    private struct Payload: Codable, Equatable {
        private struct Content: Codable { var mode: Int }
        var mode = 0

        init() {}

        init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            mode = try JSONDecoder().decode(Content.self, from: Data(text.utf8)).mode
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(#"{"mode":\#(mode)}"#)
        }
    }

    private struct Embedding: SettingsSection, Equatable {
        static let sectionName = "Embedding"
        var mode = "m"
        var title = "default"
        var payload = Payload()
    }

    @Test func anErrorInsideOfATextIsOfTheSettingWithTheText() {
        let fixture = Self.fixture(
            ["mode": "x", "title": "t", "payload": #"{"mode":"SECRET"}"#], of: "Embedding")
        fixture.config.diagnostics.markSecret(SettingPath("Embedding", "payload"))
        let section = fixture.config.section(Embedding.self)
        #expect(section.mode == "x" && section.title == "t" && section.payload == Payload())
        #expect(
            Self.problems(fixture) == [
                "The setting 'Embedding.payload' is a secret of another type than is expected."
            ])
    }

    /// Has many properties, each decoded separately.
    private struct Many: SettingsSection {
        static let sectionName = "Many"
        static let count = 100

        struct Counted: Codable {
            static let count = Locked(0)
            init() {}
            init(from decoder: any Decoder) throws { Self.count.withLock { $0 += 1 } }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(1)
            }
        }

        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(_ text: String) { stringValue = text }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        var counted = Counted()
        var numbers = [Int](repeating: 7, count: count)
        var optionals = [Int?](repeating: nil, count: count)

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            counted = try container.decode(Counted.self, forKey: Key("counted"))
            for index in 0..<Self.count {
                numbers[index] = try container.decode(Int.self, forKey: Key("n\(index)"))
                optionals[index] = try container.decodeIfPresent(Int.self, forKey: Key("o\(index)"))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(counted, forKey: Key("counted"))
            for index in 0..<Self.count {
                try container.encode(numbers[index], forKey: Key("n\(index)"))
            }
        }
    }

    /// The sender controls how many values are invalid, but not how long that takes or what it
    /// costs others.
    @Test func manyWrongValuesLoseNoOtherAndTakeNoTime() {
        var settings: [String: SettingValue] = ["counted": 1]
        for index in 0..<Many.count {
            let isWrong = index != 60
            settings["n\(index)"] = isWrong ? "x" : .integer(index)
            settings["o\(index)"] = isWrong ? "x" : .integer(index)
        }
        let fixture = Self.fixture(settings, of: "Many")
        let section = fixture.config.section(Many.self)
        #expect(section.numbers[60] == 60 && section.optionals[60] == 60)
        #expect(
            section.numbers.count { $0 == 7 } == 99 && section.optionals.count { $0 == nil } == 99)
        #expect(Self.problems(fixture).count == 198)
        #expect(Many.Counted.count.withLock { $0 } <= 10)
    }
}
