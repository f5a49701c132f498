package import HTTPTypes
package import NIOCore

/// Serialized header fields, created once for many responses.
package struct FieldLines: Sendable {
    fileprivate let bytes: [UInt8]

    /// Serializes the fields in order.
    package init(_ fields: HTTPFields) {
        var buffer = ByteBuffer()
        buffer.writeFields(fields)
        bytes = Array(buffer.readableBytesView)
    }
}

/// What becomes of a connection after a response (RFC 9112, 9.3).
enum ConnectionPersistence: Sendable, Hashable {
    /// It stays open, as HTTP/1.1 clients expect.
    case open
    /// It stays open, which an HTTP/1.0 client must be told.
    case openForHTTP10
    case closed

    fileprivate var lines: StaticString {
        switch self {
        case .open: "\r\n\r\n"
        case .openForHTTP10: "\r\nconnection: keep-alive\r\n\r\n"
        case .closed: "\r\nconnection: close\r\n\r\n"
        }
    }
}

extension ByteBuffer {
    /// Writes the head of a response (RFC 9112, 4) with its length and the date.
    mutating func writeHead(
        of response: RouteResponse, date: String, connection: ConnectionPersistence
    ) {
        writeStatusLine(response.status)
        if let tag = response.entityTag {
            writeStaticString(tag.isWeak ? "ETag: W/\"" : "ETag: \"")
            writeString(tag.opaqueTag)
            writeStaticString("\"\r\n")
        }
        if let field = response.numberField {
            writeStaticString(field.name)
            writeStaticString(": ")
            writeDecimal(field.value)
            writeStaticString("\r\n")
        }
        if let lines = response.fieldLines { writeBytes(lines.bytes) }
        writeFields(response.headerFields)
        // RFC 9110, 8.6: with 304 the length would be that of the 200 response; with 204 it is
        // forbidden.
        if response.hasLength, response.status != .notModified, response.status != .noContent {
            writeStaticString("content-length: ")
            writeDecimal(response.body.readableBytes)
            writeStaticString("\r\n")
        }
        writeStaticString("date: ")
        writeString(date)
        writeStaticString(connection.lines)
    }

    /// Writes the status line of HTTP/1.1.
    private mutating func writeStatusLine(_ status: HTTPResponse.Status) {
        writeStaticString("HTTP/1.1 ")
        writeDecimal(status.code)
        writeStaticString(" ")
        writeString(status.reasonPhrase)
        writeStaticString("\r\n")
    }

    /// Writes each field on its own line.
    ///
    /// `HTTPFields` allows no line breaks in names and values, so no field can inject another.
    package mutating func writeFields(_ fields: HTTPFields) {
        for field in fields {
            writeString(field.name.rawName)
            writeStaticString(": ")
            writeString(field.value)
            writeStaticString("\r\n")
        }
    }

    /// Writes a nonnegative number in decimal digits.
    private mutating func writeDecimal(_ number: Int) {
        var divisor = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            writeInteger(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
