extension ActiveConfigSection {
    /// Decodes the whole section: a property for each setting.
    ///
    /// ```swift
    /// struct Features: Decodable { var isEnabled: Bool; var interval: Double? }
    /// let features = try config["AppFeatures"]?.decode(Features.self)
    /// ```
    ///
    /// Scalars are read by the table of FORMAT 5, as the typed getters do, but nothing is lost: a
    /// number with a fraction, or out of range, does not decode as an integer. Beyond the getters,
    /// `Date` is read from an ISO 8601 string, `Data` from a Base64 one, `URL` and `Decimal` from a
    /// string, `Decimal` also from a number.
    ///
    /// - Throws: `DecodingError`, with the setting's key and what was expected.
    public func decode<T: Decodable>(_ type: T.Type) throws -> T {
        var settings: [String: SettingValue] = [:]
        for entry in table.settings.entries { settings[entry.name] = entry.value }
        return try SettingDecoder(value: .object(settings), codingPath: []).decode(type)
    }

    /// Decodes one setting; see ``decode(_:)`` for the rules.
    ///
    /// - Throws: `DecodingError.keyNotFound` when there is no such setting, else `DecodingError` with
    ///   what was expected.
    public func decode<T: Decodable>(_ type: T.Type, forKey key: String) throws -> T {
        let codingKey = SettingCodingKey(key)
        guard let value = self[key] else {
            throw DecodingError.keyNotFound(
                codingKey,
                DecodingError.Context(
                    codingPath: [], debugDescription: "There is no setting '\(key)'."))
        }
        return try SettingDecoder(value: value, codingPath: [codingKey]).decode(type)
    }
}

extension SettingValue {
    /// Decodes the value; see ``ActiveConfigSection/decode(_:)`` for the rules.
    ///
    /// - Throws: `DecodingError` with what was expected.
    public func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try SettingDecoder(value: self, codingPath: []).decode(type)
    }
}
