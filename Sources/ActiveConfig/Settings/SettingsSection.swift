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
/// The values of `init()` are the defaults: of a setting that the section lacks, and of one whose
/// value is of another type; in nested types that have a default, too. The rules of reading are those
/// of ``ActiveConfigSection/decode(_:)``.
///
/// The defaults are found by encoding `init()`, so a type with an `encode(to:)` of its own must write
/// what its `init(from:)` reads. A property that has no form in a configuration, such as a date beyond
/// the year 9999, has no default; without a value in the document the whole section is `init()` then.
/// `init(from:)` is called again after each value of another type.
public protocol SettingsSection: Codable, Sendable {
    /// The section's name.
    static var sectionName: String { get }

    /// Creates the defaults.
    init()
}
