public import ArgumentParser
import ConfigServer
public import HTTPServing

/// Secrets are options like others, and no help or error shows them.
extension Secret: ExpressibleByArgument {
    /// Takes any text.
    public init?(argument: String) {
        self.init(argument)
    }
}
