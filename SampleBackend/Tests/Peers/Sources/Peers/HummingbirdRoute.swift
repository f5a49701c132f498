import Foundation
import Hummingbird
import NIOCore

/// A route of Hummingbird for the backend's path, without middleware.
enum HummingbirdRoute {
    static func serve(_ document: Data) async throws {
        let document = ByteBuffer(bytes: document)
        let router = Router()
        router.get("activeconfig/user/:id") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: document))
        }
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in Peers.announce(port: channel.localAddress?.port ?? 0) })
        try await application.runService()
    }
}
