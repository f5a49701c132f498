import ActiveConfigJSON
import Testing

struct JSONReaderTests {
    /// A caller-defined tree that keeps the order of keys and the text of numbers.
    private indirect enum Tree: Equatable {
        case scalar(JSONScalar)
        case number(String)
        case array([Tree])
        case object([Member])

        struct Member: Equatable {
            let key: String
            let value: Tree
        }

        init(from json: inout JSONReader) throws(JSONFault) {
            switch json.next {
            case UInt8(ascii: "["):
                try json.takeOpeningBracket()
                var elements: [Tree] = []
                while try json.nextElement(isFirst: elements.isEmpty) {
                    elements.append(try Tree(from: &json))
                }
                self = .array(elements)
            case UInt8(ascii: "{"):
                try json.takeOpeningBracket()
                var members: [Member] = []
                while try json.nextMember(isFirst: members.isEmpty) {
                    let key = try json.readString()
                    try json.takeColon()
                    members.append(Member(key: key, value: try Tree(from: &json)))
                }
                self = .object(members)
            default:
                let start = json.position
                switch try json.readScalar() {
                case .integer, .double: self = .number(json.text(from: start))
                case let scalar: self = .scalar(scalar)
                }
            }
        }
    }

    private func read(
        _ text: String, maximumSize: Int = 1_000, maximumDepth: Int = 8
    ) throws(JSONTextError) -> Tree {
        try JSONReader.read(
            Array(text.utf8), maximumSize: maximumSize, maximumDepth: maximumDepth,
            readValue: Tree.init)
    }

    private func scalar(_ text: String) throws -> JSONScalar {
        try JSONReader.read(
            Array(text.utf8), maximumSize: 1_000, maximumDepth: 0
        ) { json throws(JSONFault) in try json.readScalar() }
    }

    @Test func theReaderReadsATreeInTheOrderOfItsText() throws {
        let tree = try read(
            "\u{FEFF} {\"b\": [1.0, true, {}, []], \"a\\n\": \"é\",\n\"b\": null,} ")
        #expect(
            tree
                == .object([
                    .init(
                        key: "b",
                        value: .array([
                            .number("1.0"), .scalar(.bool(true)), .object([]), .array([]),
                        ])),
                    .init(key: "a\n", value: .scalar(.string("é"))),
                    .init(key: "b", value: .scalar(.null)),
                ]))
    }

    @Test(arguments: [
        ("null", JSONScalar.null), (" true", .bool(true)), ("false ", .bool(false)),
        ("-12", .integer(-12)), ("9223372036854775808", .double(0x1p63)), ("1.0", .double(1)),
        ("25e-1", .double(2.5)), (#""\u00e9\/""#, .string("é/")), ("\"\"", .string("")),
    ])
    func theReaderReadsScalars(text: String, expected: JSONScalar) throws {
        #expect(try scalar(text) == expected)
    }

    /// Text before and after the fault, and the code and path of the error.
    private static let faults:
        [(before: String, after: String, code: JSONFault.Code, path: String)] = [
            ("", "", .unexpectedEnd, ""),
            ("[1, ", "x]", .syntax, "[1]"),
            (#"{"a": [{"b":"# + "\n tru", "}]}", .syntax, "a[0].b"),
            ("[1 ", "2]", .syntax, "[0]"),
            (#"{"a": "#, "01}", .syntax, "a"),
            ("[\"é\",\n  \"", "\\x\"]", .invalidEscape, "[1]"),
            ("[\"tab ", "\t\"]", .syntax, "[0]"),
            ("[", "1e999]", .numberOutOfRange, "[0]"),
            (#"{"a" "#, "1}", .syntax, "a"),
            ("{", "1}", .syntax, ""),
            ("[] ", "[]", .contentAfterDocument, ""),
            ("[[\"", "", .unexpectedEnd, "[0][0]"),
            ("[[[[[[[[", "[]]]]]]]]]", .tooDeep, "[0][0][0][0][0][0][0][0]"),
        ]

    @Test(arguments: faults.indices)
    func theErrorSaysWhatIsWrongAndWhere(row: Int) throws {
        let (before, after, code, path) = Self.faults[row]
        let error = try #require(throws: JSONTextError.self) { try read(before + after) }
        #expect(error.code == code)
        #expect(error.path == path)
        #expect(error.byteOffset == before.utf8.count)
        let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(error.line == lines.count)
        #expect(error.column == (lines.last?.unicodeScalars.count ?? 0) + 1)
    }

    @Test func theErrorIsASentence() throws {
        let error = try #require(throws: JSONTextError.self) { try read("{\n\"a\": [0,\n é]}") }
        #expect(
            error.description
                == "Line 3, column 2, byte 12, in a[1]: found the byte 0xC3 where a value is expected."
        )
        #expect(error.code.description == "syntax")
    }

    @Test func invalidUTF8IsAFaultAtItsPlace() throws {
        let text: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "a"), 0xFF, UInt8(ascii: "\"")]
        let error = try #require(throws: JSONTextError.self) {
            try JSONReader.read(text, maximumSize: 4, maximumDepth: 0) {
                json throws(JSONFault) in try json.readString()
            }
        }
        #expect(error.code == .invalidUTF8)
        #expect(error.byteOffset == 2)
    }

    @Test func theReaderKeepsItsLimits() throws {
        #expect(throws: Never.self) { try read("[[]]", maximumSize: 4, maximumDepth: 2) }
        let large = #expect(throws: JSONTextError.self) { try read("[[]]", maximumSize: 3) }
        #expect(large?.code == .tooLarge)
        #expect(large?.byteOffset == 3)
        #expect(large?.path == "")
        let deep = #expect(throws: JSONTextError.self) { try read("[[]]", maximumDepth: 1) }
        #expect(deep?.code == .tooDeep)
        #expect(deep?.byteOffset == 1)
    }

    @Test func aCallerAddsCodesOfItsOwn() throws {
        let error = try #require(throws: JSONTextError.self) {
            try JSONReader.read(Array("[1, true]".utf8), maximumSize: 9, maximumDepth: 1) {
                json throws(JSONFault) in
                var sum = 0
                var isFirst = true
                try json.takeOpeningBracket()
                while try json.nextElement(isFirst: isFirst) {
                    isFirst = false
                    let start = json.position
                    guard case .integer(let value) = try json.readScalar() else {
                        throw JSONFault(.notWhole, at: start, "an element is not a whole number")
                    }
                    sum += value
                }
                return sum
            }
        }
        #expect(error.code == .notWhole)
        #expect(error.code != .syntax)
        #expect(
            error.description
                == "Line 1, column 5, byte 4, in [1]: an element is not a whole number.")
    }

    @Test func somethingElseThanExpectedIsAFault() throws {
        let error = try #require(throws: JSONTextError.self) {
            try JSONReader.read(Array("[]".utf8), maximumSize: 2, maximumDepth: 1) {
                json throws(JSONFault) in throw json.unexpected("an object")
            }
        }
        #expect(error.reason == #"found "[" where an object is expected"#)
    }

    @Test func textFromALaterPlaceIsAMistake() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try JSONReader.read([0x31, 0x32], maximumSize: 2, maximumDepth: 0) {
                json throws(JSONFault) in
                _ = try json.readScalar()
                _ = json.text(from: 3)
            }
        }
        let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(message.contains("Text is read from an earlier position of the reader."))
    }
}

extension JSONFault.Code {
    fileprivate static let notWhole = JSONFault.Code("notWhole")
}
