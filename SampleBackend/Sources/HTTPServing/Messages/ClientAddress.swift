package import NIOCore

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

    /// The bytes of a `sockaddr_in`, whose address begins at byte 4, or a `sockaddr_in6`, at byte 8,
    /// on all platforms.
    ///
    /// Read by offset: the C types belong to whichever module a file happens to import them from.
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
