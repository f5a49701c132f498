// Values that Swift blocks in doc comments use in addition to Prelude.swift: a doc comment shows
// one declaration without its context. See check.py.
import ActiveConfig
import ActiveConfigTesting
import ActiveConfigTrust
import Foundation
@testable import Prelude

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

#if canImport(SwiftUI)
    import SwiftUI

    struct PayButton: View {
        init() {}
        var body: some View { Text("Pay") }
    }
#endif

extension SettingKey<Bool> {
    static let isCheckoutOn = SettingKey("Checkout", "isOn", default: false)
}
extension SettingKey<Int> {
    static let columns = SettingKey("Home", "columns", default: 2)
}
extension SettingKey<Duration> {
    static let checkoutTimeout = SettingKey("Checkout", "timeout", default: .seconds(30))
}

nonisolated(unsafe) var options = ActiveConfigOptions()
nonisolated(unsafe) var subscription: ActiveConfigSubscription?
let key = "key"
let url = folder
let data = Data()
let bootstrap = Data()
let center = NotificationCenter.default
let error = URLError(.timedOut)
let first = ConfigurationState.make()
let late = ConfigurationState.make()
/// A request to the app's service.
let request = (userID: "1", path: "/")
let verifier = Verifier()
/// The app's logger, of swift-log.
let logger = Logger()
let analytics = Analytics()
let refusals = Counter()

func url(forUser userID: String?) -> URL { server }
func pay(within limit: Duration) {}
func signInAgain() {}

struct Analytics: Sendable {
    func track<Values: Collection>(_ values: Values) {}
}
struct Counter: Sendable {
    func increment(_ reason: String) {}
}
struct Logger: Sendable {
    enum Level: String, Sendable { case trace, debug, info, notice, warning, error, critical }
    func log(level: Level, _ message: String) {}
}
struct CheckoutSettings: Codable, Sendable {
    init() {}
    var isOn = true
}

struct Verifier: SignatureVerifier {
    func isValidSignature(_: Data, of message: Data, keyID: String) -> Bool { true }
}

// Declarations of an app's own tests.

func makeTemporaryFolder() -> URL { folder }
func untilCancelled() async -> ConfigurationState? { .make() }
struct ServerError: Error {}
typealias MyStore = InMemoryStore
typealias MyDownloader = ScriptedDownloader
extension ScriptedDownloader {
    convenience init(_ url: URL) { self.init() }
}
typealias FileStore = FileDefaultsStore
extension FileDefaultsStore {
    convenience init(folder: URL, bootstrap: ConfigurationState? = nil) {
        self.init(directory: folder)
    }
}
struct TestServer: Sendable {
    struct Request: Sendable { var userID: String? }
    let url = folder
    init(
        answer: @escaping @Sendable (_ request: Request) async throws -> ConfigurationState?
    ) async throws {}
}
