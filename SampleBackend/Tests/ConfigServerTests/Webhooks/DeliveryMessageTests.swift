import Foundation
import Testing

@testable import ConfigServer
@testable import HTTPServing
@testable import WebhookDelivery

struct DeliveryMessageTests {
    /// The example of the page "HTTP API", computed with OpenSSL.
    @Test func aDeliveryIsSignedAsTheArticleSays() {
        let signature = DeliveryMessage.signature(
            of: Data(#"{"CONFIG_STATE":"STALE","versionNumber":"8"}"#.utf8),
            timestamp: 1_767_225_600, secret: "whsec_c2VjcmV0")
        #expect(
            signature
                == "v1=abba992f9f14eaae1bb1ed685361b8ed5e9fc0f9c238eae538e8027a8029b829")
    }
}
