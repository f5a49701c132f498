// Values that blocks of Swift in articles and doc comments use without declaring them. A block sees these
// values and types, but not these imports: it imports what it uses. See check.py.
import ActiveConfig
import ActiveConfigRealtime
import ActiveConfigTesting
import Foundation

let config = ActiveConfig.make()
let store = InMemoryStore()
let downloader = ScriptedDownloader()
let backend = ActiveConfigBackend(url: server)
let updater = ActiveConfigUpdater.make(
    config, source: ScriptedBackend(), clock: ManualClock())
let signals = ClientSignals()
let credentials = ClientCredentials.none

/// The backend's URL.
let server = URL(filePath: "/")
/// A folder of the app.
let folder = URL(filePath: "/tmp/ActiveConfigExamples")
/// A user of the app, or of a request to a service.
let userID = "1"
/// A service's API key.
let serviceKey = "key"
/// The app's session, which has the user's token.
let session = Session()

func temporaryFolder() -> URL { folder }

struct Session: Sendable {
    func token() async throws -> String { "" }
    @discardableResult func refreshToken() async throws -> String { "" }
}

/// As the plug-in GenerateSettings writes it.
enum CheckoutKeys {
    static let isOn = SettingKey<Bool>("Checkout", "is_on", default: true)
    static let timeout = SettingKey<Int>("Checkout", "timeout", default: 30)
}
