/// The overrides of an ``ActiveConfig``: values above everything else on this device, for development
/// and tests.
///
/// ```swift
/// try config.overrides.set(true, for: .isCheckoutOn)
/// ```
///
/// They are for every user and never stored. Where they are not enabled, as in a release build by default,
/// they are refused with a warning; see ``OverridePolicy``.
public struct ConfigurationOverrides: Sendable {
    let config: ActiveConfig

    /// A Boolean value that indicates whether overrides can be set; see ``OverridePolicy``.
    public var isEnabled: Bool { config.options.overridePolicy.isEnabled }

    /// The active overrides, by section.
    public var values: [String: ActiveConfigSection] {
        config.transitions.withLock { $0.layers.overrides }
            .mapValues { ActiveConfigSection(settings: $0) }
    }

    /// Overrides a setting.
    ///
    /// Where overrides are not enabled, nothing changes but the log.
    public func set(_ value: SettingValue, for path: SettingPath) {
        guard isEnabled else {
            return config.log(
                .warning, "The override of '\(path)' is refused: overrides are not enabled here.")
        }
        replace(value, of: path)
    }

    /// Overrides a setting by a value of its type.
    ///
    /// Where overrides are not enabled, nothing changes but the log.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The setting.
    /// - Throws: `EncodingError` when the value has no form in a configuration that the key reads: it is
    ///   not `Encodable`, no raw value stands for it, and it is no array or dictionary of such values; it
    ///   is not a finite number; it is written in another form than it is read.
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
    public func removeAll() { config.changeLayers(reason: .overridden) { $0.overrides = [:] } }

    private func replace(_ value: SettingValue?, of path: SettingPath) {
        config.changeLayers(reason: .overridden) { layers in
            layers.overrides[path.sectionName, default: [:]][path.name] = value
            if layers.overrides[path.sectionName]?.isEmpty == true {
                layers.overrides[path.sectionName] = nil
            }
        }
    }
}

extension ActiveConfig {
    /// The overrides: values above everything else on this device.
    public var overrides: ConfigurationOverrides { ConfigurationOverrides(config: self) }

    /// Logs the overrides at the start, so that nobody looks for the reason elsewhere.
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
