import JSONTree

/// The reason why a sign-in, or the options for it, failed, as one sentence.
///
/// It may quote what a provider or a browser sent, shortened and on one line.
public struct OpenIDError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The sentence.
    public let description: String

    /// True when the provider refused or did not answer, so that another attempt may succeed.
    package let isOfProvider: Bool

    package init(_ description: String, isOfProvider: Bool = false) {
        self.description = description
        self.isOfProvider = isOfProvider
    }
}

extension String {
    /// A text from elsewhere in quotation marks, shortened, with escaped control characters.
    var quoted: String {
        let visible = unicodeScalars.prefix(200).map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse: " "
            default: scalar
            }
        }
        return "\"\(String(String.UnicodeScalarView(visible)).shortened)\""
    }
}
