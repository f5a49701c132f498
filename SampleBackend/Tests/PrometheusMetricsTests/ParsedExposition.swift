/// A text exposition read back: its types, help texts and values.
///
/// The reader is strict: what the format does not allow is an error that names the line.
struct ParsedExposition {
    /// A line that the format does not allow.
    struct Problem: Error, CustomStringConvertible {
        /// What is wrong, and the line.
        let description: String
    }

    /// A series: a name and its labels.
    struct Series: Hashable {
        /// The name.
        let name: String

        /// The labels, their values as they were before escaping.
        let labels: [String: String]
    }

    /// The type of each family.
    private(set) var types: [String: String] = [:]

    /// The help text of each family that has one, as it is written.
    private(set) var help: [String: String] = [:]

    /// The value of each series.
    private(set) var values: [Series: Double] = [:]

    /// Reads a text.
    init(_ text: String) throws {
        guard text.isEmpty || text.hasSuffix("\n") else {
            throw Problem(description: "The last line has no end.")
        }
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# ") { try readHead(line) } else { try readSample(line) }
        }
    }

    /// The value of a series.
    subscript(name: String, labels: [String: String] = [:]) -> Double? {
        values[Series(name: name, labels: labels)]
    }

    /// Reads a line that begins with `#`.
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

    /// Reads a line with a value.
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

    /// Whether a text is the name of a label: `[a-zA-Z_][a-zA-Z0-9_]*`.
    ///
    /// Not by `Regex`, which many tasks at once have made crash on Linux.
    private static func isLabelName(_ text: String) -> Bool {
        text.first.map { !$0.isNumber } ?? false
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    /// Reads one label and the comma after it.
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
