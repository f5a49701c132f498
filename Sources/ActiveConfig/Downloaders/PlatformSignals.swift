import Foundation

/// Signals that the platform knows of the app and the device, as the backend's conditions name them
/// (<doc:Client-protocol>, section 1).
///
/// A nil signal is not sent: rules on it are false.
///
/// ```swift
/// let signals = ClientSignals(platform: {
///     var platform = PlatformSignals.current
///     platform.deviceCountry = nil  // Not to be sent.
///     return platform
/// })
/// ```
public struct PlatformSignals: Sendable, Hashable {
    /// `app.id`, such as `com.example.shop`.
    public var appID: String?
    /// `app.version`, the version that users see, such as `1.4.2`.
    public var appVersion: String?
    /// `app.build`, the build number.
    public var appBuild: String?
    /// `device.os`: `ios`, `macos`, `tvos`, `watchos`, `visionos`, `linux`, `android` or `windows`.
    public var deviceOS: String?
    /// `device.country`, the region's code, such as `JP`.
    public var deviceCountry: String?
    /// `device.language`, a language tag, such as `ja` or `pt-BR`.
    public var deviceLanguage: String?

    /// Creates empty signals.
    public init() {}

    /// The platform's current signals: from the main bundle, the system, and the device's settings
    /// for language and region.
    ///
    /// A program without a bundle, as on Linux, has no `app.id`, `app.version` and `app.build`. The
    /// country is from the settings, not the device's location. On Linux, Foundation returns the
    /// country `001` and the language `en-001` regardless of `LANG`.
    public static var current: PlatformSignals {
        var signals = PlatformSignals()
        let bundle = Bundle.main
        signals.appID = bundle.bundleIdentifier
        signals.appVersion =
            bundle.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String
        signals.appBuild = bundle.object(forInfoDictionaryKey: "CFBundleVersion") as? String
        signals.deviceOS = operatingSystem
        signals.deviceCountry = Locale.current.region?.identifier
        signals.deviceLanguage = Locale.preferredLanguages.first
        return signals
    }

    private static var operatingSystem: String? {
        #if os(iOS)
            "ios"
        #elseif os(macOS)
            "macos"
        #elseif os(tvOS)
            "tvos"
        #elseif os(watchOS)
            "watchos"
        #elseif os(visionOS)
            "visionos"
        #elseif os(Android)
            "android"
        #elseif os(Linux)
            "linux"
        #elseif os(Windows)
            "windows"
        #else
            nil
        #endif
    }

    /// By their query names.
    var namedValues: [String: String] {
        let values = [
            "app.id": appID, "app.version": appVersion, "app.build": appBuild,
            "device.os": deviceOS, "device.country": deviceCountry,
            "device.language": deviceLanguage,
        ]
        // The server refuses a request with a longer value.
        return values.compactMapValues { $0 }.filter {
            !$0.value.unicodeScalars.isLonger(than: ClientSignals.maximumValueLength)
        }
    }
}

extension Collection {
    /// Counts no further than the limit.
    func isLonger(than limit: Int) -> Bool {
        index(startIndex, offsetBy: limit, limitedBy: endIndex).map { $0 != endIndex } ?? false
    }
}
