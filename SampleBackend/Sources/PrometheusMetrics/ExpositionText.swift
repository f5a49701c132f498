/// A type that writes the text exposition format 0.0.4.
struct ExpositionText: Sendable {
    /// What is written so far.
    private(set) var string = ""

    /// Writes a family; one without lines is left out.
    ///
    /// - Parameter family: The family, which is not written already.
    mutating func append(_ family: MetricFamily) {
        guard !family.samples.isEmpty else { return }
        if let help = family.help {
            string += "# HELP \(family.name) \(Self.escaped(help))\n"
        }
        string += "# TYPE \(family.name) \(family.type.rawValue)\n"
        for sample in family.samples {
            string += sample.name
            if !sample.labels.isEmpty { string += "{\(sample.labels)}" }
            string += " \(sample.value)\n"
        }
    }

    /// Writes a help text so that it stays on its line.
    private static func escaped(_ help: String) -> String {
        var text = ""
        for scalar in help.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
