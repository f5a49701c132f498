extension ConfigurationState {
    /// Makes a configuration of a document that was read already: what `JSONSerialization` or a
    /// property list gives.
    ///
    /// `NSNumber` keeps its kind (boolean, integer, floating point), `NSNull` is `null`, a `Date` is
    /// an ISO 8601 string, `Data` a Base64 string. Swift's own values are taken the same.
    ///
    /// - Parameter dictionary: The document, with `meta` and `config_sections`.
    /// - Throws: ``ConfigurationFormatError`` with the path, of what is missing or what has no place
    ///   in a configuration.
    public init(dictionary: [String: Any]) throws(ConfigurationFormatError) {
        self = try DictionaryReader(limits: .default).read(dictionary)
    }
}
