public import Foundation
import JSONTree

/// The default values of a template as a file that an app bundles, in one of Firebase's flat
/// formats of keys and texts.
///
/// Omits parameters without a default value, with the app's own default, archived, or hidden from
/// clients.
public struct DefaultsFile: Sendable {
    /// The formats that Firebase's clients read.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        case json = "JSON"
        /// Android's `defaultsMap`.
        case xml = "XML"
        case plist = "PLIST"
    }

    /// The file.
    public let data: Data

    /// A sentence for each setting that is left out since an earlier section has its key, too.
    public let warnings: [String]

    /// Creates the file with a template's default values.
    ///
    /// - Parameters:
    ///   - template: The template.
    ///   - format: The format of the file.
    public init(_ template: RemoteConfigTemplate, format: Format) {
        var values: NamedValues<String> = [:]
        var owners: NamedValues<String> = [:]
        var warnings: [String] = []
        for (section, parameters) in template.withoutArchivedParameters.sections {
            for (key, parameter) in parameters where !parameter.isMasterKeyOnly {
                guard case .value(let text)? = parameter.defaultValue?.content else { continue }
                if let owner = owners[key] {
                    warnings.append(
                        "\(section).\(key) is left out: the file has no sections, and its \(key) is "
                            + "that of \(owner); use the format ACTIVECONFIG, or rename one")
                } else {
                    owners[key] = section
                    values[key] = text
                }
            }
        }
        self.warnings = warnings
        values.sort { $0.key < $1.key }
        switch format {
        case .json:
            data = JSONNode.object(values.mapValues { .string($0) }).jsonData(.pretty)
        case .xml:
            data = Self.markup(
                values, head: [#"<?xml version="1.0" encoding="utf-8"?>"#, "<defaultsMap>"],
                tail: ["</defaultsMap>"]
            ) { key, value in
                "    <entry><key>\(key)</key><value>\(value)</value></entry>"
            }
        case .plist:
            data = Self.markup(
                values,
                head: [
                    #"<?xml version="1.0" encoding="UTF-8"?>"#,
                    "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
                        + "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">",
                    #"<plist version="1.0">"#, "<dict>",
                ], tail: ["</dict>", "</plist>"]
            ) { key, value in
                "    <key>\(key)</key>\n    <string>\(value)</string>"
            }
        }
    }

    /// Writes an XML file, one line for each part.
    private static func markup(
        _ values: NamedValues<String>, head: [String], tail: [String],
        entry: (_ key: String, _ value: String) -> String
    ) -> Data {
        let entries = values.map { entry(escape($0.key), escape($0.value)) }
        return Data((head + entries + tail + [""]).joined(separator: "\n").utf8)
    }

    /// Escapes a text for an element; replaces characters that XML does not allow by the
    /// replacement character.
    private static func escape(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\r": result += "&#13;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
