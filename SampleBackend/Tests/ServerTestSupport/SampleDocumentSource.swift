package import ActiveConfig
import ClientAPI
import ConfigServer
import Foundation
package import Rendering
package import Targeting

/// A source with the values of the sample backend that MSActiveConfig's sample app used.
///
/// It has only the project `default`, with one section, `SampleViewConfiguration`, and ignores
/// signals. A user ID that is a whole number n ≠ 0 gets a color that depends on n. Every other
/// user, and the generic user, gets black.
///
package struct SampleDocumentSource: DocumentSource {
    /// The only project.
    package static let project = "default"

    /// Fixed publish time, so that a document, and therefore its entity tag, is the same on every
    /// replica and after a restart (PROTOCOL 1).
    package static let creationTime = "2013-07-06T20:13:24Z"

    package init() {}

    /// Renders the user's document; nil for any project other than `default`.
    package func document(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> RenderedDocument? {
        guard project == Self.project else { return nil }
        return RenderedDocument(Self.state(forUserID: userID))
    }

    /// Returns immediately, since nothing has to be loaded.
    package func checkReadiness() async throws {}

    /// Document of a user before it is rendered; nil is the generic user.
    ///
    /// `meta` has no `template_version`: there is no template, and clients would take 1 for the
    /// first version of a real one.
    package static func state(forUserID userID: String?) -> ConfigurationState {
        let number = userID.flatMap(wholeNumber)
        let section = ActiveConfigSection(settings: [
            "ViewBackgroundColor": .object(color(for: number ?? 0)),
            "LabelText": .string("This is a label value for user ID \(userID ?? "NaN")"),
            "ButtonEnabled": .bool(number == 3),
        ])
        return ConfigurationState(
            meta: [
                "format_version_string": .string("1.0"),
                "creation_time": .string(creationTime),
            ],
            sections: ["SampleViewConfiguration": section])
    }

    /// Number of a user ID, or nil unless it consists of decimal digits after an optional `-`.
    ///
    /// A number beyond a Double's range is infinite, and its color is 0.
    private static func wholeNumber(_ userID: String) -> Double? {
        let bytes = userID.utf8
        let digits = bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes[...]
        guard !digits.isEmpty, digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return nil }
        // Numbers with more digits are beyond a Double's range in any case.
        guard digits.count <= 400 else { return .infinity }
        return Double(userID)
    }

    /// Color components of a number; all of them 0 for 0.
    private static func color(for number: Double) -> [String: SettingValue] {
        guard number != 0 else {
            return ["red": .double(0), "green": .double(0), "blue": .double(0)]
        }
        return [
            "red": .double(sin(45 / number) / number),
            "green": .double(cos(30) / number),
            "blue": .double(1 / number),
        ]
    }
}
