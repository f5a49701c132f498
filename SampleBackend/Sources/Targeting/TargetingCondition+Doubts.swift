import Foundation
public import JSONTree

/// A rule that is valid but that probably no client satisfies.
public struct ConditionDoubt: Sendable, Hashable {
    /// The text of the rule, such as `device.os == 'iOS'`.
    public let rule: String

    /// The reason, a sentence.
    public let message: String

    /// The value or the name that was probably meant, if there is one.
    public let likely: String?
}

/// The signals that clients send, for ``TargetingCondition/doubts(knowing:atMost:)``.
public struct KnownSignals: Sendable {
    fileprivate let names: Set<ExactText>
    fileprivate let values: [ExactText: Set<ExactText>]
    fileprivate let apps: Set<ExactText>

    /// The names of custom signals without prefix, sorted, with the letters to compare them by.
    fileprivate let custom: [(name: String, letters: [UInt8])]

    /// Creates a list of signals.
    ///
    /// - Parameters:
    ///   - names: The query names; empty when the sent signals are not known.
    ///   - values: Values that clients send, by name.
    ///   - apps: The identifiers of all apps; empty when some may be unknown.
    public init(
        names: Set<ExactText> = [], values: [ExactText: Set<ExactText>] = [:],
        apps: Set<ExactText> = []
    ) {
        self.names = names
        self.values = values
        self.apps = apps
        custom = names.map(\.text).filter { $0.hasPrefix("signal.") }.map {
            String($0.dropFirst(7))
        }.sorted()
            .map { ($0, KnownSpellings.letters(of: $0)) }
    }

    /// A sent custom signal with a similar name.
    fileprivate func name(similarTo name: String) -> String? {
        let letters = KnownSpellings.letters(of: name)
        return custom.first { KnownSpellings.areSimilar($0.letters, letters) }?.name
    }
}

extension TargetingCondition {
    /// The text of the condition.
    package var text: String { root.text }

    /// Returns the rules that probably no client satisfies: misspelt systems, countries and
    /// languages, and custom signals that no client sends.
    ///
    /// - Parameters:
    ///   - signals: The signals that clients send.
    ///   - limit: Maximum number of doubts.
    /// - Returns: The doubts, in the order of the rules.
    public func doubts(
        knowing signals: KnownSignals = KnownSignals(), atMost limit: Int = .max
    ) -> [ConditionDoubt] {
        var doubts: [ConditionDoubt] = []
        root.forEachRule { rule in
            guard doubts.count < limit, let doubt = rule.doubt(knowing: signals) else { return }
            doubts.append(doubt)
        }
        return doubts
    }
}

extension TargetingCondition {
    /// Remarks on the time zones without a place, such as `BST`, whose meaning varies: it is the
    /// time of Bangladesh here, and the summer time of London to many readers.
    public var zoneRemarks: [String] {
        var remarks: [String] = []
        root.forEachRule { rule in
            guard case .date(_, let date, let name?) = rule.test,
                !name.utf8.contains(UInt8(ascii: "/")), !["UTC", "GMT"].contains(name),
                let zone = TimeZone(identifier: name)
            else { return }
            let hasSummerTime = zone.nextDaylightSavingTimeTransition(after: date) != nil
            remarks.append(
                "the time zone '\(name)' is \(zone.offsetText(at: date)) here"
                    + (hasSummerTime ? "" : ", without summer time")
                    + "; write one with a place, such as 'Europe/London'")
        }
        return remarks
    }
}

extension TimeZone {
    /// The offset from UTC at a time, such as `UTC+05:30`.
    fileprivate func offsetText(at date: Date) -> String {
        let minutes = secondsFromGMT(for: date) / 60
        let (hours, rest) = abs(minutes).quotientAndRemainder(dividingBy: 60)
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "UTC\(minutes < 0 ? "-" : "+")\(digits(hours)):\(digits(rest))"
    }
}

extension Rule {
    fileprivate func doubt(knowing signals: KnownSignals) -> ConditionDoubt? {
        switch test {
        case .isOneOf(.signal(let signal), let texts, isTrimmed: _):
            return doubt(about: texts, of: signal, knowing: signals)
                ?? doubt(about: signal, knowing: signals)
        case .isInLanguages(.signal(let signal), _, let texts):
            return doubt(about: texts, of: signal, knowing: signals)
        case .contains(.signal(let signal), _), .matches(.signal(let signal), _),
            .number(.signal(let signal), _, _), .version(.signal(let signal), _, _):
            return doubt(about: signal, knowing: signals)
        default: return nil
        }
    }

