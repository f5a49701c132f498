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
    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
        "txt": "text/plain; charset=utf-8",
    ]

    /// The addresses below `/console/` that the index names.
    private func names(in index: HTTPAnswer) -> [String] {
        String(decoding: index.body, as: UTF8.self)
            .matches(of: /(?:href|src)="([^"]+)"/).map { String($0.output.1) }
    }

    @Test func theIndexNamesFewFilesWhichMayBeKept() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let index = try await server.answer("/console/")
            #expect(try await server.answer("/console/index.html").body == index.body)
            #expect(index.fields["cache-control"] == "no-cache")
            let names = names(in: index)
            let version = try #require(names.first?.split(separator: "/").first)
            #expect(
                names.sorted() == ["icon.svg", "main.js", "style.css"].map { "\(version)/\($0)" })
            for name in names {
                let answer = try await server.answer("/console/\(name)")
                #expect(answer.status == 200, "\(name)")
                #expect(answer.fields["cache-control"] == "public, max-age=31536000, immutable")
                let file = try #require(name.split(separator: "/").last)
                let type = Self.types[URL(filePath: String(file)).pathExtension]
                #expect(answer.fields["content-type"] == type, "\(name)")
                let tag = try #require(answer.fields["etag"])
                let again = try await server.answer(
                    "/console/\(name)", fields: ["If-None-Match: W/\(tag)"])
                #expect(again.status == 304, "\(name)")
                #expect(again.fields["etag"] == tag, "\(name)")
                #expect(again.fields["cache-control"] == answer.fields["cache-control"])
                let head = try await server.answer("/console/\(name)", method: "HEAD")
                #expect(head.fields["content-length"] == "\(answer.body.count)", "\(name)")

                // The address of a server of another version, as during an update.
                let other = try await server.answer("/console/other/\(file)")
                #expect(other.body == answer.body, "\(name)")
                #expect(other.fields["cache-control"] == "no-cache", "\(name)")
            }
            #expect(await server.status("/console/\(version)/nothing.js") == 404)
            #expect(await server.status("/console/\(version)/") == 404)
            #expect(await server.status("/console/\(version)/index.html") == 404)
        }
    }

    @Test func filesThatModulesReadAreEmbedded() async throws {
        // Also the sample, a link.
        let pages = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Console/Pages").standardized
        let names = try FileManager.default.contentsOfDirectory(atPath: pages.path).filter {
            !$0.hasPrefix(".") && ["json", "svg", "txt"].contains(URL(filePath: $0).pathExtension)
        }
        #expect(names.contains("sample-template.json"))
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for name in names {
                let answer = try await server.answer("/console/\(name)")
                #expect(answer.status == 200, "\(name)")
                let content = try Data(contentsOf: pages.appending(path: name))
                let isSame = Data(answer.body) == content
                #expect(isSame, "\(name)")
            }
        }
    }

    @Test func modulesThatLoadOnDemandComeOnlyFromTheSameVersion() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let index = try await server.answer("/console/")
            let version = try #require(names(in: index).first?.split(separator: "/").first)
            let main = try await server.answer("/console/\(version)/main.js")
            let code = String(decoding: main.body, as: UTF8.self)
            let modules = Set(
                code.matches(of: /import\('\.\/([^']+)'\)/).map { String($0.output.1) })
            #expect(modules.contains("history-page.js"))
            for name in modules where name != "main.js" {
                let module = try await server.answer("/console/\(version)/\(name)")
                #expect(module.status == 200, "\(name)")
                #expect(module.fields["content-type"] == Self.types["js"], "\(name)")
                #expect(await server.status("/console/other/\(name)") == 404, "\(name)")
            }
        }
    }

    @Test(arguments: [
        ("gzip", true), ("br, GZIP;q=0.5", true), ("*", true), ("deflate, *;q=0.1", true),
        ("gzip;q=0", false), ("gzip;q=0.0, *", false), ("*;q=0", false), ("br", false), ("", false),
        ("gzip ; Q=0.000", false), ("gzip;q=0.001", true), ("gzip;level=0", true),
        ("x-gzip, gzip\t;a=1; q=1.0", true), ("gzip;q=0, gzip", true), (";,gzip;;q=0", false),
        // Reading a long field must not take long, so none is read.
        ("gzip, " + String(repeating: "a;", count: 1_000), false),
        ("gzip" + String(repeating: ";a", count: 60_000), false),
    ])
    func filesAreCompressedForBrowsersThatAcceptIt(accepted: String, isCompressed: Bool)
        async throws
    {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let plain = try await server.answer("/console/main.js")
            #expect(plain.fields["content-encoding"] == nil)
            #expect(plain.fields["vary"] == "Accept-Encoding")
            let answer = try await server.answer(
                "/console/main.js", fields: ["Accept-Encoding: \(accepted)"])
            #expect(answer.fields["content-encoding"] == (isCompressed ? "gzip" : nil))
            #expect(answer.fields["vary"] == "Accept-Encoding")
            #expect((answer.fields["etag"] != plain.fields["etag"]) == isCompressed)
            #expect((answer.body != plain.body) == isCompressed)
            if isCompressed {
                #expect(answer.body.prefix(2) == Data([0x1f, 0x8b]))
                #expect(answer.body.count < plain.body.count / 2)
                let tag = try #require(answer.fields["etag"])
                let again = try await server.answer(
                    "/console/main.js", fields: ["Accept-Encoding: gzip", "If-None-Match: \(tag)"])
                #expect(again.status == 304)
            }
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
        try Data("3;".utf8).write(to: inside.appending(path: "page.js"))
        try await RunningServer.with(store: InMemoryTemplateStore(), options: options) { server in
            // Mutable files have no cacheable address.
            #expect(try await server.answer("/console/").body == Data(index.utf8))
            for text in ["1;", "2;"] {
                try Data(text.utf8).write(to: folder.url.appending(path: "main.js"))
                let file = try await server.answer("/console/main.js")
                #expect(file.body == Data(text.utf8))
            }
            let nested = try await server.answer("/console/sub/page.js")
            #expect(nested.body == Data("3;".utf8))
            #expect(nested.fields["cache-control"] == "no-cache")
            for path in [
                "dom.js", "any/", "any/main.js", "..%2Fmain.js", "sub/..%2Fmain.js", ".%2Fmain.js",
                "sub%2F%CC%81x.js", "sub/..%2F..%2Fmain.js", "sub", "sub/",
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
