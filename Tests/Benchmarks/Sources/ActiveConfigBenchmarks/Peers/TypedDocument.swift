/// The exchange format as structures for `JSONDecoder`; only a setting's value is any JSON.
struct TypedDocument: Decodable {
    /// A section.
    struct Section: Decodable {
        let settings: [String: Setting]
    }

    /// A setting.
    struct Setting: Decodable {
        let value: JSONTree
    }

    /// `config_sections`.
    let sections: [String: Section]
    let meta: [String: JSONTree]

    private enum CodingKeys: String, CodingKey {
        case meta
        case sections = "config_sections"
    }
}
