/// The address of a client for rate limits: an IPv4 address, or the 64-bit prefix of an IPv6
/// address.
///
/// An IPv6 customer usually has a whole prefix, so the rest of the address is ignored.
package struct ClientAddress: Hashable, Sendable {
    /// IPv4 addresses have the upper 32 bits set.
    ///
    /// As an IPv6 prefix that is multicast, which is never a source address, so the two cannot
    /// collide.
    private let bits: UInt64

    package init(_ address: IPAddress) {
        bits = address.ipv4.map { 0xFFFF_FFFF_0000_0000 | UInt64($0) } ?? address.high
    }
}

extension ClientAddress: CustomStringConvertible {
    /// `192.0.2.1`, or `2001:db8:1:2::/64`.
    package var description: String {
        let isIPv4 = bits >> 32 == 0xFFFF_FFFF
        let (width, count, radix) = isIPv4 ? (8, 4, 10) : (16, 4, 16)
        let parts = (0..<count).reversed().map { place in
            String(bits >> (place * width) & (1 << width - 1), radix: radix)
        }
        return isIPv4 ? parts.joined(separator: ".") : parts.joined(separator: ":") + "::/64"
    }
}
