import NIOCore
import NIOHTTP1

/// The header fields that determine where a request ends and whether another may follow, and
/// `Host`, collected in one pass.
struct RequestFraming: Sendable, Hashable {
    /// The number of `Host` fields.
    private(set) var hostCount = 0

    /// The value of the first `Host`; nil without one.
    private(set) var host: String?

    /// The value of `Content-Length`, at most `Int.max`; nil when it is missing, as with a chunked
    /// body.
    private(set) var contentLength: Int?

    /// True when the request has `Transfer-Encoding`.
    private(set) var hasTransferCoding = false

    /// False for transfer codings that the decoder ignores: all except chunked (RFC 9112, 6.1).
    private(set) var hasKnownTransferCoding = true

    /// True when the first `Expect` is `100-continue`; nil without `Expect`.
    private var expectation: Bool?

    /// True when the request has `Upgrade`.
    private(set) var asksForUpgrade = false

    /// True when the client waits for `100 Continue`.
    var expectsContinue: Bool { expectation ?? false }

    /// True when a body may follow.
    var declaresBody: Bool { contentLength != nil || hasTransferCoding }

    init(_ headers: HTTPHeaders) {
        for (name, value) in headers {
            switch name.utf8.count {
            case 4 where name.isFieldName("host"):
                if hostCount == 0 { host = value }
                hostCount += 1
            case 6 where name.isFieldName("expect"):
                expectation = expectation ?? (value.lowercased() == "100-continue")
            case 7 where name.isFieldName("upgrade"): asksForUpgrade = true
            case 14 where name.isFieldName("content-length"):
                // The decoder accepts only decimal digits of up to 64 bits.
                contentLength = contentLength ?? Int(value) ?? .max
            case 17 where name.isFieldName("transfer-encoding"):
                // A second field would add another coding.
                if hasTransferCoding || value.lowercased() != "chunked" {
                    hasKnownTransferCoding = false
                }
                hasTransferCoding = true
            default: break
            }
        }
    }
}
