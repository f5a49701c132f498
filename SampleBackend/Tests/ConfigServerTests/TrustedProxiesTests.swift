import ClientAPI
import Foundation
import InMemoryTemplateStore
import SeededRandomness
import ServerTestSupport
import Testing

@testable import ConfigServer
@testable import HTTPServing

/// The clients of trusted proxies.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct TrustedProxiesTests {
    /// A request from `peer`, and the address of its client.
    struct Request: Sendable {
        var trusted = ["10.0.0.0/8", "192.0.2.9", "fd00::/8"]
        var peer = "10.0.0.1"
        let lines: [String]
        let client: String
    }

    static let requests: [NamedRow<Request>] = [
        NamedRow("without the field", Request(lines: [], client: "10.0.0.1")),
        NamedRow("one address", Request(lines: ["198.51.100.7"], client: "198.51.100.7")),
        NamedRow(
            "an untrusted peer",
            Request(peer: "203.0.113.1", lines: ["198.51.100.7"], client: "203.0.113.1")),
        NamedRow(
            "no trusted proxy",
            Request(trusted: [], lines: ["198.51.100.7"], client: "10.0.0.1")),
        NamedRow(
            "what the client has sent",
            Request(lines: ["1.1.1.1, 198.51.100.7"], client: "198.51.100.7")),
        NamedRow(
            "a second proxy",
            Request(lines: ["1.1.1.1, 198.51.100.7, 10.2.3.4"], client: "198.51.100.7")),
        NamedRow(
            "proxies only", Request(lines: ["192.0.2.9, 10.2.3.4"], client: "192.0.2.9")),
        NamedRow(
            "several lines",
            Request(lines: ["1.1.1.1", "198.51.100.7", "10.9.9.9"], client: "198.51.100.7")),
        NamedRow("spaces", Request(lines: [" \t198.51.100.7 \t"], client: "198.51.100.7")),
        NamedRow(
            "empty elements", Request(lines: ["198.51.100.7, ,,", ""], client: "198.51.100.7")),
        NamedRow("a port", Request(lines: ["198.51.100.7:4711"], client: "198.51.100.7")),
        NamedRow(
            "a port with a sign", Request(lines: ["198.51.100.7:+80"], client: "10.0.0.1")),
        NamedRow("IPv6", Request(lines: ["2001:db8::7"], client: "2001:db8::7")),
        NamedRow("IPv6 in brackets", Request(lines: ["[2001:db8::7]"], client: "2001:db8::7")),
        NamedRow(
            "IPv6 with a port", Request(lines: ["[2001:db8::7]:4711"], client: "2001:db8::7")),
        NamedRow(
            "an IPv6 proxy",
            Request(peer: "fd12::1", lines: ["2001:db8::7, fd00::2"], client: "2001:db8::7")),
        NamedRow(
            "mapped IPv4",
            Request(
                peer: "::ffff:10.0.0.1", lines: ["::ffff:198.51.100.7, ::ffff:10.0.0.2"],
                client: "198.51.100.7")),
        NamedRow("a name", Request(lines: ["localhost"], client: "10.0.0.1")),
        NamedRow(
            "garbage of a proxy",
            Request(lines: ["198.51.100.7, unknown, 10.0.0.2"], client: "10.0.0.2")),
        NamedRow("a wrong port", Request(lines: ["198.51.100.7:x"], client: "10.0.0.1")),
        NamedRow("an open bracket", Request(lines: ["[2001:db8::7"], client: "10.0.0.1")),
        NamedRow("IPv4 in brackets", Request(lines: ["[198.51.100.7]"], client: "10.0.0.1")),
        NamedRow("a zone", Request(lines: ["fe80::1%eth0"], client: "10.0.0.1")),
        NamedRow("a network", Request(lines: ["198.51.100.0/24"], client: "10.0.0.1")),
        NamedRow(
            "a thousand proxies",
            Request(
                lines: [
                    (["198.51.100.7"] + (1...1_000).map { "10.1.\($0 / 256).\($0 % 256)" })
                        .joined(separator: ",")
                ], client: "10.1.3.201")),
        NamedRow(
            "everyone is trusted",
            Request(
                trusted: ["0.0.0.0/0"], lines: ["198.51.100.7, 203.0.113.1"],
                client: "198.51.100.7")),
    ]

    @Test(arguments: requests)
    func theClientIsTheLastAddressThatIsNoProxy(row: NamedRow<Request>) throws {
        let request = row.value
        let networks = try request.trusted.map { try #require(IPNetwork($0)) }
        let peer = try #require(IPAddress(request.peer))
        #expect(
            TrustedProxies(networks).client(of: peer, forwardedFor: request.lines)
                == IPAddress(request.client))
    }

    @Test(arguments: [
        ("10.1.2.3/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
        ("192.0.2.128/25", "192.0.2.127", false), ("192.0.2.1/32", "192.0.2.1", true),
        ("192.0.2.1", "192.0.2.2", false), ("0.0.0.0/0", "255.0.0.1", true),
        ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "2001:db8::1", true),
        ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/33", "2001:db8:ffff::1", false),
        ("2001:db8::/64", "2001:db8::ffff", true), ("2001:db8::/65", "2001:db8:0:0:8000::", false),
        ("2001:db8::1", "2001:db8::1", true), ("2001:db8::1", "2001:db8::2", false),
        ("::ffff:10.0.0.0/104", "10.1.1.1", true),
    ])
    func aNetworkHasTheAddressesOfItsPrefix(network: String, address: String, isIn: Bool) throws {
        let address = try #require(IPAddress(address))
        #expect(try #require(IPNetwork(network)).contains(address) == isIn)
    }

    @Test(arguments: [
        "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8",
        "10.0.0/8", "10.0.0.0/0x8", "2001:db8::/129", "[2001:db8::]/32", "localhost", "10.0.0.0 /8",
    ])
    func aTextThatIsNoNetworkIsNotParsed(text: String) {
        #expect(IPNetwork(text) == nil)
    }

    @Test(arguments: [true, false])
    func limitsCountTheClientsOfATrustedProxy(isTrusted: Bool) async throws {
        var options = ConfigServerOptions()
        options.clientLimits.streamsPerAddress = 1
        options.trustedProxies = isTrusted ? [try #require(IPNetwork("127.0.0.0/8"))] : []
        try await RunningServer.with(store: InMemoryTemplateStore(), options: options) { server in
            #expect(try await server.publish(.sample).status == 200)
            func open(_ client: Int, _ body: (String) async throws -> Void) async throws {
                try await EventStreamClient.open(
                    port: server.port, "/activeconfig/user/1/events",
                    fields: ["X-Forwarded-For: 203.0.113.1, 198.51.100.\(client)"]
                ) { try await body($0.head) }
            }
            try await open(1) { head in
                #expect(head.hasPrefix("HTTP/1.1 200 "))
                try await open(1) { #expect($0.hasPrefix("HTTP/1.1 429 ")) }
                try await open(2) { head in
                    #expect(head.hasPrefix("HTTP/1.1 \(isTrusted ? 200 : 429) "))
                }
            }
        }
    }
}
