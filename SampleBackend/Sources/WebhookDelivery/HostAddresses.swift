import Foundation

/// Resolves host names with the system's resolver.
enum HostAddresses: Sendable {
    /// The address of a host given as a literal address in any notation; empty for a name.
    ///
    /// The system parses it, since it also accepts `127.1`, `0x7f000001` and `2130706433` as
    /// addresses.
    static func numeric(_ host: String) -> [NetworkAddress] {
        find(host, flags: AI_NUMERICHOST)
    }

    /// The addresses of a host in the system's order of preference; empty when there is none.
    static func resolve(_ host: String) async throws -> [NetworkAddress] {
        let known = numeric(host)
        return known.isEmpty ? try await lookups.addresses(of: host) : known
    }

    private static let lookups = HostLookups { find($0, flags: AI_ADDRCONFIG) }

    /// Calls `getaddrinfo`, which may block on the network.
    private static func find(_ host: String, flags: Int32) -> [NetworkAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = flags
        var first: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { unsafe freeaddrinfo(first) }
        var found: [NetworkAddress] = []
        var next = unsafe first
        while let info = unsafe next {
            // The system returns each address once per socket type.
            if let address = unsafe address(of: info.pointee), !found.contains(address) {
                found.append(address)
            }
            unsafe next = info.pointee.ai_next
        }
        return found
    }

    /// Nil when the address is neither IPv4 nor IPv6.
    private static func address(of info: addrinfo) -> NetworkAddress? {
        guard let pointer = unsafe UnsafeRawPointer(info.ai_addr) else { return nil }
        switch unsafe info.ai_family {
        case AF_INET:
            var address = unsafe pointer.loadUnaligned(as: sockaddr_in.self).sin_addr
            return unsafe withUnsafeBytes(of: &address) {
                unsafe NetworkAddress(bytes: Array($0))
            }
        case AF_INET6:
            var address = unsafe pointer.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return unsafe withUnsafeBytes(of: &address) {
                unsafe NetworkAddress(bytes: Array($0))
            }
        default: return nil
        }
    }
}
