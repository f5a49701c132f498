import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPServing

/// Selects the connection that makes room for another one, without a network.
struct ConnectionPlacesTests {
    private let services = ConnectionServices(
        limits: ServerLimits(), maximumConnections: 2,
        dispatcher: RequestDispatcher(
            groups: [], unknownPath: { _ in .notFound("There is nothing here.") },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))

    /// Opens a connection that has not sent anything.
    private func open() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(
            handler: ConnectionHandler(services: services, isSecure: false))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        return channel
    }

    /// Requests room for another connection, and lets the selected ones close.
    private func hasRoom(beside channels: [EmbeddedChannel]) throws -> Bool {
        let hasRoom = try #require(services.places).hasRoom(
            beside: channels.count { $0.isActive })
        for channel in channels { channel.embeddedEventLoop.run() }
        return hasRoom
    }

    @Test func theConnectionThatWaitsLongestMakesRoom() throws {
        let first = try open()
        #expect(try hasRoom(beside: [first]))
        let second = try open()
        #expect(try !hasRoom(beside: [first, second]))
        #expect(!first.isActive)
        #expect(second.isActive)
        #expect(try hasRoom(beside: [first, second]))
        try second.close().wait()
    }

    @Test func aClosedConnectionIsNotCountedAsWaiting() throws {
        // The connection that has waited longest.
        let gone = try open()
        try gone.close().wait()
        let channels = [try open(), try open()]
        #expect(try !hasRoom(beside: channels))
        #expect(channels.map(\.isActive) == [false, true])
        try channels[1].close().wait()
    }
}
