import Testing

@testable import ConfigServer
@testable import WebhookDelivery

struct NetworkAddressTests {
    @Test(arguments: [
        "8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.0",
        "11.0.0.0", "169.253.0.1", "192.167.0.1", "198.17.0.1", "223.255.255.255",
        "2606:4700::1111", "2a00:1450:4001::1", "2001:200::1", "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8", "2002:808:808::1",
    ])
    func anAddressOfTheInternetIsPublic(_ text: String) throws {
        let address = try #require(HostAddresses.numeric(text).first)
        #expect(address.isPublic)
    }

    @Test(arguments: [
        "127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1",
        "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "100.127.255.255",
        "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1",
        "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "127.1", "0x7f000001",
        "2130706433", "0177.0.0.1", "::", "::1", "fe80::1", "febf::1", "fec0::1", "fc00::1",
        "fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1",
        "::ffff:0:127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::8.8.8.8", "2002:7f00:1::1",
        "2002:a9fe:a9fe::", "2001::1", "2001:db8::1", "3fff::1", "100::1", "5f00::1",
    ])
    func noOtherAddressIsPublic(_ text: String) throws {
        let address = try #require(HostAddresses.numeric(text).first)
        #expect(!address.isPublic)
    }

    @Test func aWrittenAddressIsReadAsTheSame() throws {
        for text in ["192.168.1.20", "2001:db8::1:0:2", "::1", "::ffff:1.2.3.4"] {
            let address = try #require(HostAddresses.numeric(text).first)
            #expect(HostAddresses.numeric(address.description) == [address])
        }
        #expect(NetworkAddress(bytes: [1, 2, 3, 4])?.description == "1.2.3.4")
        #expect(NetworkAddress(bytes: [1, 2, 3]) == nil)
    }

    @Test(arguments: ["example.com", "localhost", "", "1.2.3.4.5", "fe80"])
    func aNameIsNoAddress(_ host: String) {
        #expect(HostAddresses.numeric(host).isEmpty)
    }
}
