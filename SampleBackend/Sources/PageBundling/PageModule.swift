import Foundation

/// An ES module in the form that ``PageBundle`` accepts.
///
/// The form is a subset of ECMAScript: named imports, exports on the declaration, dynamic imports with
/// a literal address, and comments on lines of their own.
struct PageModule {
    struct Import {
        /// The list between the braces.
        let names: String
        /// The path of the imported module, relative to the root of the pages.
        let path: String
    }

    /// The path relative to the root of the pages, such as `history/page.js`.
    let path: String
    let imports: [Import]
    /// The names that the module exports, sorted.
    let exports: [String]
    /// The paths of modules that load on demand.
    let dynamicImports: [String]
    /// The code without imports, export keywords and comments.
    let body: String

    /// The constant that holds the exports of a module inside of a bundle.
    static func constant(of path: String) -> String {
        "$" + path.replacing(/\.js$/, with: "").replacing(/[^A-Za-z0-9]/, with: "_")
    }

    /// Parses a module.
    ///
    /// - Throws: ``PageBundleError`` for an import or export in another form.
    init(path: String, text: String) throws(PageBundleError) {
        self.path = path
        var imports: [Import] = []
        var exports: [String] = []
        var code = Self.withoutComments(text)
        for match in code.matches(of: /(?m)^import \{([^}]*)\}\s+from '([^']+)';\n/) {
            imports.append(
                Import(
                    names: match.1.split(whereSeparator: \.isWhitespace).joined(separator: " "),
                    path: try Self.resolve(String(match.2), from: path)))
        }
        code.replace(/(?m)^import \{[^}]*\}\s+from '[^']+';\n/, with: "")
        for match in code.matches(
            of: /(?m)^export (?:async function\*?|function\*?|class|const) ([A-Za-z0-9_$]+)/)
        {
            exports.append(String(match.1))
        }
        code.replace(
            /(?m)^export (async function\*?|function\*?|class|const) ([A-Za-z0-9_$]+)/
        ) { "\($0.1) \($0.2)" }
        if let match = code.firstMatch(of: /(?m)^(import|export)\b(?!\().*$/) {
            throw PageBundleError(
                "\(path): \"\(match.0)\" cannot be bundled: write import {a, b} from './c.js'; or "
                    + "export before a function, class or const.")
        }
        var dynamicImports: [String] = []
        for match in code.matches(of: /\bimport\('([^']+)'\)/) {
            dynamicImports.append(try Self.resolve(String(match.1), from: path))
        }
        self.imports = imports
        self.exports = exports.sorted()
        self.dynamicImports = dynamicImports
        body = code
    }

    /// The text without lines that are comments only.
    private static func withoutComments(_ text: String) -> String {
        var lines: [Substring] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let start = line.drop { $0 == " " }
            if !isInside, start.hasPrefix("//") { continue }
            if isInside || start.hasPrefix("/*") {
                guard let end = line.range(of: "*/") else {
                    isInside = true
                    continue
                }
                isInside = false
                let rest = line[end.upperBound...]
                if rest.allSatisfy({ $0 == " " }) { continue }
                lines.append(rest)
                continue
            }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }

    /// The path of a module that another one imports as `./a.js` or `../folder/a.js`.
    private static func resolve(
        _ address: String, from path: String
    ) throws(PageBundleError) -> String {
        var folders = path.split(separator: "/").dropLast()
        for part in address.split(separator: "/") {
            switch part {
            case ".": continue
            case "..":
                guard folders.popLast() != nil else {
                    throw PageBundleError("\(path): '\(address)' is outside of the pages.")
                }
            default: folders.append(part)
            }
        }
        return folders.joined(separator: "/")
    }

    /// The body with dynamic imports that load these chunks.
    func body(loading chunk: (String) -> String) -> String {
        var next = 0
        return body.replacing(/\bimport\('[^']+'\)/) { _ in
            let path = dynamicImports[next]
            next += 1
            return "import('./\(chunk(path))').then((chunk) => chunk.\(Self.constant(of: path)))"
        }
    }
}
