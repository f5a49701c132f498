package import NIOCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The address of a client for rate limits: an IPv4 address, or the 64-bit prefix of an IPv6
/// address.
///
/// A single customer usually has a whole IPv6 prefix.
package struct ClientAddress: Hashable, Sendable {
    /// IPv4 addresses have the upper 32 bits set; as an IPv6 prefix, that is multicast, which is
    /// never a source address.
    private let bits: UInt64

    /// Creates a client address from a socket's; nil for a Unix domain socket.
    package init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address):
            bits = Self.bits(ipv4: UInt32(bigEndian: address.address.sin_addr.s_addr))
        case .v6(let address):
            var value = address.address.sin6_addr
            let bytes = unsafe withUnsafeBytes(of: &value) { unsafe [UInt8]($0) }  // copied
            let high = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let rest = bytes[8...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let isMapped = high == 0 && rest >> 32 == 0xFFFF
            bits = isMapped ? Self.bits(ipv4: UInt32(truncatingIfNeeded: rest)) : high
        case .unixDomainSocket: return nil
        }
    }

    private static func bits(ipv4: UInt32) -> UInt64 {
        0xFFFF_FFFF_0000_0000 | UInt64(ipv4)
    }
}
