// Imports and declarations that the examples in README and articles assume; see compile.sh.
import ActiveConfig
import ActiveConfigEventStream
import ActiveConfigGeneration
import ActiveConfigJSON
import ActiveConfigRealtime
import ActiveConfigReporting
import ActiveConfigTesting
import ActiveConfigTrust
import Foundation
import Observation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

let folder = URL(filePath: "/tmp/ActiveConfigExamples")
let server = URL(filePath: "/")
let backend = ActiveConfigBackend(url: server)
let store = InMemoryStore()
let session = Session()
let serviceKey = "key"
let signals = ClientSignals()
let credentials = ClientCredentials.none
let downloader = ScriptedDownloader()
let config = ActiveConfig.make()
let updater = ActiveConfigUpdater.make(
    config, source: ScriptedBackend(), clock: ManualClock())

func temporaryFolder() -> URL { folder }

/// An app's session with its token.
struct Session: Sendable {
    func token() async throws -> String { "" }
    @discardableResult func refreshToken() async throws -> String { "" }
}

/// As the plug-in generates it.
nonisolated enum CheckoutKeys {
    static let isOn = SettingKey<Bool>("Checkout", "is_on", default: true)
    static let timeout = SettingKey<Int>("Checkout", "timeout", default: 30)
}
