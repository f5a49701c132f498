/// Unicode's general categories as sets of scalars, for `\p{…}`.
enum UnicodeCategory {
    /// The scalars of a category such as `Lu`, of a group such as `L`, or of all by `Any`; nil for
    /// an unknown category.
    static func set(named name: String) -> ScalarSet? {
        sets[name]
    }

    /// Sets by name, created on first use.
    private static let sets: [String: ScalarSet] = {
        var ranges: [String: [ClosedRange<UInt32>]] = ["Cs": [0xD800...0xDFFF]]
        var current = ""
        var start: UInt32 = 0
        func end(at scalar: UInt32) {
            if !current.isEmpty { ranges[current, default: []].append(start...(scalar - 1)) }
            start = scalar
        }
        for value in 0...ScalarSet.maximum {
            let category = Unicode.Scalar(value).map { name(of: $0.properties.generalCategory) }
            guard category != current else { continue }
            end(at: value)
            current = category ?? ""
        }
        end(at: ScalarSet.maximum + 1)
        // RE2 has no Cn, so unassigned scalars are in no category.
        var sets = ["Any": ScalarSet.all]
        for (name, ranges) in ranges where !name.isEmpty { sets[name] = ScalarSet(ranges) }
        for letter in ["L", "M", "N", "P", "S", "Z", "C"] {
            sets[letter] = ScalarSet(
                ranges.filter { $0.key.utf8.first == letter.utf8.first }.flatMap(\.value))
        }
        return sets
    }()

    /// The name of a category; empty for unassigned scalars.
    private static func name(of category: Unicode.GeneralCategory) -> String {
        switch category {
        case .uppercaseLetter: "Lu"
        case .lowercaseLetter: "Ll"
        case .titlecaseLetter: "Lt"
        case .modifierLetter: "Lm"
        case .otherLetter: "Lo"
        case .nonspacingMark: "Mn"
        case .spacingMark: "Mc"
        case .enclosingMark: "Me"
        case .decimalNumber: "Nd"
        case .letterNumber: "Nl"
        case .otherNumber: "No"
        case .connectorPunctuation: "Pc"
        case .dashPunctuation: "Pd"
        case .openPunctuation: "Ps"
        case .closePunctuation: "Pe"
        case .initialPunctuation: "Pi"
        case .finalPunctuation: "Pf"
        case .otherPunctuation: "Po"
        case .mathSymbol: "Sm"
        case .currencySymbol: "Sc"
        case .modifierSymbol: "Sk"
        case .otherSymbol: "So"
        case .spaceSeparator: "Zs"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        case .control: "Cc"
        case .format: "Cf"
        case .surrogate: "Cs"
        case .privateUse: "Co"
        case .unassigned: ""
        @unknown default: ""
        }
    }
}
