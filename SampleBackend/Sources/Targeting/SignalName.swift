public import JSONTree

/// The name of a signal, which a client sends to describe itself (PROTOCOL 1).
///
/// This type defines all names. In the query of a request, a name is `app.version` or another
/// standard name, or `signal.` and a custom name. Where only signals are expected (the attributes
/// of an OFREP context, the signals of a preview, `--signal` on the command line), custom names can
/// omit the prefix; see ``init(_:)``.
public enum SignalName: Sendable, Hashable {
    /// `app.id`
    case appID
    /// `app.version`
    case appVersion
    /// `app.build`
    case appBuild
    /// `device.os`
    case deviceOS
    /// `device.country`
    case deviceCountry
    /// `device.language`
    case deviceLanguage
    /// A custom signal, without the prefix.
    case custom(ExactText)

    /// All standard signals.
    public static let standard: [SignalName] = [
        .appID, .appVersion, .appBuild, .deviceOS, .deviceCountry, .deviceLanguage,
    ]

    /// The prefix of a custom signal's name.
    private static let customPrefix = "signal."

    /// The standard signal with a query name; nil for other names.
    private static func standard(named name: String) -> SignalName? {
        // By length, since most parameters of most requests come here.
        switch name.utf8.count {
        case 6 where name == "app.id": .appID
        case 9 where name == "app.build": .appBuild
        case 9 where name == "device.os": .deviceOS
        case 11 where name == "app.version": .appVersion
        case 14 where name == "device.country": .deviceCountry
        case 15 where name == "device.language": .deviceLanguage
        default: nil
        }
    }

    /// The name in the query of a request.
    public var queryName: String {
        switch self {
        case .appID: "app.id"
        case .appVersion: "app.version"
        case .appBuild: "app.build"
        case .deviceOS: "device.os"
        case .deviceCountry: "device.country"
        case .deviceLanguage: "device.language"
        case .custom(let name): Self.customPrefix + name.text
        }
    }

    /// Reads a name where only signals are expected.
    ///
    /// Standard names take precedence, then the prefix, then a custom name without it:
    /// `signal.plan` and `plan` are the same signal, and `signal.app.id` is a custom signal named
    /// `app.id`.
    ///
    /// - Parameter name: Any text; the result is nil for `signal.` and for an empty text. Its
    ///   length
    ///   is checked when a value is set.
    public init?(_ name: String) {
        if let standard = Self.standard(named: name) {
            self = standard
            return
        }
        let custom = Self.customName(name) ?? name
        guard !custom.isEmpty else { return nil }
        self = .custom(ExactText(custom))
    }

    /// The signal that a query parameter of this name sends, which may be a custom one without a
    /// name; nil for all other parameters, which the backend ignores.
    package init?(queryName name: String) {
        if let standard = Self.standard(named: name) {
            self = standard
        } else if let custom = Self.customName(name) {
            self = .custom(ExactText(custom))
        } else {
            return nil
        }
    }

    /// The name behind the prefix of a custom signal; nil without the prefix.
    ///
    /// Compares bytes, so that a combining mark after the dot cannot hide the prefix.
    private static func customName(_ name: String) -> String? {
        var (name, prefix) = (name, customPrefix)
        return name.withUTF8 { bytes in
            prefix.withUTF8 { prefix in
                guard bytes.count >= prefix.count else { return nil }
                for index in prefix.indices where unsafe bytes[index] != prefix[index] {
                    return nil
                }
                return unsafe String(
                    decoding: UnsafeBufferPointer(rebasing: bytes[prefix.count...]), as: UTF8.self)
            }
        }
    }
}

/// The reason why a signal is invalid (PROTOCOL 1).
public struct SignalError: Error, Sendable, Hashable, CustomStringConvertible {
    enum Reason: Sendable, Hashable {
        case valueTooLong, nameTooLong, noName, tooMany
    }

    /// The signal's name as it was sent.
    public let name: String

    let reason: Reason

    /// One sentence with the fault and the fix.
    public var description: String { message(for: "signal") }

    /// The description, with the sender's word for a signal, such as "query parameter".
    package func message(for thing: String) -> String {
        let shown = "\"\(name.shortened)\""
        return switch reason {
        case .valueTooLong:
            "The value of the \(thing) \(shown) is too long: send at most "
                + "\(Signals.maximumValueLength) characters."
        case .nameTooLong:
            "The name of the \(thing) \(shown) is too long: use at most "
                + "\(Signals.maximumNameLength) characters after \"signal.\"."
        case .noName: "The \(thing) \(shown) names no signal: put the name after the dot."
        case .tooMany:
            "The \(thing) \(shown) is one custom signal too many: send at most "
                + "\(Signals.maximumCustomCount)."
        }
    }
}
