import Foundation
import Testing

/// HTTPS server on loopback with a self-signed certificate and keep-alive connections.
///
/// Runs in Python, with a certificate made by OpenSSL.
final class TLSServer: Sendable {
    private let folder = TemporaryFolder()
    private let child = ChildProcess()

    /// The certificate's file, for clients that should trust it.
    let certificate: URL
    /// Base URL; `/insecure` redirects to http.
    let url: String

    /// True if OpenSSL and Python's ssl module are installed.
    static var isAvailable: Bool {
        (try? ChildProcess.run("/usr/bin/env", ["openssl", "version"])) == 0
            && (try? ChildProcess.run("/usr/bin/env", ["python3", "-c", "import ssl"])) == 0
    }

    init() throws {
        let path = folder.url.path(percentEncoded: false)
        try FileManager.default.createDirectory(
            at: folder.url, withIntermediateDirectories: true)
        certificate = folder.file("certificate.pem")
        let status = try ChildProcess.run(
            "/usr/bin/env",
            [
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
                "-keyout", "\(path)/key.pem", "-out", "\(path)/certificate.pem",
            ])
        try #require(status == 0)
        let output = ChildProcess.pipe()
        let process = child.process
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.script, path]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try child.run()
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8)
        {
            line += byte
        }
        url = "https://127.0.0.1:\(try #require(Int(String(decoding: line, as: UTF8.self))))"
    }

    func stop() {
        child.kill()
        child.wait()
    }

    private static let script = """
        import http.server, ssl, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            def do_GET(self):
                body = b'{"meta":{},"config_sections":{"S":{"settings":{"a":{"value":1}}}}}'
                insecure = self.path == '/insecure'
                self.send_response(302 if insecure else 200)
                if insecure:
                    self.send_header('Location', 'http://127.0.0.1/')
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1] + '/certificate.pem', sys.argv[1] + '/key.pem')
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """
}
