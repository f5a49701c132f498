import Testing

@testable import ActiveConfig

/// The format version (FORMAT 2.2).
struct FormatVersionTests {
    static let rows = [
        Row("absent", "", FormatVersion.Verdict.supported), Row("1", "1", .supported),
        Row("1.0", "1.0", .supported), Row("1.99", "1.99", .supported),
        Row("0.9", "0.9", .supported),
        Row("1.x", "1.x", .supported), Row("01.0", "01.0", .supported), Row("2", "2", .unsupported),
        Row("2.0", "2.0", .unsupported), Row("10.1", "10.1", .unsupported),
        Row("beyond Int", "99999999999999999999.0", .unsupported), Row("v2", "v2", .notAVersion),
        Row("2beta", "2beta", .notAVersion), Row("-2", "-2", .notAVersion),
        Row(" 2", " 2", .notAVersion), Row(".2", ".2", .notAVersion),
        Row("words", "the first", .notAVersion), Row("fullwidth", "２.0", .notAVersion),
    ]

    @Test(arguments: rows)
    func theReaderJudgesAVersion(row: Row<String, FormatVersion.Verdict>) {
        #expect(FormatVersion.verdict(on: row.input) == row.expected)
    }

    @Test(arguments: rows)
    func theReaderReadsADocumentUnlessItIsNewer(row: Row<String, FormatVersion.Verdict>) throws {
        let meta = #"{"format_version_string":"\#(row.input)"}"#
        guard row.expected == .unsupported else {
            let state = try DocumentText.read(DocumentText.make(meta: meta))
            #expect(state.formatVersion == row.input)
            return
        }
        let error = try DocumentText.fault(in: DocumentText.make(meta: meta))
        #expect(error.code == .unsupportedFormatVersion)
        #expect(error.reason.contains("\"\(row.input)\""))
    }

    @Test(arguments: ["{}", #"{"format_version_string":2}"#, #"{"format_version_string":null}"#])
    func aVersionThatIsNoStringIsReadAsEmpty(meta: String) throws {
        #expect(try DocumentText.read(DocumentText.make(meta: meta)).formatVersion.isEmpty)
    }
}
