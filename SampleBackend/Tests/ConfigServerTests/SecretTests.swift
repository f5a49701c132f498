import Foundation
import TemplateStore
import Testing

@testable import AdminAPI
@testable import ClientAPI
@testable import ConfigServer
@testable import HTTPServing

/// Values that contain secrets do not print them.
@Suite struct SecretTests {
    private static let text = "s3cr3t-0123456789abcdef0123456789"

    /// All texts that Swift derives from a value by default.
    private static func printed(_ value: some Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        let children = Mirror(reflecting: value).children.map { "\($0)" }.joined()
        return ["\(value)", String(reflecting: value), "\([value])", dumped, children].joined()
    }

    @Test func aSecretIsNotPrinted() {
        let secret = Secret(Self.text)
        #expect(secret.text == Self.text)
        #expect(!Self.printed(secret).contains("s3cr3t"))
        #expect(!Self.printed(["key": Optional(secret)]).contains("s3cr3t"))
        #expect(!((secret as Any) is any Encodable))
    }

    @Test func aConfigurationPrintsNoSecretAndNoHash() async throws {
        var options = ConfigServerOptions()
        options.administratorToken = SecretHash(of: Self.text)
        options.clientAccess = ClientAccess(
            keys: [Self.text], userTokens: try await UserTokenVerifier(secret: Secret(Self.text)))
        let printed = Self.printed(options)
        #expect(printed.contains("127.0.0.1"))
        for text in ["s3cr3t", "bytes", "Data", "SymmetricKey"] {
            #expect(!printed.contains(text), "\(printed)")
        }
    }

    @Test func aTokenAndAWebhookPrintTheirNames() {
        let token = AccessToken(name: "ci", role: .viewer, date: Date(), expirationDate: nil)
        #expect(Self.printed(token).contains("ci"))
        #expect(!Self.printed(token).contains(token.text))
        let webhook = StoredWebhook(
            id: "hook", project: "default", url: "https://example.com", secret: Self.text,
            creationDate: Date(), creator: "test")
        #expect(Self.printed(webhook).contains("hook"))
        #expect(!Self.printed(webhook).contains("s3cr3t"))
    }
}
