package import NIOCore

/// An IPv6 address, or an IPv4 address as its IPv4-mapped IPv6 address.
package struct IPAddress: Hashable, Sendable {
    /// The first 64 bits.
    let high: UInt64

    /// The last 64 bits.
    let low: UInt64

    /// The IPv4 address; nil for any other IPv6 address.
    var ipv4: UInt32? {
        high == 0 && low >> 32 == 0xFFFF ? UInt32(truncatingIfNeeded: low) : nil
    }

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates an address from a socket address; nil for a Unix domain socket.
    package init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address):
            let bytes = Self.bytes(of: address.address)
            high = 0
            low = 0xFFFF_0000_0000 | Self.number(bytes[4..<8])
        case .v6(let address):
            let bytes = Self.bytes(of: address.address)
            high = Self.number(bytes[8..<16])
            low = Self.number(bytes[16..<24])
        case .unixDomainSocket: return nil
        }
    }

    /// Parses an address without brackets, port and zone; nil for anything else, such as a name.
    package init?(_ text: some StringProtocol) {
        // The system would parse the zone, which names an interface of the sender.
        guard !text.utf8.contains(UInt8(ascii: "%")),
            let address = try? SocketAddress(ipAddress: String(text), port: 0)
        else { return nil }
        self.init(address)
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
}

/// An IPv4 or IPv6 network, such as `10.0.0.0/8`; an address alone is a network of its own.
public struct IPNetwork: Hashable, Sendable {
    private let address: IPAddress
    private let highMask: UInt64
    private let lowMask: UInt64

    /// Parses CIDR notation; nil when it is malformed.
    ///
    /// Bits after the prefix are ignored.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { return nil }
        let isIPv4 = !parts[0].utf8.contains(UInt8(ascii: ":"))
        let width = isIPv4 ? 32 : 128
        var length = width
        if parts.count > 1 {
            guard parts[1].utf8.count <= 3,
                parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = Int(parts[1]), number <= width
            else { return nil }
            length = number
        }
        // The prefix of the mapped address begins with 96 bits.
        if isIPv4 { length += 96 }
        highMask = ~UInt64.zero << max(64 - length, 0)
        lowMask = ~UInt64.zero << min(128 - length, 64)
        self.address = IPAddress(
            high: address.high & highMask, low: address.low & lowMask)
    }

    func contains(_ other: IPAddress) -> Bool {
        other.high & highMask == address.high && other.low & lowMask == address.low
    }
}
