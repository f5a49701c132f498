public import Foundation

/// In-app defaults, beneath the document, setting by setting.
///
/// All reads, listeners and sequences see the result; ``currentConfiguration`` is the document
/// alone. A setting that disappears from the document falls back to its in-app default, and the
/// listeners of its section are called.
extension ActiveConfig {
    /// The in-app defaults, by section.
    public var defaults: [String: ActiveConfigSection] {
        front.layers.defaults
            .mapValues { ActiveConfigSection(settings: $0) }
    }

    /// Replaces the in-app defaults, which apply to every user and are not stored; see
    /// <doc:Defaults-bootstrap-and-overrides>.
    ///
    /// ```swift
    /// config.setDefaults(["Checkout": ["isOn": true, "timeout": 30]])
    /// ```
    ///
    /// Also accepts a document's sections, as in `setDefaults(try ConfigurationState(jsonData:
    /// data).sections)`. Integers beyond 64 bits are rounded to the nearest double.
    ///
    /// - Parameter defaults: The sections by name; `[:]` removes all.
    public func setDefaults(_ defaults: [String: ActiveConfigSection]) {
        front.changeLayers(reason: .defaultsChanged) {
            $0.defaults = defaults.mapValues(\.settings)
        }
    }

    /// Unavailable: settings belong to sections, and their values are ``SettingValue``s.
    ///
    /// - Parameter defaults: Values without a section.
    @available(
        *, unavailable,
        message: """
            in-app defaults are settings in sections, as in 'setDefaults(["Home": ["columns": 3]])', \
            of the type [String: ActiveConfigSection]
            """
    )
    public func setDefaults(_ defaults: [String: Any]) {}

    /// Replaces the in-app defaults by an encoded value whose properties are sections.
    ///
    /// ```swift
    /// struct Defaults: Encodable {
    ///     var checkout = CheckoutSettings()
    ///     enum CodingKeys: String, CodingKey { case checkout = "Checkout" }
    /// }
    /// try config.setDefaults(encoding: Defaults())
    /// ```
    ///
    /// - Parameter value: Encodes as an object of objects.
    /// - Throws: `EncodingError` when the value is not an object of objects, or cannot be written
    ///   in a form that reads back; the defaults then stay.
    public func setDefaults(encoding value: some Encodable) throws {
        setDefaults(try Self.sections(of: SettingEncoder.encode(value), value))
    }

    /// Replaces the in-app defaults by a property list: a dictionary of sections, each a dictionary
    /// of settings.
    ///
    /// A flat list of settings, such as Firebase's, belongs to one section: pass its name. The
    /// exchange format (`sample-backend export --format activeconfig`) has all sections of a
    /// template.
    ///
    /// - Parameters:
    ///   - propertyList: The file's content, XML or binary. `<integer>1</integer>` is an integer,
    ///     `<real>1.0</real>` a double. Dates and data become the strings that a `Date` and a
    ///     `Data` are read from.
    ///   - sectionName: The section of a flat list; nil for a list of sections.
    /// - Throws: ``ConfigurationFormatError``, or Foundation's error, when the content cannot be
    ///   read or is not a dictionary of dictionaries; the defaults then stay.
    public func setDefaults(propertyList: Data, inSection sectionName: String? = nil) throws {
        setDefaults(
            try PropertyListReader.sections(of: propertyList, inSection: sectionName)
                .mapValues { ActiveConfigSection(settings: $0) })
    }

    private static func sections(
        of value: SettingValue, _ original: Any
    ) throws -> [String: ActiveConfigSection] {
        let sections = value.dictionaryValue?.compactMapValues(\.dictionaryValue)
        guard let sections, sections.count == value.dictionaryValue?.count else {
            throw EncodingError.invalidValue(
                original,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription:
                        "In-app defaults are an object of sections, each an object of settings."))
        }
        return sections.mapValues { ActiveConfigSection(settings: $0) }
    }

    // MARK: Overrides

    /// The overrides: values above all others on this device.
    public var overrides: ConfigurationOverrides { ConfigurationOverrides(config: self) }

    /// Logs initial overrides, which otherwise are a puzzling source of values.
    func reportOverrides() {
        for problem in options.overridePolicy.problems { log(.error, problem) }
        let names = options.overridePolicy.initialValues.flatMap { section, settings in
            settings.keys.map { "\(section).\($0)" }
        }
        guard !names.isEmpty else { return }
        let list = names.sortedByBytes().joined(separator: ", ")
        log(.warning, "Overridden on this device: \(list).")
    }
}
