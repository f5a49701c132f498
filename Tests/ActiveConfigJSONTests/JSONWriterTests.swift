import ActiveConfigJSON
import Testing

struct JSONWriterTests {
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter()
        write(&json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test func theWriterWritesTokens() {
        let text = text { json in
            json.write(UInt8(ascii: "{"))
            json.write(key: "a \"b\"")
            json.write(number: "-1.5e3")
            json.write(raw: #","c":[null,true]"#)
            json.write(UInt8(ascii: "}"))
        }
        #expect(text == #"{"a \"b\"":-1.5e3,"c":[null,true]}"#)
    }

    @Test(arguments: [
        ("", ""), ("a/b", "a/b"), ("\"\\", #"\"\\"#), ("\n\r\t", #"\n\r\t"#),
        ("\0\u{8}\u{1F}", #"\u0000\u0008\u001f"#), ("\u{7F}é😹", "\u{7F}é😹"),
    ])
    func theWriterEscapesWhatJSONDoesNotAllow(string: String, expected: String) {
        #expect(text { $0.write(string) } == "\"\(expected)\"")
    }

    @Test(arguments: [0, 7, 10, 99, 100, -1, -10, 4_611_686, .max, .min])
    func theWriterWritesTheDigitsOfAnInteger(integer: Int) {
        #expect(text { $0.write(integer: integer) } == String(integer))
    }

    /// Tries each length and each position of an escape: the writer handles eight bytes per step.
    @Test func whatIsWrittenReadsBack() throws {
        for length in 0...20 {
            for place in 0...length {
                for special in ["\n", "\"", "é", ""] {
                    let padding = String(repeating: "x", count: length)
                    let string = padding.prefix(place) + special + padding.dropFirst(place)
                    var json = JSONWriter()
                    json.write(String(string))
                    let copy = try JSONReader.read(
                        json.bytes, maximumSize: 100, maximumDepth: 0
                    ) { json throws(JSONFault) in try json.readString() }
                    #expect(copy == string)
                }
            }
        }
    }
}
