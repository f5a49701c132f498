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

    /// The module that the index loads.
    static let mainName = "main.js"

    package static let builtIn = ConsolePages(
        files: EmbeddedFiles.files, compressedFiles: EmbeddedFiles.compressedFiles)

    private let pages: [String: Page]  // names: our own literals, in ASCII

    /// The pages that are shorter with gzip, compressed.
    private let compressedPages: [String: Page]  // names: our own literals, in ASCII

    /// The hash of all files; nil for those in a folder, which can change.
    let version: String?

    /// The folder that replaces `pages`, if any.
    private let folder: URL?

    /// Creates pages from files by name.
    ///
    /// The index must not be compressed: its relative addresses get the version as a folder.
    init(files: [String: Data], compressedFiles: [String: Data] = [:]) {
        var pages = Self.pages(files)
        let version = Self.version(of: pages)
        if let index = pages[Self.indexName] {
            var text = String(buffer: index.content)
            for attribute in ["href", "src"] {
                text = text.replacing("\(attribute)=\"", with: "\(attribute)=\"\(version)/")
            }
            pages[Self.indexName] = Self.page(
                named: Self.indexName, content: ByteBuffer(string: text))
        }
        self.pages = pages
        // names: our own literals, in ASCII
        compressedPages = Self.pages(compressedFiles.filter { $0.key != Self.indexName })
        self.version = version
        folder = nil
    }

    /// Reads the files in a folder again for each request, so that changes need no build.
    package init(folder: URL) {
        pages = [:]
        compressedPages = [:]
        version = nil
        self.folder = folder
    }

    /// The file of a name; `subfolder` is one of the folder that replaces the embedded files.
    subscript(name: String, subfolder subfolder: String?) -> Page? {
        guard name.hasBoundedMarks else { return nil }
        guard let folder else { return pages[name] }
        var file = folder
        for segment in [subfolder, name].compactMap({ $0 }) {
            // A name, so that no path leads out of the folder.
            guard segment.hasBoundedMarks, !segment.utf8.contains(UInt8(ascii: "/")),
                !segment.hasPrefix(".")
            else { return nil }
            file.append(path: segment)
        }
        guard let data = try? Data(contentsOf: file) else { return nil }
        return Self.page(named: name, content: ByteBuffer(bytes: data))
    }

    /// The compressed file of a name, if there is one.
    func compressed(_ name: String) -> Page? {
        compressedPages[name]
    }

    private static func version(of pages: [String: Page]) -> String {
        var list = ByteBuffer()
        for (name, page) in pages.sorted(by: { $0.key < $1.key }) {
            list.writeString("\(name) \(page.entityTag.opaqueTag)\n")
        }
        return EntityTag(ofContent: list).opaqueTag
    }

    private static func pages(_ files: [String: Data]) -> [String: Page] {
        Dictionary(
            uniqueKeysWithValues: files.map { name, content in
                (name, page(named: name, content: ByteBuffer(bytes: content)))
            })
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
