/// A type that a whole section is decoded into.
///
/// ```swift
/// struct Checkout: SettingsSection {
///     static let sectionName = "Checkout"
///     var isOn = false
///     var timeout: Duration = .seconds(30)
/// }
///
/// let checkout = config.section(Checkout.self)
/// ```
///
/// The property values of `init()` are the defaults, for an absent setting and for one of another
/// type; also in nested types that have a default. Values are read by the rules of
/// ``ActiveConfigSection/decode(_:)``.
///
/// The defaults are found by encoding `init()`, so a custom `encode(to:)` must write what
/// `init(from:)` reads. A property that cannot be written in a configuration, such as a date after
/// the year 9999, has no default; if the document has no value for it either, the whole section is
/// `init()`. `init(from:)` is called again after each value of another type.
public protocol SettingsSection: Codable, Sendable {
    /// The section's name.
    static var sectionName: String { get }

    /// Creates the defaults.
    init()
}