    private func doubt(
        about texts: [String], of signal: SignalName, knowing signals: KnownSignals
    ) -> ConditionDoubt? {
        let sent = signals.values[ExactText(signal.queryName)] ?? []
        if signal == .appID { return doubt(aboutApps: texts, knowing: signals, sent) }
        for text in texts where !sent.contains(name: text) {
            let likely: String?
            switch signal {
            case .deviceOS: likely = KnownSpellings.system(likeliestFor: text)
            case .deviceCountry: likely = KnownSpellings.country(likeliestFor: text)
            case .deviceLanguage: likely = KnownSpellings.language(likeliestFor: text)
            default: return nil
            }
            guard let likely, !likely.hasSameBytes(as: text), !isSameTag(likely, text) else {
                continue
            }
            return ConditionDoubt(
                rule: self.text,
                message: "Clients send \(signal.queryName) as '\(likely)', not as '\(text)'.",
                likely: likely)
        }
        return nil
    }

    /// A doubt when none of the apps is known, though some are.
    private func doubt(
        aboutApps texts: [String], knowing signals: KnownSignals, _ sent: Set<ExactText>
    ) -> ConditionDoubt? {
        guard !isNegated, !signals.apps.isEmpty, let first = texts.first,
            !texts.contains(where: { signals.apps.contains(name: $0) || sent.contains(name: $0) })
        else { return nil }
        return ConditionDoubt(
            rule: text, message: "No app of the project has identified itself as '\(first)'.",
            likely: nil)
    }

    /// True when the rule takes two spellings of a language for one.
    private func isSameTag(_ left: String, _ right: String) -> Bool {
        guard case .isInLanguages = test else { return false }
        return LanguageRange(left) == LanguageRange(right)
    }

    private func doubt(about signal: SignalName, knowing signals: KnownSignals) -> ConditionDoubt? {
        guard case .custom(let name) = signal, !signals.names.isEmpty,
            !signals.names.contains(name: signal.queryName)
        else { return nil }
        let likely = signals.name(similarTo: name.text)
        return ConditionDoubt(
            rule: text,
            message: "No client has recently sent the signal '\(name.text)'"
                + (likely.map { "; many send '\($0)'." } ?? "."),
            likely: likely)
    }
}

/// The spellings of values that clients send.
private enum KnownSpellings {
    private static let systems = [
        "ios", "ipados", "macos", "tvos", "watchos", "visionos", "android", "linux", "windows",
        "web",
    ]

    private static let systemNames = [
        "iphone": "ios", "iphoneos": "ios", "iphone os": "ios", "ipad": "ios", "osx": "macos",
        "os x": "macos", "mac": "macos", "mac os": "macos", "win": "windows",
    ]

    /// Codes by the lowercase English name, and by the lowercase code.
    private static let countries = codes(
        Locale.Region.isoRegions.map(\.identifier).filter { $0.utf8.count == 2 },
        more: ["uk": "GB", "usa": "US", "united states of america": "US", "america": "US"]
    ) { Locale(identifier: "en").localizedString(forRegionCode: $0) }

    private static let languages = codes(
        Locale.LanguageCode.isoLanguageCodes.map(\.identifier).filter { $0.utf8.count == 2 },
        more: [:]
    ) { Locale(identifier: "en").localizedString(forLanguageCode: $0) }

    private static func codes(
        _ codes: [String], more: [String: String], name: (String) -> String?
    ) -> [String: String] {
        var table = more
        for code in codes {
            table[code.lowercased()] = code
            if let name = name(code) { table[name.lowercased()] = code }
        }
        return table
    }

    static func system(likeliestFor text: String) -> String? {
        let lowercase = text.lowercased()
        return systems.contains(lowercase) ? lowercase : systemNames[lowercase]
    }

    static func country(likeliestFor text: String) -> String? { countries[text.lowercased()] }

    /// Chinese by region; Apple's devices send the script before the region.
    private static let chinese = [
        "zh-cn": "zh-Hans", "zh-sg": "zh-Hans", "zh-my": "zh-Hans", "zh-tw": "zh-Hant",
        "zh-hk": "zh-Hant-HK", "zh-mo": "zh-Hant-MO",
    ]

    /// A language may have a region or a script, as in `pt-BR`.
    static func language(likeliestFor text: String) -> String? {
        if let tag = chinese[text.replacing("_", with: "-").lowercased()] { return tag }
        if let code = languages[text.lowercased()] { return code }
        let parts = text.replacing("_", with: "-").split(separator: "-").map { String($0) }
        guard parts.count > 1, let code = languages[parts[0].lowercased()] else { return nil }
        let rest = parts.dropFirst().map { $0.utf8.count == 2 ? $0.uppercased() : $0 }
        return ([code] + rest).joined(separator: "-")
    }

    /// The bytes to compare a name by, without case and separators.
    static func letters(of name: String) -> [UInt8] {
        name.lowercased().utf8.filter { $0 > 0x7F || ($0 >= 0x30 && $0 != 0x5F) }
    }

    /// True when the letters of two names differ in at most one byte.
    static func areSimilar(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        if left == right { return true }
        let (short, long) = left.count < right.count ? (left, right) : (right, left)
        guard short.count >= 3, long.count - short.count <= 1 else { return false }
        let start = zip(short, long).prefix { $0 == $1 }.count
        let end = zip(short.reversed(), long.reversed()).prefix { $0 == $1 }.count
        return start + end >= long.count - 1
    }
}
