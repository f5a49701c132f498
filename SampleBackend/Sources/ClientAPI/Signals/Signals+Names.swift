import JSONTree
public import Targeting

extension Signals {
    /// Sets the signal of a name, as it stands in a query, a preview or on the command line.
    ///
    /// `app.version` and the other names of HTTP 1 are the standard signals; any other name is a
    /// custom one, with `signal.` before it or without.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - name: The name.
    /// - Throws: ``SignalError`` when a limit is exceeded.
    public mutating func setValue(_ value: String, named name: String) throws(SignalError) {
        guard !value.isLonger(than: Self.maximumValueLength) else {
            throw SignalError(
                name: name, reason: .tooLong, limit: Self.maximumValueLength)
        }
        if let signal = Self.standard[name] {
            self[keyPath: signal] = value
            return
        }
        let prefix = "signal."
        let customName =
            name.utf8.starts(with: prefix.utf8)
            ? String(Substring(name.utf8.dropFirst(prefix.utf8.count))) : name
        guard !customName.isEmpty else {
            throw SignalError(name: name, reason: .noName, limit: 0)
        }
        guard !customName.isLonger(than: Self.maximumNameLength) else {
            throw SignalError(
                name: name, reason: .nameTooLong, limit: Self.maximumNameLength)
        }
        custom[ExactText(customName)] = value
        guard custom.count <= Self.maximumCustomCount else {
            throw SignalError(name: name, reason: .tooMany, limit: Self.maximumCustomCount)
        }
    }

    /// The signals by their names in a query, sorted; ``setValue(_:named:)`` reads them back.
    var namedValues: [(name: String, value: String)] {
        let standard = Self.standard.compactMap { name, signal in
            self[keyPath: signal].map { (name: name, value: $0) }
        }
        return (standard + custom.map { (name: "signal.\($0)", value: $1) })
            .sorted { $0.name < $1.name }
    }

    /// Whether a name is that of a standard signal.
    static func isStandard(_ name: String) -> Bool { standard[name] != nil }

    /// The signals with a name of their own.
    private static let standard: [String: any WritableKeyPath<Signals, String?> & Sendable] = [
        "app.id": \.appID,
        "app.version": \.appVersion,
        "app.build": \.appBuild,
        "device.os": \.deviceOS,
        "device.country": \.deviceCountry,
        "device.language": \.deviceLanguage,
    ]
}
