import HTTPTypes
import NIOCore
import ServerTestSupport
import Testing

@testable import HTTPServing

/// Heads of responses as they are sent.
struct ResponseHeadTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    private static func response(
        _ status: HTTPResponse.Status, _ fields: HTTPFields = [:], bytes: Int = 0,
        _ change: (inout RouteResponse) -> Void = { _ in }
    ) -> RouteResponse {
        var response = RouteResponse(
            status: status, headerFields: fields,
            body: ByteBuffer(repeating: 0x20, count: bytes))
        change(&response)
        return response
    }

    /// Responses with the lines of their heads but the date.
    static let rows: [NamedRow<(response: RouteResponse, lines: [String])>] = [
        NamedRow("without a body", (response(.ok), ["HTTP/1.1 200 OK", "content-length: 0"])),
        NamedRow(
            "with a body",
            (
                response(.ok, [.contentType: "application/json"], bytes: 1_234_567_890 % 100_000),
                [
                    "HTTP/1.1 200 OK", "Content-Type: application/json",
                    "content-length: 67890",
                ]
            )),
        NamedRow(
            "of ten bytes", (response(.ok, bytes: 10), ["HTTP/1.1 200 OK", "content-length: 10"])),
        NamedRow(
            "of a document",
            (
                response(.ok, [.vary: "Origin"], bytes: 9) { response in
                    response.entityTag = ("0123", isWeak: true)
                    response.numberField = ("Number", 1_020)
                    response.fieldLines = FieldLines([.cacheControl: "private, no-cache"])
                },
                [
                    "HTTP/1.1 200 OK", "ETag: W/\"0123\"", "Number: 1020",
                    "Cache-Control: private, no-cache", "Vary: Origin", "content-length: 9",
                ]
            )),
        NamedRow(
            "with a strong tag",
            (
                response(.ok) { $0.entityTag = ("0123", isWeak: false) },
                ["HTTP/1.1 200 OK", "ETag: \"0123\"", "content-length: 0"]
            )),
        NamedRow("304 has no length", (response(.notModified), ["HTTP/1.1 304 Not Modified"])),
        NamedRow("204 has no length", (response(.noContent), ["HTTP/1.1 204 No Content"])),
        NamedRow(
            "of unknown length",
            (response(.ok) { $0.hasLength = false }, ["HTTP/1.1 200 OK"])),
        NamedRow(
            "413",
            (
                response(.contentTooLarge, bytes: 3),
                ["HTTP/1.1 413 Content Too Large", "content-length: 3"]
            )),
    ]

    @Test(arguments: rows, [ConnectionPersistence.open, .openForHTTP10, .closed])
    func aHeadIsWrittenByteByByte(
        row: NamedRow<(response: RouteResponse, lines: [String])>,
        connection: ConnectionPersistence
    ) {
        var head = ByteBuffer()
        head.writeHead(of: row.value.response, date: Self.date, connection: connection)
        let lines: [ConnectionPersistence: [String]] = [
            .openForHTTP10: ["connection: keep-alive"], .closed: ["connection: close"],
        ]
        let end = ["date: \(Self.date)"] + lines[connection, default: []] + ["", ""]
        #expect(
            String(buffer: head) == (row.value.lines + end).joined(separator: "\r\n"))
    }
}
