import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Decoding sections and settings into custom types.
struct ActiveConfigSectionDecodingTests {
    enum Theme: String, Codable { case light, dark }

    enum Source: Codable, Equatable {
        case none
        case file(name: String, size: Int)
    }

    struct Host: Codable, Equatable {
        var name: String
        var ports: [UInt16]
    }

    class Base: Decodable {
        var id = 0

        enum CodingKeys: CodingKey { case id }

        required init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
        }
    }

    final class Derived: Base {
        var name = ""

        enum CodingKeys: CodingKey { case name }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            try super.init(from: container.superDecoder())
        }
    }

    struct Everything: Codable, Equatable {
        var isOn: Bool
        var count: Int
        var ratio: Double
        var small: Float
        var text: String
        var theme: Theme
        var source: Source
        var host: Host
        var hosts: [Host]
        var byName: [String: Host]
        var byNumber: [Int: String]
        var matrix: [[Int?]]
        var date: Date
        var data: Data
        var url: URL
        var price: Decimal
        var any: SettingValue
        var absent: Int?
        var null: Int?
        var set: Set<String>
    }

    @Test func theSectionDecodesASectionOfEverything() throws {
        let section = ActiveConfigSection.make([
            "isOn": "yes", "count": 3, "ratio": 0.5, "small": 1.5, "text": "x", "theme": "dark",
            "source": ["file": ["name": "a", "size": 1]],
            "host": ["name": "h", "ports": [80, 443]],
            "hosts": [["name": "i", "ports": []]], "byName": ["é": ["name": "j", "ports": [1]]],
            "byNumber": ["7": "seven"], "matrix": [[1, nil], []],
            "date": "1970-01-01T00:00:01.250Z", "data": "AQID", "url": "https://a.b/c d",
            "price": "12.50", "any": ["a": [nil, 1.0]], "null": nil, "set": ["a", "b", "a"],
            "ignored": 1,
        ])
        let expected = Everything(
            isOn: true, count: 3, ratio: 0.5, small: 1.5, text: "x", theme: .dark,
            source: .file(name: "a", size: 1), host: Host(name: "h", ports: [80, 443]),
            hosts: [Host(name: "i", ports: [])], byName: ["é": Host(name: "j", ports: [1])],
            byNumber: [7: "seven"], matrix: [[1, nil], []], date: Date(timeIntervalSince1970: 1.25),
            data: Data([1, 2, 3]), url: try #require(URL(string: "https://a.b/c%20d")),
            price: try #require(Decimal(string: "12.5")), any: ["a": [nil, 1.0]], absent: nil,
            null: nil, set: ["a", "b"])
        let decoded = try section.decode(Everything.self)
        #expect(decoded == expected)
        #expect(
            try ActiveConfigSection.make(["k": .object(section.decode([String: SettingValue].self))]
            )
            .decode(Everything.self, forKey: "k") == expected)
    }

    @Test func theSectionDecodesASuperclass() throws {
        let section = ActiveConfigSection.make(["name": "x", "super": ["id": 7]])
        let derived = try section.decode(Derived.self)
        #expect(derived.name == "x" && derived.id == 7)
    }

    @Test func theSectionDecodesOneSetting() throws {
        let section = ActiveConfigSection.make([
            "n": 3, "l": [1, 2], "none": nil, "dates": ["1970-01-01T00:00:00Z"], "o": ["none": [:]],
        ])
        #expect(try section.decode(Int.self, forKey: "n") == 3)
        #expect(try section.decode([Int].self, forKey: "l") == [1, 2])
        #expect(try section.decode(Int?.self, forKey: "none") == nil)
        #expect(try section.decode(Int?.self, forKey: "n") == 3)
        #expect(try section.decode([String?].self, forKey: "dates") == ["1970-01-01T00:00:00Z"])
        let dates = try section.decode([Date?].self, forKey: "dates")
        #expect(dates == [Date(timeIntervalSince1970: 0)])
        #expect(try section.decode(URL?.self, forKey: "none") == nil)
        #expect(
            try section.decode([Date].self, forKey: "dates") == [Date(timeIntervalSince1970: 0)])
        #expect(try section.decode(Source.self, forKey: "o") == .none)
        #expect(try section.decode(SettingValue.self, forKey: "none") == .null)
        #expect(try SettingValue.array([1, 2]).decode([Double].self) == [1, 2])
    }

    @Test func theSectionSaysThatASettingIsMissing() throws {
        let error = #expect(throws: DecodingError.self) {
            try ActiveConfigSection.make().decode(Int.self, forKey: "x")
        }
        guard case .keyNotFound(let key, let context) = try #require(error) else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(key.stringValue == "x")
        #expect(context.debugDescription == "There is no setting 'x'.")
    }

    @Test func theSectionNamesThePathOfAMissingMember() throws {
        let section = ActiveConfigSection.make([
            "hosts": [["name": "a", "ports": []], ["name": "b"]]
        ])
        let error = #expect(throws: DecodingError.self) {
            try section.decode([Host].self, forKey: "hosts")
        }
        guard case .keyNotFound(_, let context) = try #require(error) else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.debugDescription == "There is no setting 'hosts.1.ports'.")
        #expect(context.codingPath.map(\.stringValue) == ["hosts", "1"])
        #expect(context.codingPath.last?.intValue == 1)
    }

    @Test(
        arguments: [
            Row("string", 3 as SettingValue, "an integer where a string"),
            Row("object", "x", "a string where an object"),
            Row("array", ["name": [], "ports": [:]], "an array where a string"),
            Row("ports", ["name": "a", "ports": [:]], "an object where an array"),
            Row(
                "a port", ["name": "a", "ports": [1, true, "x"]],
                "a string where an integer in 0...65535"),
        ] as [Row<SettingValue, String>])
    func theSectionNamesThePathOfAWrongType(row: Row<SettingValue, String>) throws {
        let isText = row.input == 3
        let section = ActiveConfigSection.make(["k": ["v": row.input]])
        let error = #expect(throws: DecodingError.self) {
            if isText {
                _ = try section.decode([String: String].self, forKey: "k")
            } else {
                _ = try section.decode([String: Host].self, forKey: "k")
            }
        }
        guard case .typeMismatch(_, let context) = try #require(error) else {
            Issue.record("\(String(describing: error))")
            return
        }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        #expect(path.hasPrefix("k.v"))
        #expect(context.debugDescription == "The setting '\(path)' is \(row.expected) is expected.")
    }

    @Test func theSectionSaysThatNullIsNoValue() throws {
        let section = ActiveConfigSection.make(["k": nil])
        let error = #expect(throws: DecodingError.self) {
            try section.decode(Int.self, forKey: "k")
        }
        guard case .valueNotFound(_, let context) = try #require(error) else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.debugDescription.contains("'k' is null where an integer in"))
    }
}
