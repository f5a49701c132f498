import Foundation
import HTTPTypes
import NIOCore
import Rendering

/// The files of the console, which are embedded in the program.
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
    }

    /// Sorted.
    var names: [String] { pages.keys.sorted() }

    subscript(name: String) -> Page? { pages[name] }

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
