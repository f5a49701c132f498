// Checkout.swift
import ActiveConfig
import Configuration

/// The settings of the service: an environment variable, such as `CHECKOUT_POOL_SIZE`, counts before the
/// server's value, and that before the values below.
func makeReader(_ config: ActiveConfig) -> ConfigReader {
    ConfigReader(providers: [
        EnvironmentVariablesProvider(),
        ActiveConfigProvider(config),
        InMemoryProvider(values: ["Checkout.poolSize": 4]),
    ])
}

/// A part of the service, which knows swift-configuration only.
struct Checkout {
    let settings: ConfigReader

    init(_ reader: ConfigReader) { settings = reader.scoped(to: "Checkout") }

    /// Two settings of one document.
    func fee(of price: Double) -> Double {
        let settings = settings.snapshot()
        let fee = price * settings.double(forKey: "fee.share", default: 0)
        return max(fee, settings.double(forKey: "fee.minimum", default: 0))
    }

    /// Resizes the pool at each new value, until the task is cancelled.
    func resizePool(_ resize: (Int) -> Void) async throws {
        try await settings.watchInt(forKey: "poolSize", default: 1) { sizes in
            for await size in sizes { resize(size) }
        }
    }
}
