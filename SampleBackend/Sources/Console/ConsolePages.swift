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

    /// The hash of all files; nil for those of a folder, which may change.
    let version: String?

    /// Replaces `pages`.
    private let folder: URL?

    /// Decodes files from Base64, by name.
    ///
    /// The addresses in the index, all of which are relative, get the version as a folder.
    init(files: [String: String]) {
        var contents = files.mapValues { ByteBuffer(bytes: Data(base64Encoded: $0) ?? Data()) }
        let version = Self.version(of: contents)
        if let index = contents[Self.indexName] {
            var text = String(buffer: index)
            for attribute in ["href", "src"] {
                text = text.replacing("\(attribute)=\"", with: "\(attribute)=\"\(version)/")
            }
            contents[Self.indexName] = ByteBuffer(string: text)
        }
        pages = Dictionary(
            uniqueKeysWithValues: contents.map { ($0, Self.page(named: $0, content: $1)) })
        self.version = version
        folder = nil
    }

    /// Reads the files of a folder anew for each request, so that a change needs no build.
    package init(folder: URL) {
        pages = [:]
        version = nil
        self.folder = folder
    }

    subscript(name: String) -> Page? {
        guard name.hasBoundedMarks else { return nil }
        guard let folder else { return pages[name] }
        // One file name, as the embedded files have: nothing outside of the folder.
        guard !name.contains("/"), !name.hasPrefix("."),
            let data = try? Data(contentsOf: folder.appending(path: name))
        else { return nil }
        return Self.page(named: name, content: ByteBuffer(bytes: data))
    }

    private static func version(of contents: [String: ByteBuffer]) -> String {
        var list = ByteBuffer()
        for (name, content) in contents.sorted(by: { $0.key < $1.key }) {
            list.writeString("\(name) \(EntityTag(ofContent: content).opaqueTag)\n")
        }
        return EntityTag(ofContent: list).opaqueTag
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
