/// The exchange format as types for `JSONDecoder`; only the settings' values are untyped.
struct TypedDocument: Decodable {
    struct Section: Decodable {
        let settings: [String: Setting]
    }

    struct Setting: Decodable {
        let value: JSONTree
    }

    /// The member `config_sections`.
    let sections: [String: Section]
    let meta: [String: JSONTree]

    private enum CodingKeys: String, CodingKey {
        case meta
        case sections = "config_sections"
    }
}
