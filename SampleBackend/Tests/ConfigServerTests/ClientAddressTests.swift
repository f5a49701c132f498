import NIOCore
import Testing

@testable import ConfigServer
@testable import HTTPServing

/// Client addresses as rate limits identify them.
struct ClientAddressTests {
    private func address(_ text: String) throws -> ClientAddress {
        ClientAddress(try #require(IPAddress(try SocketAddress(ipAddress: text, port: 1))))
    }

    @Test func anIPv6ClientIsIdentifiedByItsFirst64Bits() throws {
        let first = try address("2001:db8:1:2::1")
        let neighbour = try address("2001:db8:1:2:ffff:ffff:ffff:ffff")
        let other = try address("2001:db8:1:3::1")
        #expect(first == neighbour)
        #expect(first != other)
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:255.0.2.10", "255.0.2.10"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"), ("::1", "0:0:0:0::/64"),
    ])
    func anAddressIsNamedAsFarAsItIdentifiesAClient(text: String, name: String) throws {
        #expect(try address(text).description == name)
    }

    @Test func eachIPv4AddressIsOneClientMappedOrNot() throws {
        let first = try address("192.0.2.1")
        let mapped = try address("::ffff:192.0.2.1")
        let other = try address("192.0.2.2")
        let otherMapped = try address("::ffff:192.0.2.2")
        #expect(first == mapped)
        #expect(other == otherMapped)
        #expect(first != other)
    }
}
