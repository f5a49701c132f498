import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// A server in front of a backend that forwards all bytes, or responds like a broken one.
final class Relay: @unchecked Sendable {  // Guarded by `lock`.
    /// The response to clients.
    enum Behavior: Sendable {
        /// Forwards the backend's responses.
        case pass
        /// Refuses connections.
        case gone
        /// Sends a text as it is, then closes the connection.
        case text(String)
        /// Sends a head, then a byte at intervals, without end.
        case drip(String)
        /// Sends a head, then as many bytes as the client accepts.
        case flood(String)
        /// Sends nothing.
        case silence
    }

    struct Failure: Error {}

    /// A request, with its connection.
    struct Request: Sendable {
        let target: String
        let instant: ContinuousClock.Instant
    }

    private let backendPort: UInt16
    private let lock = NSLock()
    private var behavior = Behavior.pass
    private var listener: Int32 = -1
    private var port: UInt16 = 0
    private var open: Set<Int32> = []
    private var seen: [Request] = []

    init(to url: URL) throws {
        backendPort = UInt16(url.port ?? 0)
        try listen()
    }

    deinit { stop() }

    var url: URL? { URL(string: "http://127.0.0.1:\(lock.withLock { port })") }

    /// Requests that were not forwarded.
    var requests: [Request] { lock.withLock { seen } }

    /// Changes the behavior, and closes all connections.
    func set(_ new: Behavior) throws {
        lock.withLock {
            behavior = new
            seen = []
            for connection in open { shutdown(connection, Int32(SHUT_RDWR)) }
            if case .gone = new, listener >= 0 {
                shutdown(listener, Int32(SHUT_RDWR))
                listener = -1
            }
        }
        if case .gone = new { return }
        if lock.withLock({ listener < 0 }) { try listen() }
    }

    func stop() {
        lock.withLock {
            for connection in open { shutdown(connection, Int32(SHUT_RDWR)) }
            if listener >= 0 { shutdown(listener, Int32(SHUT_RDWR)) }
            listener = -1
        }
    }

    private static func makeSocket() -> Int32 {
        #if canImport(Darwin)
            return socket(AF_INET, SOCK_STREAM, 0)
        #else
            return socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        unsafe inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        return address
    }

    /// Listens on a free port, or again on the previous one.
    private func listen() throws {
        let listener = Self.makeSocket()
        var yes: Int32 = 1
        unsafe setsockopt(
            listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = Self.address(lock.withLock { port })
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let length = size
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe bind(listener, address, length) == 0 else { return false }
                guard Self.startListening(listener) == 0 else { return false }
                return unsafe getsockname(listener, address, &size) == 0
            }
        }
        guard isListening else { throw Failure() }
        lock.withLock {
            port = UInt16(bigEndian: address.sin_port)
            self.listener = listener
        }
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self else {
                    if connection >= 0 { close(connection) }
                    close(listener)
                    return
                }
                self.lock.withLock { _ = self.open.insert(connection) }
                Thread.detachNewThread { self.serve(connection) }
            }
        }
    }

    private static func startListening(_ listener: Int32) -> Int32 {
        #if canImport(Darwin)
            return Darwin.listen(listener, 256)
        #else
            return Glibc.listen(listener, 256)
        #endif
    }

    private func serve(_ connection: Int32) {
        defer { end(connection) }
        if case .pass = lock.withLock({ self.behavior }) { return pass(connection) }
        guard let target = Self.readHead(connection) else { return }
        let current = lock.withLock {
            seen.append(Request(target: target, instant: .now))
            return self.behavior
        }
        switch current {
        case .pass, .gone: break
        case .text(let text): _ = Self.send(Array(text.utf8), to: connection)
        case .silence: while !Self.receive(connection).isEmpty {}
        case .drip(let head):
            var isOpen = Self.send(Array(head.utf8), to: connection)
            while isOpen {
                usleep(50_000)
                isOpen = Self.send([0x20], to: connection)
            }
        case .flood(let head):
            var isOpen = Self.send(Array(head.utf8), to: connection)
            let bytes = [UInt8](repeating: 0x20, count: 1 << 16)
            while isOpen { isOpen = Self.send(bytes, to: connection) }
        }
    }

    /// Forwards bytes in both directions.
    private func pass(_ connection: Int32) {
        let backend = Self.makeSocket()
        var address = Self.address(backendPort)
        let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(backend, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(backend)
            return
        }
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            Self.copy(from: backend, to: connection)
            shutdown(connection, Int32(SHUT_RDWR))
            isDone.signal()
        }
        Self.copy(from: connection, to: backend)
        shutdown(backend, Int32(SHUT_RDWR))
        isDone.wait()
        close(backend)
    }

    private func end(_ connection: Int32) {
        lock.withLock { _ = open.remove(connection) }
        close(connection)
    }

    private static func copy(from source: Int32, to target: Int32) {
        while true {
            let bytes = receive(source)
            guard !bytes.isEmpty, send(bytes, to: target) else { return }
        }
    }

    /// The received bytes; empty at the end.
    private static func receive(_ connection: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe recv(connection, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(count, 0)))
    }

    private static func send(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                #if canImport(Darwin)
                    return unsafe Darwin.send(connection, buffer.baseAddress, buffer.count, 0)
                #else
                    return unsafe Glibc.send(
                        connection, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
                #endif
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads a request's head, and returns its target.
    private static func readHead(_ connection: Int32) -> String? {
        var head = Data()
        while head.range(of: Data("\r\n\r\n".utf8)) == nil {
            let bytes = receive(connection)
            if bytes.isEmpty { return nil }
            head += bytes
        }
        let words = String(decoding: head, as: UTF8.self).split(separator: " ", maxSplits: 2)
        return words.count == 3 ? String(words[1]) : nil
    }
}
