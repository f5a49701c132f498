import ActiveConfig
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// HTTP server on loopback that sends exactly the bytes a test gives it, valid or not.
final class LoopbackServer: Sendable {
    /// Head of a request.
    struct Request: Sendable {
        let target: String
        /// Number of the connection, from 1.
        let connection: Int
        /// Values by lowercase name.
        let headers: [String: String]
    }

    /// Step of an answer.
    enum Step: Sendable {
        /// Sends the text verbatim.
        case send(String)
        /// Sends the text repeatedly until the client disconnects.
        case flood(String)
        /// Sends a space every 20 ms until the client disconnects.
        case drip
        /// Waits until the client disconnects.
        case hang
        /// Closes the connection.
        case close
    }

    private struct State {
        var requests: [Request] = []
        var connectionCount = 0
    }

    private let listener: Int32
    private let port: UInt16
    private let state = Locked(State())
    private let keepsAlive: Bool
    private let answer: @Sendable (Request) -> [Step]

    var requests: [Request] { state.withLock { $0.requests } }

    /// Event on a connection for which tests can wait.
    enum Event: Sendable {
        /// A request has arrived.
        case request
        /// The client disconnected during a `hang`, `flood` or `drip`.
        case hangUp
    }

    private let events = AsyncStream.makeStream(of: Event.self)

    /// Waits until `event` happens; returns immediately if it has happened since the last wait.
    func wait(for event: Event) async {
        for await next in events.stream where next == event { return }
    }

    /// Starts a server on a free port; it closes each connection after the answer unless
    /// `keepsAlive` is true.
    init(keepsAlive: Bool = false, _ answer: @escaping @Sendable (Request) -> [Step]) throws {
        self.keepsAlive = keepsAlive
        self.answer = answer
        #if canImport(Darwin)
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        unsafe inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let length = size
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isListening else { throw CocoaError(.featureUnsupported) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self else {
                    if connection >= 0 { close(connection) }
                    #if !canImport(Darwin)
                        // Closed only here: after a close in `stop()` the descriptor could be
                        // another server's, whose connections this thread would then accept.
                        close(listener)
                    #endif
                    return
                }
                Thread.detachNewThread { self.serve(connection) }
            }
        }
    }

    /// Stops accepting connections.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        #if canImport(Darwin)
            // On Darwin, `shutdown` does not wake `accept`.
            close(listener)
        #endif
    }

    func url(_ path: String) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
            throw URLError(.badURL)
        }
        return url
    }

    /// Answer with a `Content-Length` and a body.
    static func response(
        _ status: Int = 200, headers: [String: String] = [:], body: String = ""
    ) -> [Step] {
        var head = "HTTP/1.1 \(status) Status\r\nContent-Length: \(body.utf8.count)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        return [.send("\(head)Connection: close\r\n\r\n\(body)")]
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        let number = state.withLock { state in
            state.connectionCount += 1
            return state.connectionCount
        }
        repeat {
            guard let request = readRequest(connection, number: number) else { return }
            state.withLock { $0.requests.append(request) }
            events.continuation.yield(.request)
            guard perform(answer(request), on: connection) else { return }
        } while keepsAlive
    }

    /// False when the client has disconnected.
    private func perform(_ steps: [Step], on connection: Int32) -> Bool {
        for step in steps {
            switch step {
            case .send(let text):
                guard send(Array(text.utf8), to: connection) else { return false }
            case .flood(let text):
                let bytes = Array(text.utf8)
                // Under a sanitizer the sender would be faster than Foundation's reader, which on Linux
                // gets to no cancel until the socket is empty.
                // deadline: only slows the sender down
                while send(bytes, to: connection) { if Sanitizer.isOn { usleep(500) } }
                events.continuation.yield(.hangUp)
            case .drip:
                // deadline: ends with the client
                while send([0x20], to: connection) { usleep(20_000) }
                events.continuation.yield(.hangUp)
            case .hang:
                var byte: UInt8 = 0
                while unsafe recv(connection, &byte, 1, 0) > 0 {}
                events.continuation.yield(.hangUp)
                return false
            case .close: return false
            }
        }
        return true
    }

    private func send(_ bytes: [UInt8], to connection: Int32) -> Bool {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                #if canImport(Darwin)
                    return unsafe Darwin.send(connection, buffer.baseAddress, buffer.count, flags)
                #else
                    return unsafe Glibc.send(connection, buffer.baseAddress, buffer.count, flags)
                #endif
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func readRequest(_ connection: Int32, number: Int) -> Request? {
        var head = ""
        var byte: UInt8 = 0
        while !head.hasSuffix("\r\n\r\n") {
            guard unsafe recv(connection, &byte, 1, 0) == 1 else { return nil }
            head.unicodeScalars.append(Unicode.Scalar(byte))
        }
        let lines = head.components(separatedBy: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        return Request(target: String(words[1]), connection: number, headers: headers)
    }
}
