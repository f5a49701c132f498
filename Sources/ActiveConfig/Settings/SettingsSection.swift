/// A type that a whole section is decoded into.
///
/// ```swift
/// struct Checkout: SettingsSection {
///     static let sectionName = "Checkout"
///     var isOn = false
///     var timeout: Duration = .seconds(30)
/// }
///
/// let checkout = config.decode(Checkout.self)
/// ```
///
/// The values of `init()` are the defaults: of a setting that the section lacks, and of one whose
/// value is of another type. The rules of reading are those of ``ActiveConfigSection/decode(_:)``.
public protocol SettingsSection: Codable, Sendable {
    /// The section's name.
    static var sectionName: String { get }

    /// Creates the defaults.
    init()
}
