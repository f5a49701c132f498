/// The key of a setting, of a member of an object, or of an element of an array.
struct SettingCodingKey: CodingKey {
    /// The key's text.
    let stringValue: String
    /// The element's number.
    let intValue: Int?

    /// Makes the key of a setting or member.
    init(_ key: String) {
        stringValue = key
        intValue = nil
    }

    /// Makes the key of an element.
    init(index: Int) {
        stringValue = "\(index)"
        intValue = index
    }

    init(stringValue: String) { self.init(stringValue) }

    init(intValue: Int) { self.init(index: intValue) }
}
