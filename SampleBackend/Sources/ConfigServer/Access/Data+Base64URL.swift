import Foundation

extension Data {
    /// The bytes in Base64 for URLs, without padding (RFC 4648, 5).
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    /// Reads Base64 for URLs without padding, or gives nil when it is none.
    init?(base64URL text: String) {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        self.init(
            base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding)
    }
}
