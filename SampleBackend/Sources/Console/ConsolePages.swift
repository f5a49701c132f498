import Foundation
import HTTPTypes
import NIOCore
import Rendering

/// A type that has the files of the console, which are built into the program.
package struct ConsolePages: Sendable {
    /// A file.
    struct Page: Sendable {
        /// Its bytes.
        let content: ByteBuffer
        /// The tag of its bytes.
        let entityTag: EntityTag
        /// The value of `Content-Type`.
        let contentType: String
    }

    /// The file of the path that names none.
    static let indexName = "index.html"

    /// The files of this program.
    package static let builtIn = ConsolePages(files: files)

    /// The files by name.
    private let pages: [String: Page]

    /// Reads files.
    ///
    /// - Parameter files: The contents in Base64, by name.
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

    /// The names of the files, sorted.
    var names: [String] { pages.keys.sorted() }

    /// The file of a name, or nil when there is none.
    subscript(name: String) -> Page? { pages[name] }

    /// The type of a file, by what its name ends with.
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
