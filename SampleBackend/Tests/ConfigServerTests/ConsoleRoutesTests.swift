import ConfigServer
import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import TemporaryFolders
import Testing

/// Files of the console (API 5).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ConsoleRoutesTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appending(path: "../../Sources/Console/Pages")

    @Test func theServerServesEachFileOfTheConsole() async throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
            .filter { !$0.hasPrefix(".") }
        #expect(names.contains("index.html"))
        let types = [
            "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
            "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
            "json": "application/json",
            "txt": "text/plain; charset=utf-8",
        ]
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for name in names {
                let file = Self.folder.appending(path: name)
                let answer = try await server.answer("/console/\(name)")
                #expect(answer.status == 200, "\(name)")
                if name != "index.html" {
                    #expect(try answer.body == Data(contentsOf: file), "\(name)")
                }
                #expect(answer.fields["content-type"] == types[file.pathExtension], "\(name)")
                #expect(answer.fields["cache-control"] == "no-cache", "\(name)")
                let tag = try #require(answer.fields["etag"])
                let again = try await server.answer(
                    "/console/\(name)", fields: ["If-None-Match: W/\(tag)"])
                #expect(again.status == 304, "\(name)")
                #expect(again.fields["etag"] == tag, "\(name)")
                let head = try await server.answer("/console/\(name)", method: "HEAD")
                #expect(head.status == 200, "\(name)")
                #expect(head.fields["content-length"] == "\(answer.body.count)", "\(name)")
            }
            let index = try await server.answer("/console/index.html")
            #expect(try await server.answer("/console/").body == index.body)
        }
    }

    @Test func theFilesThatTheIndexNamesMayBeKept() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let index = try await server.answer("/console/")
            let text = String(decoding: index.body, as: UTF8.self)
            let names = text.matches(of: /(?:href|src)="([^"]+)"/).map { String($0.output.1) }
            // Imported by `main.js`, and by another module.
            #expect(names.contains { $0.hasSuffix("/frame.js") })
            #expect(names.contains { $0.hasSuffix("/json-patch.js") })
            let keep = "public, max-age=31536000, immutable"
            for name in names {
                let answer = try await server.answer("/console/\(name)")
                #expect(answer.status == 200, "\(name)")
                #expect(answer.fields["cache-control"] == keep, "\(name)")
                let tag = try #require(answer.fields["etag"])
                let again = try await server.answer(
                    "/console/\(name)", fields: ["If-None-Match: \(tag)"])
                #expect(again.status == 304, "\(name)")
                #expect(again.fields["cache-control"] == keep, "\(name)")

                // The address of a server of another version, as during an update.
                let file = try #require(name.split(separator: "/").last)
                let other = try await server.answer("/console/other/\(file)")
                #expect(other.body == answer.body, "\(name)")
                #expect(other.fields["cache-control"] == "no-cache", "\(name)")
            }
            // Modules import each other by relative addresses, which have the same version.
            let version = try #require(names.first?.split(separator: "/").first)
            let module = try await server.answer("/console/\(version)/dom.js")
            #expect(module.fields["cache-control"] == keep)
            #expect(await server.status("/console/\(version)/nothing.js") == 404)
            #expect(await server.status("/console/\(version)/") == 404)
            #expect(await server.status("/console/\(version)/index.html") == 404)
        }
    }

    @Test func aFolderReplacesTheFilesAndIsReadForEachRequest() async throws {
        let folder = try TemporaryFolder()
        var options = ConfigServerOptions()
        options.consolePages = folder.url
        let index = "<script type=\"module\" src=\"main.js\"></script>"
        try Data(index.utf8).write(to: folder.url.appending(path: "index.html"))
        let inside = folder.url.appending(path: "sub")
        try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
        // The slash and the combining mark form one character.
        try Data().write(to: inside.appending(path: "\u{0301}x.js"))
        try await RunningServer.with(store: InMemoryTemplateStore(), options: options) { server in
            // Mutable files have no cacheable address.
            #expect(try await server.answer("/console/").body == Data(index.utf8))
            for text in ["1;", "2;"] {
                try Data(text.utf8).write(to: folder.url.appending(path: "main.js"))
                let file = try await server.answer("/console/main.js")
                #expect(file.body == Data(text.utf8))
                let versioned = try await server.answer("/console/any/main.js")
                #expect(versioned.body == Data(text.utf8))
                #expect(versioned.fields["cache-control"] == "no-cache")
            }
            for path in [
                "dom.js", "any/", "..%2Fmain.js", "any/..%2Fmain.js", ".%2Fmain.js",
                "sub%2F%CC%81x.js",
            ] {
                #expect(await server.status("/console/\(path)") == 404, "\(path)")
            }
        }
    }

    @Test func theServerRedirectsToTheConsole() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for (path, status) in [("/", 307), ("/console", 308)] {
                let answer = try await server.answer(path)
                #expect(answer.status == status, "\(path)")
                #expect(answer.fields["location"] == "/console/", "\(path)")
            }
        }
    }

    @Test func theConsoleHasNoOtherPathsOrMethods() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for path in [
                "nothing", "nothing.js", "INDEX.HTML", "..%2Findex.html", "a/b", "/", "session/",
                "index.html/", "%2E%2E",
            ] {
                #expect(await server.status("/console/\(path)") == 404, "\(path)")
            }
            #expect(await server.status("/console/", method: "POST") == 405)
            #expect(await server.status("/console/session", method: "PUT") == 405)
        }
    }

    @Test func eachConsoleResponseRestrictsTheConsoleInBrowsers() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let targets = [
                "/", "/console", "/console/", "/console/index.html", "/%63onsole/",
                "/console/nothing", "/console/a/b", "/console/session",
            ]
            for target in targets {
                for method in ["GET", "HEAD", "DELETE", "POST", "PUT"] {
                    let answer = try await server.answer(target, method: method)
                    let context = "\(method) \(target)"
                    let policy = answer.fields["content-security-policy"] ?? ""
                    let directives = policy.split(separator: ";").map {
                        $0.trimmingCharacters(in: .whitespaces)
                    }
                    for directive in [
                        "default-src 'none'", "script-src 'self'", "style-src 'self'",
                        "connect-src 'self'", "form-action 'self'", "base-uri 'none'",
                        "frame-ancestors 'none'", "require-trusted-types-for 'script'",
                    ] {
                        #expect(directives.contains(directive), "\(context)")
                    }
                    #expect(!policy.contains("unsafe"), "\(context)")
                    for (name, value) in [
                        "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
                        "cross-origin-opener-policy": "same-origin",
                        "cross-origin-resource-policy": "same-origin",
                    ] {
                        #expect(answer.fields[name] == value, "\(context)")
                    }
                    #expect(answer.fields["permissions-policy"] != nil, "\(context)")
                }
            }
        }
    }
}
