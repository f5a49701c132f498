package import Foundation
import HTTPTypes
import JSONTree
import NIOCore
import Rendering

/// The files of the console, either embedded in the program or in a folder.
package struct ConsolePages: Sendable {
    struct Page: Sendable {
        let content: ByteBuffer
        let entityTag: EntityTag
        let contentType: String
    }

    /// The file for the empty name.
    static let indexName = "index.html"

    package static let builtIn = ConsolePages(files: EmbeddedFiles.files)

    private let pages: [String: Page]

    /// The hash of all files; nil for those in a folder, which can change.
    let version: String?

    /// The folder that replaces `pages`, if any.
    private let folder: URL?

    /// Creates pages from files by name.
    ///
    /// Adds links to all modules to the index, and prefixes its relative addresses with the version
    /// as a folder.
    init(files: [String: Data]) {
        var pages: [String: Page] = [:]
        for (name, content) in files {
            pages[name] = Self.page(named: name, content: ByteBuffer(bytes: content))
        }
        let version = Self.version(of: pages)
        if let index = pages[Self.indexName] {
            let links = Self.modules(of: pages)
                .map { "<link rel=\"modulepreload\" href=\"\($0)\">\n" }.joined()
            var text = String(buffer: index.content)
                .replacing("<script ", with: "\(links)<script ")
            for attribute in ["href", "src"] {
                text = text.replacing("\(attribute)=\"", with: "\(attribute)=\"\(version)/")
            }
            pages[Self.indexName] = Self.page(
                named: Self.indexName, content: ByteBuffer(string: text))
        }
        self.pages = pages
        self.version = version
        folder = nil
    }

    /// Reads the files in a folder again for each request, so that changes need no build.
    package init(folder: URL) {
        pages = [:]
        version = nil
        self.folder = folder
    }

    subscript(name: String) -> Page? {
        guard name.hasBoundedMarks else { return nil }
        guard let folder else { return pages[name] }
        // A single file name, as the embedded files have: no access outside the folder.
        guard !name.utf8.contains(UInt8(ascii: "/")), !name.hasPrefix("."),
            let data = try? Data(contentsOf: folder.appending(path: name))
        else { return nil }
        return Self.page(named: name, content: ByteBuffer(bytes: data))
    }

    private static func version(of pages: [String: Page]) -> String {
        var list = ByteBuffer()
        for (name, page) in pages.sorted(by: { $0.key < $1.key }) {
            list.writeString("\(name) \(page.entityTag.opaqueTag)\n")
        }
        return EntityTag(ofContent: list).opaqueTag
    }

    /// The names of `main.js` and the modules that it imports, directly or not, sorted.
    ///
    /// A browser that knows them requests all at once instead of level by level.
    private static func modules(of pages: [String: Page]) -> [String] {
        var found: Set = ["main.js"]
        var open = ["main.js"]
        while let name = open.popLast() {
            let text = pages[name].map { String(buffer: $0.content) } ?? ""
            for match in text.matches(of: /from '\.\/([^']+)'/)
            where found.insert(String(match.1)).inserted {
                open.append(String(match.1))
            }
        }
        return found.sorted()
    }

    private static func page(named name: String, content: ByteBuffer) -> Page {
        Page(
            content: content, entityTag: EntityTag(ofContent: content),
            contentType: contentType(of: name))
    }

    /// The content type by file extension.
    private static func contentType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "json": "application/json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "txt": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}
