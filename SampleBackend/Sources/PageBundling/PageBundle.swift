package import Foundation

/// Pages that cannot be bundled, as a sentence with the path of the file.
package struct PageBundleError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Joins the modules and style sheets of pages, so that a browser loads them with few requests.
///
/// Each module becomes a function whose result is its exports. The modules that `main.js` imports are
/// one file, `main.js`; each module that loads on demand is one, named after it, with the modules that
/// only it imports; modules of several of these are `shared.js`. The style sheets of `index.html` are
/// `style.css`. Other files stay as they are.
package struct PageBundle {
    private static let index = "index.html"
    private static let main = "main.js"
    private static let shared = "shared.js"
    private static let style = "style.css"

    private let modules: [String: PageModule]
    /// The paths of all modules, each after those that it imports.
    private let order: [String]
    /// The name of the chunk of each module.
    private let chunks: [String: String]

    /// Bundles pages.
    ///
    /// - Parameter sources: The files by path relative to the root of the pages.
    /// - Returns: The files by name. All of them are in one folder.
    /// - Throws: ``PageBundleError`` for modules that cannot be bundled, missing modules, and cycles of
    ///   imports.
    package static func files(of sources: [String: Data]) throws(PageBundleError) -> [String: Data]
    {
        var modules: [String: PageModule] = [:]
        var files: [String: Data] = [:]
        for (path, content) in sources.sorted(by: { $0.key < $1.key }) {
            if path.hasSuffix(".js") {
                modules[path] = try PageModule(
                    path: path, text: String(decoding: content, as: UTF8.self))
            } else if !path.hasSuffix(".css"), path != index {
                let name = path.split(separator: "/").last.map(String.init) ?? path
                guard files.updateValue(content, forKey: name) == nil else {
                    throw PageBundleError("\(path): another folder has a file of this name.")
                }
            }
        }
        let bundle = try Self(modules: modules)
        for chunk in Set(bundle.chunks.values) {
            files[chunk] = Data(bundle.text(of: chunk).utf8)
        }
        let page = String(decoding: sources[index] ?? Data(), as: UTF8.self)
        let sheets = try sheets(of: page, in: sources)
        files[style] = Data(sheets.utf8)
        files[index] = Data(linked(page).utf8)
        return files
    }

    private init(modules: [String: PageModule]) throws(PageBundleError) {
        self.modules = modules
        let main = try Self.reach(of: Self.main, from: Self.index, in: modules)
        let entries = Set(modules.values.flatMap(\.dynamicImports)).subtracting(main).sorted()
        var order = main
        var chunks = Dictionary(uniqueKeysWithValues: main.map { ($0, Self.main) })
        var names: Set = [Self.main, Self.shared]
        for entry in entries {
            let name = entry.split(separator: "/").last.map(String.init) ?? entry
            guard names.insert(name).inserted else {
                throw PageBundleError(
                    "\(entry): another module on demand has this name. Rename it.")
            }
            let importer = modules.values.filter { $0.dynamicImports.contains(entry) }.map(\.path)
                .min()
            for path in try Self.reach(of: entry, from: importer ?? Self.index, in: modules) {
                switch chunks[path] {
                case nil:
                    chunks[path] = name
                    order.append(path)
                case Self.main: break
                default: chunks[path] = Self.shared
                }
            }
        }
        if let unused = modules.keys.filter({ chunks[$0] == nil }).min() {
            throw PageBundleError("\(unused): no module imports it. Remove it.")
        }
        self.order = order
        self.chunks = chunks
    }

    /// The paths of a module and of all that it imports, each after those that it imports itself.
    private static func reach(
        of path: String, from importer: String, in modules: [String: PageModule]
    ) throws(PageBundleError) -> [String] {
        var found: [String] = []
        var finished: Set<String> = []
        func visit(_ path: String, from importers: [String]) throws(PageBundleError) {
            if finished.contains(path) { return }
            if importers.contains(path) {
                throw PageBundleError(
                    "\((importers + [path]).joined(separator: " imports ")): break the cycle.")
            }
            guard let module = modules[path] else {
                throw PageBundleError(
                    "\(importers.last ?? importer): there is no module \(path).")
            }
            for next in module.imports {
                let names = next.names.split(separator: ",").compactMap {
                    $0.split(separator: " ").first.map(String.init)
                }
                try visit(next.path, from: importers + [path])
                let exports = modules[next.path]?.exports ?? []
                if let missing = names.first(where: { !exports.contains($0) }) {
                    throw PageBundleError("\(path): \(next.path) does not export \(missing).")
                }
            }
            finished.insert(path)
            found.append(path)
        }
        try visit(path, from: [])
        return found
    }

    /// The code of a chunk.
    private func text(of chunk: String) -> String {
        let members = order.filter { chunks[$0] == chunk }.compactMap { modules[$0] }
        var imported: [String: Set<String>] = [:]
        for path in members.flatMap({ $0.imports.map(\.path) }) {
            if let other = chunks[path], other != chunk {
                imported[other, default: []].insert(PageModule.constant(of: path))
            }
        }
        var lines = imported.sorted { $0.key < $1.key }.map { name, constants in
            "import {\(constants.sorted().joined(separator: ", "))} from './\(name)';"
        }
        for module in members {
            lines.append("const \(PageModule.constant(of: module.path)) = (() => {")
            for next in module.imports {
                let names = next.names.replacing(" as ", with: ": ")
                lines.append("const {\(names)} = \(PageModule.constant(of: next.path));")
            }
            lines.append(module.body { chunks[$0] ?? Self.main })
            lines.append("return {\(module.exports.joined(separator: ", "))};\n})();")
        }
        let exported = members.map(\.path).filter { isUsed($0, outside: chunk) }
            .map(PageModule.constant(of:)).sorted()
        lines.append("export {\(exported.joined(separator: ", "))};")
        return lines.joined(separator: "\n") + "\n"
    }

    private func isUsed(_ path: String, outside chunk: String) -> Bool {
        modules.values.contains { module in
            module.dynamicImports.contains(path)
                || (chunks[module.path] != chunk && module.imports.contains { $0.path == path })
        }
    }

    /// The text of all style sheets of the index, in its order.
    private static func sheets(
        of page: String, in sources: [String: Data]
    ) throws(PageBundleError) -> String {
        var text = ""
        var linked: Set<String> = []
        for match in page.matches(of: sheetLink) {
            guard let sheet = sources[String(match.1)] else {
                throw PageBundleError("\(index): there is no style sheet \(match.1).")
            }
            linked.insert(String(match.1))
            text += String(decoding: sheet, as: UTF8.self).replacing(/(?s)\/\*.*?\*\/\n?/, with: "")
        }
        let others = sources.keys.filter { $0.hasSuffix(".css") && !linked.contains($0) }
        if let unused = others.min() {
            throw PageBundleError("\(unused): \(index) does not link it. Link or remove it.")
        }
        return text
    }

    /// The index with one link in place of those to the style sheets.
    private static func linked(_ page: String) -> String {
        var isFirst = true
        return page.replacing(sheetLink) { _ in
            defer { isFirst = false }
            return isFirst ? "<link rel=\"stylesheet\" href=\"\(style)\">\n" : ""
        }
    }

    private static var sheetLink: Regex<(Substring, Substring)> {
        /<link rel="stylesheet" href="([^"]+)">\n/
    }
}
