import Foundation
import JSONTree
import Targeting

/// Conditions and users of the benchmark.
enum Mix {
    /// Sets of conditions by name: the mix, to which the limit applies, then each kind alone.
    static func all() -> [(name: String, expressions: [String])] {
        [
            ("mixed", versions + places + percents + signals),
            ("versions", versions),
            ("places", places),
            ("percents", percents),
            ("signals", signals),
        ]
    }

    /// Rules on the app's version and build.
    static let versions = (0..<25).map { index in
        switch index % 5 {
        case 0: "app.version.>=(['\(index / 5).\(index).0'])"
        case 1: "app.version.<(['3.\(index)'])"
        case 2: "app.build.>(['\(index * 100)']) && device.os == 'ios'"
        case 3: "app.version.contains(['2.\(index)', '.\(index).'])"
        default: "app.version.exactlyMatches(['2.4.1', '2.\(index).0'])"
        }
    }

    /// Rules on countries and languages.
    static let places = (0..<25).map { index in
        switch index % 3 {
        case 0: "device.country in ['\(countries[index])', '\(countries[(index + 3) % 25])']"
        case 1:
            "device.country in ["
                + countries[..<(index + 1)].map { "'\($0)'" }.joined(separator: ", ") + "]"
        default:
            "device.language in ['de-DE', 'en-\(countries[index])', 'ja']"
                + " && device.country in ['\(countries[index])', 'US']"
        }
    }

    /// Rules on percentages: ten with one of five seeds, the others without a seed.
    static let percents = (0..<25).map { index in
        let subject = index % 5 < 2 ? "percent('experiment-\(index / 5)')" : "percent"
        return switch index % 3 {
        case 0: "\(subject) <= \(index * 4)"
        case 1: "\(subject) between \(index) and \(index * 4)"
        default: "\(subject) > \(index * 3).5 && device.os == 'ios'"
        }
    }

    /// Rules on eight custom signals.
    static let signals = (0..<25).map { index in
        switch index % 5 {
        case 0: "app.customSignal['\(["age", "visits"][index % 2])'] >= \(index)"
        case 1:
            "version(app.customSignal['\(["sdk", "engine"][index % 2])']) >= '1.\(index).0'"
        case 2: "app.customSignal['\(["plan", "tier"][index % 2])'].exactlyMatches(['gold'])"
        case 3: "app.customSignal['plan'].contains(['pro', 'gold\(index)'])"
        default:
            "app.customSignal['\(["mail", "referrer"][index % 2])']"
                + ".matches(['^[a-z0-9.]+@example\\.(com|org)$', 'campaign-\(index)[0-9]+'])"
        }
    }

    static let countries = [
        "AR", "AT", "AU", "BE", "BR", "CA", "CH", "CL", "CN", "CO", "CZ", "DE", "DK", "ES", "FI",
        "FR", "GB", "GR", "HU", "IE", "IN", "IT", "JP", "KR", "US",
    ]

    /// Contexts of users that differ in all values.
    static func contexts(count: Int) -> [TargetingContext] {
        (0..<count).map { user in
            TargetingContext(
                userID: "user-\(user * 7919)",
                signals: Signals(
                    appID: "com.example.app", appVersion: "\(user % 5).\(user % 13).\(user % 3)",
                    appBuild: "\(user % 3000)", deviceOS: ["ios", "macos"][user % 2],
                    deviceCountry: countries[user % 25],
                    deviceLanguage: "en-\(countries[user % 25])",
                    custom: [
                        "age": "\(user % 90)", "visits": "\(user % 1000)",
                        "sdk": "1.\(user % 30).2", "engine": "2.\(user % 7)",
                        "plan": ["free", "gold", "pro-plus"][user % 3], "tier": "gold",
                        "mail": "user.\(user)@example.\(["com", "net"][user % 2])",
                        "referrer": "https://example.com/?from=campaign-\(user)",
                    ]),
                date: Date(timeIntervalSince1970: 1_800_000_000))
        }
    }
}
