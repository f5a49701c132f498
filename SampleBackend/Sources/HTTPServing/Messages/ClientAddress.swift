package import NIOCore

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

    /// Creates a client address from a socket address; nil for a Unix domain socket.
    package init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address):
            let bytes = Self.bytes(of: address.address)
            bits = Self.bits(ipv4: UInt32(truncatingIfNeeded: Self.number(bytes[4..<8])))
        case .v6(let address):
            let bytes = Self.bytes(of: address.address)
            let high = Self.number(bytes[8..<16])
            let rest = Self.number(bytes[16..<24])
            let isMapped = high == 0 && rest >> 32 == 0xFFFF
            bits = isMapped ? Self.bits(ipv4: UInt32(truncatingIfNeeded: rest)) : high
        case .unixDomainSocket: return nil
        }
    }

    /// The bytes of a `sockaddr_in`, whose address starts at byte 4, or of a `sockaddr_in6`, whose
    /// address starts at byte 8, on all platforms.
    ///
    /// The fields are read by offset because the module that declares the C types depends on the
    /// platform.
    private static func bytes<Value>(of value: Value) -> [UInt8] {
        unsafe withUnsafeBytes(of: value) { unsafe [UInt8]($0) }  // copied
    }

    /// Reads bytes as one big-endian number.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func bits(ipv4: UInt32) -> UInt64 {
        0xFFFF_FFFF_0000_0000 | UInt64(ipv4)
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
