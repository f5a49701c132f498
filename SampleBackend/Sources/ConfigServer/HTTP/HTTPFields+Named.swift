import HTTPTypes

extension HTTPFields {
    /// The value of a field that HTTPTypes has no name for, or nil when it is missing.
    subscript(named name: String) -> String? {
        HTTPField.Name(name).flatMap { self[$0] }
    }
}
