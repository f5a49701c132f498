/// The proxies whose `X-Forwarded-For` names the client.
///
/// Each proxy appends the address of its own client, so the field is read from the right. What
/// stands left of the first address that is no trusted proxy was sent by that client, who can
/// write anything there.
package struct TrustedProxies: Hashable, Sendable {
    /// Maximum number of addresses that are read.
    private static let maximumHops = 32

    private let networks: [IPNetwork]

    package init(_ networks: [IPNetwork]) {
        self.networks = networks
    }

    /// True when no proxy is trusted.
    package var isEmpty: Bool { networks.isEmpty }

    /// The address of the client of a request that came from `peer`, by the values of
    /// `X-Forwarded-For` in the order of their lines.
    ///
    /// It is the last address that is no trusted proxy. If an entry is not an address, or all are
    /// trusted, it is the leftmost of the trusted ones.
    package func client(of peer: IPAddress, forwardedFor lines: [String]) -> IPAddress {
        var client = peer
        var hops = 0
        for line in lines.reversed() {
            for entry in line.split(separator: ",").reversed() {
                guard isTrusted(client), hops < Self.maximumHops else { return client }
                let text = entry.drop { $0 == " " || $0 == "\t" }
                // Recipients ignore empty elements of a list (RFC 9110, 5.6.1).
                if text.isEmpty { continue }
                guard let address = Self.address(inEntry: text) else { return client }
                client = address
                hops += 1
            }
        }
        return client
    }

    private func isTrusted(_ address: IPAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }

    /// The address of an entry, which may be in brackets and have a port; nil when it is not an
    /// address.
    private static func address(inEntry entry: Substring) -> IPAddress? {
        var text = entry
        while text.last == " " || text.last == "\t" { text.removeLast() }
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]"), isPort(text[text.index(after: end)...])
            else { return nil }
            text = text[..<end].dropFirst()
            return text.utf8.contains(UInt8(ascii: ":")) ? IPAddress(text) : nil
        }
        // An IPv6 address without brackets has no port.
        if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
            guard isPort(text[colon...]) else { return nil }
            text = text[..<colon]
        }
        return IPAddress(text)
    }

    /// True for an empty text, or a colon and a port.
    private static func isPort(_ text: Substring) -> Bool {
        let digits = text.dropFirst()
        // `UInt16` accepts a sign.
        return text.isEmpty
            || text.first == ":" && UInt16(digits) != nil
                && digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
