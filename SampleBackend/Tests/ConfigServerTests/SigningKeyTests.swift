import ClientAPI
import Foundation
import Testing

/// Keys that sign documents, in the formats of `--signing-key`.
struct SigningKeyTests {
    /// The bytes 0 to 31.
    private static let seed = Data(0..<32).base64EncodedString()

    /// In the format of `openssl genpkey -algorithm ed25519`.
    private static let pem = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f
        -----END PRIVATE KEY-----
        """

    @Test func aKeyIsReadFromPEMAndFromItsBytes() throws {
        let expected = try SigningKey(id: "a", text: Self.seed).publicText
        for text in [
            Self.pem, Self.pem + "\n", Self.seed + "\n", " \(Self.seed) ",
            "private \(Self.seed)\n", "private \(Self.seed)\npublic a:AA==\n",
        ] {
            #expect(try SigningKey(id: "a", text: text).publicText == expected)
        }
        let generated = try SigningKey.generate(id: "b")
        let again = try SigningKey(id: "b", text: generated.privateText)
        #expect(again.publicText == generated.publicText)
        #expect("\(generated)" == "key b")
        #expect(!String(reflecting: generated).contains(generated.privateText))
    }

    @Test func anythingElseIsNoKey() {
        let long = String(repeating: "a", count: 65)
        for id in ["", " ", "a b", "a:b", "a\"", "ü", long] {
            #expect(throws: SigningKeyError.self) { try SigningKey(id: id, text: Self.seed) }
        }
        let texts = [
            "", "x", Data(0..<31).base64EncodedString(), Data(0..<33).base64EncodedString(),
            Self.seed + " " + Self.seed, "private", "private \(Self.seed) b",
            "public a:\(Self.seed)", String(Self.pem.dropLast(5)),
            Self.pem.replacing("PRIVATE", with: "PUBLIC"), Self.pem.replacing("VwBC", with: "VuBC"),
        ]
        for text in texts {
            #expect(throws: SigningKeyError.self) { try SigningKey(id: "a", text: text) }
        }
        for length in 0..<Self.pem.count {
            _ = try? SigningKey(id: "a", text: String(Self.pem.prefix(length)))
        }
    }
}
