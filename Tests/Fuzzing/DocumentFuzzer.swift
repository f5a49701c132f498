import Foundation

/// libFuzzer target for the reader and the writer of the exchange format.
///
/// `fuzz.sh` compiles it together with the sources under test. A violated property aborts the
/// process, which libFuzzer reports with the input.
enum DocumentFuzzer {
    /// Document up to the value of a setting, which is replaced by the input.
    private static let prefix = Data(
        #"{"meta":{},"config_sections":{"S":{"settings":{"k":{"value":"#.utf8)
    /// Rest of that document.
    private static let suffix = Data("}}}}}".utf8)

    /// Tries an input as any JSON text, as a whole document, and as the value of a setting.
    static func run(_ text: Data) {
        let value = readValue(text)
        checkAgainstFoundation(text, value: value)
        checkDigits(text, value: value)
        checkDocument(text, value: value)
        checkSetting(text, value: value)
    }

    /// Parses a JSON text of any kind.
    private static func readValue(_ text: Data) -> Result<SettingValue, ConfigurationFormatError> {
        do throws(ConfigurationFormatError) {
            return .success(try SettingValue(jsonData: text))
        } catch {
            return .failure(error)
        }
    }

    /// Requires that both readers accept the same texts, except for known differences.
    private static func checkAgainstFoundation(
        _ text: Data, value: Result<SettingValue, ConfigurationFormatError>
    ) {
        switch value {
        case .success(let value):
            let written = value.jsonData()
            require(readValue(written) == .success(value), "written text reads back")
            guard case .success(let again) = readValue(written) else { return }
            require(again.jsonData() == written, "written text is stable")
            let peer = FoundationJSON.read(FoundationJSON.withoutTrailingCommas(text))
            require(peer != nil, "accepted text is JSON except for trailing commas")
            require(peer.map { FoundationJSON.agrees($0, with: value) } != false, "same value")
            let copy = FoundationJSON.read(written)
            require(copy != nil, "written text is JSON")
        case .failure(let error):
            check(error, in: text)
            guard !FoundationJSON.differsOnPurpose(on: text, error) else { return }
            require(FoundationJSON.read(text) == nil, "refused text is not JSON")
        }
    }

    /// Requires that digits, as a number or as a string, decode as the number that they represent.
    private static func checkDigits(
        _ text: Data, value: Result<SettingValue, ConfigurationFormatError>
    ) {
        guard !text.isEmpty, text.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return
        }
        let digits = String(decoding: text, as: UTF8.self)
        let zeros = digits.prefix { $0 == "0" }.count
        let number = zeros == digits.count ? "0" : String(digits.dropFirst(zeros))
        for value in [try? value.get(), .string(digits)] {
            guard let value else { continue }
            let integer = try? value.decode(UInt64.self)
            require(integer.map { "\($0)" == number } != false, "an integer equals its digits")
            let decimal = try? value.decode(Decimal.self)
            require(decimal.map { "\($0)" == number } != false, "a decimal equals its digits")
        }
    }

    /// Requires that an accepted document is JSON and survives being written.
    private static func checkDocument(
        _ text: Data, value: Result<SettingValue, ConfigurationFormatError>
    ) {
        do throws(ConfigurationFormatError) {
            let state = try ConfigurationState(jsonData: text)
            guard case .success(let value) = value else {
                fail("a document is JSON")
            }
            require(value.dictionaryValue?["meta"] == .object(state.meta), "meta is complete")
            let written = state.jsonData()
            let again = try? ConfigurationState(jsonData: written)
            require(again == state, "a document reads back")
            require(again?.hashValue == state.hashValue, "equal configurations hash alike")
            require(again?.jsonData() == written, "a document is stable")
        } catch {
            check(error, in: text)
            if case .success(let value) = value {
                require(isRefusedDocument(value, error), "only the format refuses valid JSON")
            }
        }
    }

    /// Requires that an accepted value is also accepted as a setting, with the same result.
    private static func checkSetting(
        _ text: Data, value: Result<SettingValue, ConfigurationFormatError>
    ) {
        let document = prefix + text + suffix
        do throws(ConfigurationFormatError) {
            let state = try ConfigurationState(jsonData: document)
            if case .success(let value) = value {
                require(state.section(named: "S")?["k"] == value, "a setting has its value")
            }
        } catch {
            check(error, in: document)
            guard case .success = value else { return }
            let hasMark = text.starts(with: [0xEF, 0xBB, 0xBF])
            require(hasMark || error.code == .tooDeep, "a value is also valid in a setting")
        }
    }

    /// True if the document is valid JSON that violates the format in the way the error describes.
    private static func isRefusedDocument(
        _ value: SettingValue, _ error: ConfigurationFormatError
    ) -> Bool {
        guard let document = value.dictionaryValue else { return error.code == .notAnObject }
        switch error.code {
        case .metaMissing: return document["meta"]?.dictionaryValue == nil
        case .sectionsMissing: return document["config_sections"]?.dictionaryValue == nil
        case .unsupportedFormatVersion:
            return document["meta"]?.dictionaryValue?["format_version_string"] != nil
        default: return false
        }
    }

    /// Requires that an error's place is in the text, and that its line and column match its
    /// offset.
    private static func check(_ error: ConfigurationFormatError, in text: Data) {
        guard let offset = error.byteOffset, let line = error.line, let column = error.column else {
            fail("an error in a text has a place")
        }
        require(0...text.count ~= offset, "an error is within the text")
        let before = text.prefix(offset)
        require(line == before.count(where: { $0 == 0x0A }) + 1, "the line matches the offset")
        require(column >= 1 && column <= offset + 1, "the column is within its line")
        require(error.description.hasSuffix("."), "an error is a sentence")
    }

    /// Aborts if a property does not hold; an optimized `precondition` would not name the property.
    private static func require(_ holds: Bool, _ property: StaticString) {
        if !holds { fail(property) }
    }

    /// Aborts with the name of a violated property.
    private static func fail(_ property: StaticString) -> Never {
        FileHandle.standardError.write(Data("does not hold: \(property)\n".utf8))
        abort()
    }
}

/// Entry point that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    DocumentFuzzer.run(unsafe Data(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
