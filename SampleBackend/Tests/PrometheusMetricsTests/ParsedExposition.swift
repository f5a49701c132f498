/// Parsed text exposition: types, help texts and values.
///
/// The parser is strict: a line that the format does not allow is an error that names the line.
struct ParsedExposition {
    /// Violation of the format.
    struct Problem: Error, CustomStringConvertible {
        /// Violation, with the line.
        let description: String
    }

    /// Name and labels of a time series.
    struct Series: Hashable {
        let name: String

        /// Label values without their escapes.
        let labels: [String: String]
    }

    /// Type of each family.
    private(set) var types: [String: String] = [:]

    /// Help text of each family that has one, with its escapes.
    private(set) var help: [String: String] = [:]

    /// Value of each series.
    private(set) var values: [Series: Double] = [:]

    /// Parses a text.
    init(_ text: String) throws {
        guard text.isEmpty || text.hasSuffix("\n") else {
            throw Problem(description: "The last line has no end.")
        }
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# ") { try readHead(line) } else { try readSample(line) }
        }
    }

    subscript(name: String, labels: [String: String] = [:]) -> Double? {
        values[Series(name: name, labels: labels)]
    }

    /// Parses a line that begins with `#`.
    private mutating func readHead(_ line: Substring) throws {
        let parts = line.split(separator: " ", maxSplits: 3)
        guard parts.count == 4 else { throw Problem(description: "Short head: \(line)") }
        let name = String(parts[2])
        switch parts[1] {
        case "HELP" where help[name] == nil && types[name] == nil:
            help[name] = String(parts[3])
        case "TYPE" where types[name] == nil: types[name] = String(parts[3])
        default: throw Problem(description: "Unknown, late or repeated head: \(line)")
        }
    }

    /// Parses a line with a value.
    private mutating func readSample(_ line: Substring) throws {
        var rest = line
        let name = String(rest.prefix { $0 != "{" && $0 != " " })
        rest = rest.dropFirst(name.count)
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest = rest.dropFirst()
            while rest.first != "}" { try readLabel(&rest, into: &labels, line) }
            rest = rest.dropFirst()
        }
        let names =
            [name]
            + ["_bucket", "_sum", "_count"].filter(name.hasSuffix).map {
                String(name.dropLast($0.count))
            }
        guard names.contains(where: { types[$0] != nil }) else {
            throw Problem(description: "No type before: \(line)")
        }
        guard Self.isLabelName(name.replacing(":", with: "_")), rest.first == " ",
            let value = Double(rest.dropFirst())
        else { throw Problem(description: "Not a sample: \(line)") }
        guard values.updateValue(value, forKey: Series(name: name, labels: labels)) == nil else {
            throw Problem(description: "Written twice: \(line)")
        }
    }

    /// True if a text is a valid label name: `[a-zA-Z_][a-zA-Z0-9_]*`.
    ///
    /// Does not use `Regex`, which has crashed on Linux under many concurrent tasks.
    private static func isLabelName(_ text: String) -> Bool {
        text.first.map { !$0.isNumber } ?? false
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    /// Parses one label and the comma after it.
    private func readLabel(
        _ rest: inout Substring, into labels: inout [String: String], _ line: Substring
    ) throws {
        let name = String(rest.prefix { $0 != "=" })
        rest = rest.dropFirst(name.count)
        guard Self.isLabelName(name), rest.hasPrefix("=\"") else {
            throw Problem(description: "Not a label: \(line)")
        }
        rest = rest.dropFirst(2)
        var value = ""
        while let character = rest.popFirst(), character != "\"" {
            guard character == "\\" else {
                value.append(character)
                continue
            }
            switch rest.popFirst() {
            case "n": value.append("\n")
            case "\\": value.append("\\")
            case "\"": value.append("\"")
            default: throw Problem(description: "Unknown escape: \(line)")
            }
        }
        if rest.first == "," { rest = rest.dropFirst() }
        guard labels.updateValue(value, forKey: name) == nil else {
            throw Problem(description: "A label twice: \(line)")
        }
    }
}
