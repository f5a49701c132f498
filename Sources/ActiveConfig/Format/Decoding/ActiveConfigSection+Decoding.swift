extension ActiveConfigSection {
    /// Decodes the whole section: a property for each setting.
    ///
    /// ```swift
    /// struct Features: Decodable { var isEnabled: Bool; var interval: Double? }
    /// let features = try config["AppFeatures"]?.decode(Features.self)
    /// ```
    ///
    /// Scalars are converted by the table of FORMAT 5, as in the typed getters, but without loss: a
    /// number with a fraction, or out of range, does not decode as an integer. Nor does a
    /// floating-point number beyond ±9007199254740991 (2⁵³ − 1), since it may be the rounded value
    /// of an integer beyond 64 bits; a string of digits decodes in full.
    ///
    /// In addition to the getters' types, `Date` is read from an ISO 8601 string, `Data` from a
    /// Base64 one, `URL` and `Decimal` from a string, and `Decimal` also from a number, in the
    /// fewest digits that represent it. A string of more than 38 digits is not a `Decimal`.
    ///
    /// - Throws: `DecodingError`, with the setting's key and the expected type; also when arrays
    ///   and objects are nested more than 96 deep, unless the type is ``SettingValue``.
    public func decode<T: Decodable>(_ type: T.Type) throws -> T {
        var settings: [String: SettingValue] = [:]
        for entry in table.settings.entries { settings[entry.name] = entry.value }
        return try SettingDecoder(value: .object(settings), codingPath: []).decode(type)
    }

    /// Decodes one setting; see ``decode(_:)`` for the rules.
    ///
    /// - Throws: `DecodingError.keyNotFound` when the setting is absent, else `DecodingError` with
    ///   the expected type.
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
    /// - Throws: `DecodingError` with the expected type.
    public func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try SettingDecoder(value: self, codingPath: []).decode(type)
    }
}
