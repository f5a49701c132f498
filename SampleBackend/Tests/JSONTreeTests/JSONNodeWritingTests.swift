import Foundation
import JSONTree
import Testing

struct JSONNodeWritingTests {
    /// Contains values of all kinds.
    private let value: JSONNode = [
        "z": [1, .number("2.50"), .null, []], "a": ["text": "\"q\" \\ \n \u{1} é 👋"],
        "empty": [:], "on": true,
    ]

    @Test func theWriterWritesCompactText() {
        #expect(
            value.description
                == #"{"z":[1,2.50,null,[]],"a":{"text":"\"q\" \\ \n \u0001 é 👋"},"empty":{},"on":true}"#
        )
    }

    @Test func theWriterWritesTextForPeople() {
        #expect(
            String(decoding: value.jsonData(.pretty), as: UTF8.self) == #"""
                {
                  "z": [
                    1,
                    2.50,
                    null,
                    []
                  ],
                  "a": {
                    "text": "\"q\" \\ \n \u0001 é 👋"
                  },
                  "empty": {},
                  "on": true
                }

                """#)
    }

    @Test(arguments: [JSONNode.Layout.compact, .pretty])
    func theWriterWritesWhatItReadsBack(layout: JSONNode.Layout) throws {
        let text = value.jsonData(layout)
        let read = try JSONNode(jsonData: text)
        #expect(read == value)
        #expect(read.jsonData(layout) == text)
    }
}
