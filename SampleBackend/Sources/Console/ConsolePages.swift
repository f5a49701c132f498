package import Foundation
import HTTPTypes
import JSONTree
import NIOCore
import Rendering

/// The files of the console: those embedded in the program, or those of a folder.
package struct ConsolePages: Sendable {
    struct Page: Sendable {
        let content: ByteBuffer
        let entityTag: EntityTag
        let contentType: String
    }

    /// The file for the empty name.
    static let indexName = "index.html"

    package static let builtIn = ConsolePages(files: files)

    private let pages: [String: Page]

    /// Replaces `pages`.
    private let folder: URL?

    /// Decodes files from Base64, by name.
    init(files: [String: String]) {
        var pages: [String: Page] = [:]
        for (name, text) in files {
            let content = ByteBuffer(bytes: Data(base64Encoded: text) ?? Data())
            pages[name] = Page(
                content: content, entityTag: EntityTag(ofContent: content),
                contentType: Self.contentType(of: name))
        }
        self.pages = pages
        folder = nil
    }

    /// Reads the files of a folder anew for each request, so that a change needs no build.
    package init(folder: URL) {
        pages = [:]
        self.folder = folder
    }

    /// Sorted.
    var names: [String] { pages.keys.sorted() }

    subscript(name: String) -> Page? {
        guard name.hasBoundedMarks else { return nil }
        guard let folder else { return pages[name] }
        // One file name, as the embedded files have: nothing outside of the folder.
        guard !name.contains("/"), !name.hasPrefix("."),
            let data = try? Data(contentsOf: folder.appending(path: name))
        else { return nil }
        let content = ByteBuffer(bytes: data)
        return Page(
            content: content, entityTag: EntityTag(ofContent: content),
            contentType: Self.contentType(of: name))
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
