import Testing

@testable import ConfigServer
@testable import WebhookDelivery

struct DeliverySenderTests {
    /// The reason for not sending to a host with these addresses; nil if it is allowed.
    private func error(
        _ addresses: [String], allowsPrivateAddresses: Bool = false
    ) -> String? {
        DeliverySender.error(
            of: addresses.flatMap { HostAddresses.numeric($0) }, host: "example.com",
            allowsPrivateAddresses: allowsPrivateAddresses)
    }

    @Test func theSenderAcceptsAHostOfTheInternet() {
        #expect(error(["8.8.8.8", "2606:4700::1111"]) == nil)
    }

    @Test func theSenderRefusesAHostWithOnePrivateAddress() {
        let message = error(["8.8.8.8", "10.1.2.3", "1.1.1.1"])
        #expect(message?.contains("private network") == true)
        #expect(message?.contains("example.com") == true)
        #expect(error(["8.8.8.8", "10.1.2.3"], allowsPrivateAddresses: true) == nil)
    }

    @Test func theSenderRefusesAHostWithoutAnAddress() {
        #expect(error([])?.contains("example.com") == true)
        #expect(error([], allowsPrivateAddresses: true) != nil)
    }
}
