/// What JSON value the text of a parameter becomes.
public enum ParameterValueType: String, Sendable, Hashable, CaseIterable {
    /// The text itself.
    case string = "STRING"
    /// `true` or `false`, in any case.
    case boolean = "BOOLEAN"
    /// A number; one with a fraction or exponent stays a floating-point number.
    case number = "NUMBER"
    /// Any JSON value.
    case json = "JSON"
}
