import Foundation
import JSONTree
import OrderedCollections
import Templates
import Testing

struct DefaultsFileTests {
    /// The defaults of a template as text.
    private func text(_ template: RemoteConfigTemplate, _ format: DefaultsFile.Format) -> String {
        String(decoding: DefaultsFile(template, format: format).data, as: UTF8.self)
    }

    /// Template with one parameter that has the given value.
    private func template(_ value: String) -> RemoteConfigTemplate {
        RemoteConfigTemplate(parameters: ["key": TemplateParameter(defaultValue: .value(value))])
    }

    @Test func aFileLeavesOutWhatHasNoDefaultForClients() throws {
        let template = try ValidatedTemplate(json: Fixture.clientTemplate.json).template
        let file = DefaultsFile(template, format: .json)
        let json = try JSONNode(jsonData: file.data)
        #expect(
            json.objectValue.map { Array($0.keys) }
                == ["columns", "legacy_flag", "shows_offers", "theme", "welcome_message"])
        #expect(json["columns"] == "2")
        #expect(json["shows_offers"] == "false")
        #expect(
            json["theme"]?.stringValue
                == ##"{"accent":"#ff8800","spacing":[1,2.50,null],"dark":true}"##)
        #expect(file.warnings.count == 1)
        #expect(file.warnings.first?.hasPrefix("Pay & ship.columns is left out: ") == true)
    }

    @Test func aFileWritesTheElementsOfAndroid() {
        #expect(
            text(template("a < b & \"c\" > 'd'"), .xml) == """
                <?xml version="1.0" encoding="utf-8"?>
                <defaultsMap>
                    <entry><key>key</key><value>a &lt; b &amp; "c" &gt; 'd'</value></entry>
                </defaultsMap>

                """)
    }

    @Test(arguments: [
        "", "plain", "a < b & c > d", "]]>", "line\nline\r\nend", "\ttab", "👩‍🚀 ü", "&amp;",
    ])
    func aFileWritesAPropertyListThatReadsBack(value: String) throws {
        let data = DefaultsFile(template(value), format: .plist).data
        #expect(
            try PropertyListDecoder().decode([String: String].self, from: data) == ["key": value])
    }

    @Test func aFileReplacesCharactersThatXMLCannotHold() {
        #expect(text(template("a\u{0}b\u{1F}c\u{FFFF}"), .xml).contains("<value>a�b�c�</value>"))
        #expect(text(template("a\u{0}b"), .json).contains(#""a\u0000b""#))
    }

    @Test func aFileWritesAnEmptyTemplateInEachFormat() throws {
        let template = RemoteConfigTemplate()
        #expect(text(template, .json) == "{}\n")
        #expect(text(template, .xml).contains("<defaultsMap>\n</defaultsMap>"))
        let list = DefaultsFile(template, format: .plist).data
        #expect(try PropertyListDecoder().decode([String: String].self, from: list).isEmpty)
    }
}
