import ActiveConfig
import ClientAPI
import ConfigServer
import JSONTree
package import Rendering
package import Targeting

/// A source that returns the request's values as a document, so that tests see how the server
/// parsed them.
package struct EchoSource: DocumentSource {
    package init() {}

    package func document(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> RenderedDocument? {
        guard project == "default" else { return nil }
        let standard = [
            "app.id": signals.appID, "app.version": signals.appVersion,
            "app.build": signals.appBuild, "device.os": signals.deviceOS,
            "device.country": signals.deviceCountry, "device.language": signals.deviceLanguage,
        ]
        let section = ActiveConfigSection(settings: [
            "userID": userID.map(SettingValue.string) ?? .null,
            "signals": .object(standard.compactMapValues { $0.map(SettingValue.string) }),
            "custom": .object(
                Dictionary(
                    signals.custom.map { ($0.key.text, .string($0.value)) },
                    uniquingKeysWith: { first, _ in first })),
        ])
        return RenderedDocument(
            ConfigurationState(
                meta: ["format_version_string": .string("1.0")], sections: ["Echo": section]))
    }

    package func checkReadiness() async throws {}
}
