import ActiveConfig
import Foundation
import Testing

/// Replays the fuzzer's finds and seeds: none crashes the reader, and accepted documents survive
/// being written.
struct FuzzFindsTests {
    /// Names of the files; empty if the folder cannot be read, which `theFixturesHaveFinds`
    /// detects.
    static let names = (try? Fixture.names(in: "FuzzFinds")) ?? []

    @Test func theFixturesHaveFinds() {
        #expect(Self.names.count >= 5)
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)), arguments: names)
    func theReaderReplaysAFind(name: String) throws {
        let text = try Fixture.data("FuzzFinds/" + name)
        let isDocument = try survives(text)
        let isValue = (try? SettingValue(jsonData: text)) != nil
        #expect(isDocument == name.hasPrefix("document-"))
        #expect(isValue == !name.hasPrefix("refused-"))
    }

    /// True for a valid document, after checking that it survives being written and read again.
    private func survives(_ text: Data) throws -> Bool {
        let state: ConfigurationState
        do throws(ConfigurationFormatError) {
            state = try ConfigurationState(jsonData: text)
        } catch {
            #expect(try 0...text.count ~= #require(error.byteOffset))
            return false
        }
        let written = state.jsonData()
        let copy = try ConfigurationState(jsonData: written)
        #expect(copy == state)
        #expect(copy.hashValue == state.hashValue)
        #expect(copy.jsonData() == written)
        return true
    }
}
