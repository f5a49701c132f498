/// An IPv4 or IPv6 address.
package struct NetworkAddress: Sendable, Hashable, CustomStringConvertible {
    /// A network in CIDR notation: a prefix and its length.
    private struct Network {
        /// The leading bytes; missing ones are 0.
        let prefix: [UInt8]
        /// The length of the prefix in bits.
        let bits: Int

        init(_ prefix: UInt8..., bits: Int) {
            self.prefix = prefix
            self.bits = bits
        }

        /// True when the network contains an address; both must be of the same family.
        func contains(_ bytes: [UInt8]) -> Bool {
            (0..<bits).allSatisfy { bit in
                let byte = bit / 8 < prefix.count ? prefix[bit / 8] : 0
                let mask = UInt8(0x80) >> (bit % 8)
                return bytes[bit / 8] & mask == byte & mask
            }
        }
    }

    /// IPv4 networks that are not publicly routable (the registry of RFC 6890).
    private static let closedIPv4: [Network] = [
        Network(0, bits: 8), Network(10, bits: 8), Network(100, 64, bits: 10),
        Network(127, bits: 8), Network(169, 254, bits: 16), Network(172, 16, bits: 12),
        Network(192, 0, 0, bits: 24), Network(192, 0, 2, bits: 24),
        Network(192, 88, 99, bits: 24), Network(192, 168, bits: 16),
        Network(198, 18, bits: 15), Network(198, 51, 100, bits: 24),
        Network(203, 0, 113, bits: 24), Network(224, bits: 4), Network(240, bits: 4),
    ]

    /// The only IPv6 network with global unicast addresses.
    private static let globalIPv6 = Network(0x20, bits: 3)

    /// Subnets of ``globalIPv6`` that are not publicly routable: protocols such as Teredo, and
    /// documentation.
    private static let closedIPv6: [Network] = [
        Network(0x20, 0x01, 0x00, bits: 23), Network(0x20, 0x01, 0x0D, 0xB8, bits: 32),
        Network(0x3F, 0xFF, 0x00, bits: 20),
    ]

    /// IPv6 networks whose addresses embed an IPv4 address, with the offset of its first byte:
    /// IPv4-mapped, NAT64 and 6to4.
    private static let embeddings: [(network: Network, offset: Int)] = [
        (Network(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, bits: 96), 12),
        (Network(0x00, 0x64, 0xFF, 0x9B, bits: 96), 12), (Network(0x20, 0x02, bits: 16), 2),
    ]

    /// 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    /// Nil unless there are 4 or 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// True when the address is publicly routable: neither private, nor loopback, nor multicast.
    ///
    /// An address that embeds an IPv4 address is public when the embedded address is.
    package var isPublic: Bool {
        if bytes.count == 4 { return !Self.closedIPv4.contains { $0.contains(bytes) } }
        for (network, offset) in Self.embeddings where network.contains(bytes) {
            return NetworkAddress(bytes: Array(bytes[offset..<(offset + 4)]))?.isPublic ?? false
        }
        return Self.globalIPv6.contains(bytes) && !Self.closedIPv6.contains { $0.contains(bytes) }
    }

    /// The address in the form of a URL, without brackets.
    package var description: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2).map { index in
            String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
        }.joined(separator: ":")
    }
}
