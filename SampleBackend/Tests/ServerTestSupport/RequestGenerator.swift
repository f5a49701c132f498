import SeededRandomness

/// Generates requests, most of them invalid in some way, and deterministic for a seed.
package struct RequestGenerator {
    private var generator: SeededGenerator

    /// Field with a token that the server accepts; nil adds none.
    private let tokenField: String?

    /// Creates a generator; most requests have the field `tokenField`.
    package init(seed: UInt64, tokenField: String? = nil) {
        generator = SeededGenerator(seed: seed)
        self.tokenField = tokenField
    }

    /// The next pipeline, in the pieces in which to send it; some of its requests have the
    /// administrator's token.
    package mutating func pipeline(administratorToken: String) -> [[UInt8]] {
        var bytes: [UInt8] = []
        for _ in 0..<(2 + number(below: 6)) {
            switch number(below: 4) {
            case 0: bytes += administrationRequest(token: administratorToken, isLast: false)
            case 1: bytes += request()
            default: bytes += ordinaryRequest()
            }
        }
        var pieces: [[UInt8]] = []
        while !bytes.isEmpty {
            let piece = bytes.prefix(pick([1, 10, 100, 1_000, 100_000]))
            pieces.append(Array(piece))
            bytes.removeFirst(piece.count)
            if pieces.count == 20 {
                pieces.append(bytes)
                break
            }
        }
        return pieces
    }

    /// Valid request.
    private mutating func ordinaryRequest() -> [UInt8] {
        let target = pick([
            "/activeconfig", "/activeconfig/user/1", "/activeconfig/events", "/health/live",
            "/activeconfig/user/1/events", "/ofrep/v1/evaluate/events?targetingKey=1", "/nothing",
            "/activeconfig/user/2",
        ])
        let method = pick(["GET", "GET", "GET", "GET", "HEAD"])
        let token = number(below: 4) > 0 ? tokenField.map { $0 + "\r\n" } ?? "" : ""
        let condition = number(below: 4) == 0 ? "If-None-Match: *\r\n" : ""
        return Array(
            "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(token)\(condition)\r\n".utf8)
    }

    /// Next request of any client.
    package mutating func request() -> [UInt8] {
        var bytes = Array(head().utf8)
        switch number(below: 10) {
        case 0: bytes.removeLast(min(bytes.count, number(below: 40)))
        case 1: for _ in 0..<(1 + number(below: 8)) { damage(&bytes) }
        case 2:
            bytes = (0..<number(below: 200)).map { _ in
                UInt8(truncatingIfNeeded: generator.next())
            }
        default: break
        }
        return bytes
    }

    private mutating func head() -> String {
        let method = pick([
            "GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "get", "",
        ])
        let path = pick([
            "/activeconfig", "/activeconfig", "/activeconfig", "/activeconfig/user/",
            "/activeconfig/user/", "/activeconfig/user/", "/active_config?userID=", "/v1/tokens",
            "/projects/default/activeconfig/user/", "/projects/", "/health/live", "/", "*", "",
            "http://a:b/activeconfig/user/", "//", "/activeconfig/../", "/v1/tokens",
            "/v1/projects/", "/activeconfig/events", "/activeconfig/user/1/events",
            "/ofrep/v1/evaluate/events?targetingKey=", "/ofrep/v1/evaluate/flags/", "/console/",
            "/console/session", "/activeconfig/acknowledgement",
            "/activeconfig/user/1/acknowledgement", "/active_config/acknowledgement?userID=",
        ])
        let query = pick([
            "", "", "", "", "?", "?signal.", "?app.id=", "?device.os=%", "?&&=&", "#",
        ])
        let version = pick(["HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/3.0", "HTTP/x"])
        var lines = ["\(method) \(path)\(text())\(query)\(text()) \(version)"]
        if number(below: 12) > 0 { lines.append("Host: localhost") }
        if let tokenField, number(below: 4) > 0 { lines.append(tokenField) }
        for _ in 0..<number(below: 4) { lines.append(field()) }
        return (lines + ["", text()]).joined(separator: number(below: 30) == 0 ? "\n" : "\r\n")
    }

    private mutating func field() -> String {
        switch number(below: 12) {
        case 10: "Last-Event-ID: \(pick(["1", "0", "-1", "7", text()]))"
        case 0: "Content-Length: \(pick(["0", "5", "70000", "-1", "x", "99999999999999999999"]))"
        case 1: "Transfer-Encoding: \(pick(["chunked", "gzip", "chunked, chunked", ""]))"
        case 2: "Expect: 100-continue"
        case 3: "Connection: \(pick(["close", "keep-alive", "upgrade", "x"]))"
        case 4: "Upgrade: \(pick(["websocket", "h2c"]))"
        case 5, 6:
            "If-None-Match: \(pick(["*", "*", "*", "*", "\"", "W/", "W/\"\"", ",,,", text()]))"
        case 7: "X: \(String(repeating: "x", count: pick([10, 1_000, 140_000])))"
        case 8: "Host: b"
        case 9: "Cookie: activeconfig_session=\(text()); \(text())"
        default: "\(text()): \(text())"
        }
    }

    /// Text that is unusual in a path, a field or a value.
    mutating func text() -> String {
        let pieces = [
            "", "1", "3", "-2", "%", "%2F", "%zz", "%FF", "%F0%9F%98%80", "..", "%2e%2e", "😀", "é",
            "\u{0}", " ", "a=b", "&", "?", "\t", "%00", "9999999999999999999999", "'", "\"", "{}",
            "signal.x=1", String(repeating: "y", count: 600),
        ]
        return (0..<number(below: 4)).map { _ in pick(pieces) }.joined()
    }

    private mutating func damage(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        bytes[number(below: bytes.count)] = UInt8(truncatingIfNeeded: generator.next())
    }

    mutating func pick<Value>(_ values: [Value]) -> Value {
        values[number(below: values.count)]
    }

    mutating func number(below limit: Int) -> Int {
        Int(generator.next() >> 33) % limit
    }
}
