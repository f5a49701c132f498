import Foundation
package import HTTPServing
import JSONTree

/// The URL of a webhook: `http` or `https`, without user information.
package struct WebhookAddress: Sendable, Hashable {
    /// In bytes.
    package static let maximumLength = 2_048

    /// The URL as given.
    package let text: String

    /// A host name or an address, without brackets.
    package let host: String

    /// Parses and checks a URL.
    ///
    /// - Throws: A ``RequestError`` with status 400 and the reason.
    package init(_ text: String) throws(RequestError) {
        guard !text.isEmpty, text.utf8.count <= Self.maximumLength else {
            throw Self.error("give 1 to \(Self.maximumLength) bytes.")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let components = URLComponents(string: text), let url = URL(string: text),
            url.absoluteString == text
        else {
            throw Self.error("use only ASCII characters, and a host name that is valid in DNS.")
        }
        guard let scheme = components.scheme?.lowercased(), ["http", "https"].contains(scheme)
        else {
            throw Self.error("begin it with https:// or http://.")
        }
        guard components.user == nil, components.password == nil else {
            throw Self.error("leave out the user and the password; requests are signed.")
        }
        guard components.fragment == nil else {
            throw Self.error("leave out the fragment, which is not sent.")
        }
        if let port = components.port, !(1...65_535).contains(port) {
            throw Self.error("use a port from 1 to 65535.")
        }
        guard let host = url.host.map({ $0.trimmingCharacters(in: ["[", "]"]) }),
            Self.isPlain(host), components.percentEncodedHost?.contains("%") == false
        else {
            throw Self.error(
                "use a host name of letters, digits, \"-\", \"_\" and \".\", or an address; "
                    + "internationalized names (xn--) are not supported.")
        }
        // The resolver never looks up such a host as a name, so no delivery could succeed.
        if Self.isNumeric(host), HostAddresses.numeric(host).isEmpty {
            throw Self.error(
                "\(host.shortened) is not an IP address; correct it, or use a host name.")
        }
        self.text = text
        self.host = host
    }

    /// Checks that a literal address is public; host names are checked at each delivery.
    ///
    /// - Throws: A ``RequestError`` with status 400 for an address that is not publicly routable.
    package func checkIsPublic() throws(RequestError) {
        guard let address = HostAddresses.numeric(host).first(where: { !$0.isPublic }) else {
            return
        }
        throw Self.error(
            "\(address) is an address of a private network or of the server itself; use a "
                + "public one, or start the server with --allow-private-webhooks.")
    }

    /// True when the host must be an address: it contains a colon, or its last label is a number,
    /// which no top-level domain is.
    private static func isNumeric(_ host: String) -> Bool {
        host.contains(":")
            || host.utf8.split(separator: UInt8(ascii: ".")).last?
                .allSatisfy { (0x30...0x39).contains($0) } == true
    }

    /// True when the host is an ASCII name or an address without an IPv6 zone.
    private static func isPlain(_ host: String) -> Bool {
        let isIPv6 = host.contains(":")
        return !host.isEmpty
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
                    true
                case UInt8(ascii: ":"): isIPv6
                case UInt8(ascii: "-"), UInt8(ascii: "_"): !isIPv6
                default: false
                }
            }
    }

    private static func error(_ advice: String) -> RequestError {
        .invalidArgument("The webhook address is not valid: " + advice)
    }
}
