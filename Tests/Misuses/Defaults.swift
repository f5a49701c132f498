import ActiveConfig
import Foundation

func setDefaults(of config: ActiveConfig) throws {
    // error: in-app defaults are settings in sections
    config.setDefaults(["a": 1])
    // error: in-app defaults are settings in sections
    config.setDefaults(["a": "x", "b": true])
    let flat: [String: SettingValue] = ["a": 1]
    // error: in-app defaults are settings in sections
    config.setDefaults(flat)
    let any: [String: Any] = ["a": 1]
    // error: in-app defaults are settings in sections
    config.setDefaults(any)
    let nested: [String: [String: Any]] = ["a": ["b": "c"]]
    // error: in-app defaults are settings in sections
    config.setDefaults(nested)
    let texts: [String: [String: String]] = ["a": ["b": "c"]]
    // error: in-app defaults are settings in sections
    config.setDefaults(texts)

    // Valid uses.
    let right: [String: ActiveConfigSection] = ["Home": ["columns": 3]]
    config.setDefaults(right)
    config.setDefaults(["Home": ["columns": 3, "title": "x", "list": [1, "a"]], "Empty": [:]])
    config.setDefaults([:])
    config.setDefaults(try ConfigurationState(jsonData: Data()).sections)
}
