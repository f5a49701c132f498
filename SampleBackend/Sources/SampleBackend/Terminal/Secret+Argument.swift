public import ArgumentParser
import ConfigServer
public import HTTPServing

/// Makes secrets option values; help and error messages never show them.
extension Secret: ExpressibleByArgument {
    /// Accepts any text.
    public init?(argument: String) {
        self.init(argument)
    }
}
