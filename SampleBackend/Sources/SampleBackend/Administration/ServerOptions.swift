import ArgumentParser
import Foundation
import HTTPServing
import NIOCore

/// The options of commands that connect to a server.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The URL of the server. (default: http://127.0.0.1:8080)",
            discussion: "Also the environment variable ACTIVECONFIG_SERVER.", valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "Trust the certificates in this PEM file instead of the system's.",
            discussion: "Also the environment variable SSL_CERT_FILE.", valueName: "file"))
    var caFile: String?

    /// The server, and the option that names it.
    ///
    /// - Throws: A `ValidationError` unless it is an HTTP URL with a host.
    func address() throws -> ServerAddress {
        if let server { return try ServerAddress(server, from: "--server") }
        let variable = "ACTIVECONFIG_SERVER"
        if let text = ProcessInfo.processInfo.environment[variable], !text.isEmpty {
            return try ServerAddress(text, from: variable)
        }
        return try ServerAddress("http://127.0.0.1:8080", from: "--server")
    }

    /// Opens a connection; the caller closes it.
    ///
    /// - Parameters:
    ///   - token: The bearer token; nil sends none.
    ///   - timeout: The time without data after which a request fails.
    /// - Returns: The connection.
    /// - Throws: A `ValidationError` for an invalid URL, a ``CommandFailure`` for a file without
    ///   certificates.
    func transport(
        token: Secret?, timeout: TimeAmount = .seconds(30)
    ) throws -> ServerTransport {
        let address = try address()
        guard address.url.scheme?.lowercased() == "https" else {
            return ServerTransport(server: address, token: token, timeout: timeout)
        }
        let variable = ProcessInfo.processInfo.environment["SSL_CERT_FILE"] ?? ""
        var authorities: CertificateFile?
        if let caFile {
            authorities = try CertificateFile(caFile, from: "--ca-file")
        } else if !variable.isEmpty {
            authorities = try CertificateFile(variable, from: "SSL_CERT_FILE")
        }
        return ServerTransport(
            server: address, token: token, timeout: timeout, authorities: authorities)
    }
}

/// The URL of a server, and the option or variable that supplied it.
struct ServerAddress: Sendable {
    let url: URL
    let source: String

    /// - Throws: A `ValidationError` unless the text is an HTTP URL with a host.
    init(_ text: String, from source: String) throws {
        guard let url = URL(string: text), let host = url.host, !host.isEmpty,
            ["http", "https"].contains(url.scheme?.lowercased())
        else {
            throw ValidationError(
                "\"\(text.withoutUserInformation)\" is not a server URL: pass http://HOST:PORT "
                    + "with \(source).")
        }
        self.url = url
        self.source = source
    }

    /// The URL without a trailing slash, so that paths can be appended.
    var base: String {
        let text = url.absoluteString
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// The URL without user and password, for messages.
    var shown: String { base.withoutUserInformation }
}
