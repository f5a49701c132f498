/// The overrides of an ``ActiveConfig``: values above all others on this device, for development
/// and tests.
///
/// ```swift
/// try config.overrides.set(true, for: .isCheckoutOn)
/// ```
///
/// They apply to every user and are never stored. If they are not enabled, by default in release
/// builds, they are refused with a warning; see ``OverridePolicy``.
public struct ConfigurationOverrides: Sendable {
    let config: ActiveConfig

    /// A Boolean value that indicates whether overrides can be set; see ``OverridePolicy``.
    public var isEnabled: Bool { config.options.overridePolicy.isEnabled }

    /// The active overrides, by section.
    public var values: [String: ActiveConfigSection] {
        config.front.layers.overrides
            .mapValues { ActiveConfigSection(settings: $0) }
    }

    /// Overrides a setting.
    ///
    /// If overrides are not enabled, it only logs a warning.
    public func set(_ value: SettingValue, for path: SettingPath) {
        guard isEnabled else {
            return config.log(
                .warning, "The override of '\(path)' is refused: overrides are not enabled here.")
        }
        replace(value, of: path)
    }

    /// Overrides a setting by a value of its type.
    ///
    /// If overrides are not enabled, it only logs a warning.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The setting.
    /// - Throws: `EncodingError` when the value cannot be written in a form that the key reads: it
    ///   is not `Encodable`, has no raw value and is not an array or dictionary of such values; it
    ///   is not finite; or its written form differs from its read form.
    public func set<Value>(_ value: Value, for key: SettingKey<Value>) throws {
        let encoded = try SettingEncoder.encode(any: value)
        do throws(SettingReader.Mismatch) {
            _ = try key.definition.object.reader.read(encoded)
        } catch {
            let reason = config.masked(SettingProblem(key.path, reason: error.reason)).reason
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription:
                        "The override of '\(key)' would not be read: what is written \(reason)."))
        }
        set(encoded, for: key.path)
    }

    /// Removes the override of a setting.
    public func remove<Value>(_ key: SettingKey<Value>) { remove(key.path) }

    /// Removes the override of a setting.
    public func remove(_ path: SettingPath) { replace(nil, of: path) }

    /// Removes all overrides.
    public func removeAll() {
        config.front.changeLayers(reason: .overridden) { $0.overrides = [:] }
    }

    private func replace(_ value: SettingValue?, of path: SettingPath) {
        config.front.changeLayers(reason: .overridden) { layers in
            layers.overrides[path.sectionName, default: [:]][path.name] = value
            if layers.overrides[path.sectionName]?.isEmpty == true {
                layers.overrides[path.sectionName] = nil
            }
        }
    }
}
