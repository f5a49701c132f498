/// Overrides: values above everything else on this device, for development and tests.
///
/// They are never stored. Where they are not enabled, as in a release build by default, they are
/// refused with a warning; see ``OverridePolicy``.
extension ActiveConfig {
    /// The active overrides, by section and key.
    public var overrides: [String: [String: SettingValue]] {
        transitions.withLock { $0.layers.overrides }
    }

    /// Overrides a setting, or removes its override.
    ///
    /// Where overrides are not enabled, nothing changes but the log; see ``OverridePolicy``.
    ///
    /// - Parameters:
    ///   - value: The value; nil removes the override.
    ///   - key: The setting's key.
    ///   - sectionName: The section's name.
    public func setOverride(
        _ value: SettingValue?, forKey key: String, inSection sectionName: String
    ) {
        guard overridePolicy.isEnabled else {
            if value == nil { return }
            log(
                .warning,
                "The override of '\(sectionName).\(key)' is refused: overrides are not enabled "
                    + "here.")
            return
        }
        changeLayers(reason: .overridden) { layers in
            layers.overrides[sectionName, default: [:]][key] = value
            if layers.overrides[sectionName]?.isEmpty == true {
                layers.overrides[sectionName] = nil
            }
        }
    }

    /// Overrides a setting by a value of its type.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The setting.
    /// - Throws: `EncodingError` when the value has no form in a configuration that the key reads: it is
    ///   not `Encodable`, no raw value stands for it, and it is no array or dictionary of such values; it
    ///   is infinite or no number; it is written in another form than it is read. That overrides
    ///   are not enabled is no error; then nothing changes but the log.
    public func setOverride<Value>(_ value: Value, for key: SettingKey<Value>) throws {
        let encoded = try SettingEncoder.encode(any: value)
        do throws(SettingReader.Mismatch) {
            _ = try key.definition.object.reader.read(encoded)
        } catch {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription:
                        "The override of '\(key)' would not be read: what is written \(error.reason)."
                ))
        }
        setOverride(encoded, forKey: key.name, inSection: key.sectionName)
    }

    /// Removes the override of a setting.
    public func removeOverride<Value>(for key: SettingKey<Value>) {
        setOverride(nil, forKey: key.name, inSection: key.sectionName)
    }

    /// Removes all overrides.
    public func removeAllOverrides() {
        changeLayers(reason: .overridden) { $0.overrides = [:] }
    }

    /// Logs the overrides at the start, so that nobody looks for the reason elsewhere.
    func reportOverrides() {
        for problem in overridePolicy.problems { log(.error, problem) }
        let names = overridePolicy.initialOverrides.flatMap { section, settings in
            settings.keys.map { "\(section).\($0)" }
        }
        guard !names.isEmpty else { return }
        let list = names.sortedByBytes().joined(separator: ", ")
        log(.warning, "Overridden on this device: \(list).")
    }
}
