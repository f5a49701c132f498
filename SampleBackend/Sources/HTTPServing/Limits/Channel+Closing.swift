import NIOCore
import NIOSSL

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension Channel {
    /// Closes the connection now; call it on the connection's thread.
    ///
    /// TLS would wait for the client to agree, and keep what is unsent meanwhile.
    func closeAtOnce() {
        let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        if let tls { tls.close(promise: nil) } else { close(promise: nil) }
    }

    /// Closes the connection now, and has the system drop what it has not sent; call it on the
    /// connection's thread.
    package func reset() {
        if let options = self as? any SocketOptionProvider {
            // Failing, it would be closed like others.
            _ = options.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        closeAtOnce()
    }
}
