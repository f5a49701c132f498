package import HTTPServing
import JSONTree
import Targeting

extension Signals {
    /// Parses the signals of a query and checks their limits (HTTP 1).
    ///
    /// Other parameters are ignored, even malformed ones. The last value of a repeated signal
    /// counts.
    ///
    /// - Parameter query: The parameters of a request, still percent-encoded.
    /// - Throws: A ``RequestError`` with status 400 that names the parameter.
    package init(query: QueryParameters) throws(RequestError) {
        self.init()
        for parameter in query {
            guard let name = parameter.name,
                SignalName.isQueryName(name)
            else { continue }
            guard let value = parameter.value else {
                throw .invalidArgument(
                    "The value of the query parameter \"\(name.shortened)\" is not percent-encoded "
                        + "UTF-8: encode it again.")
            }
            do throws(SignalError) {
                try setValue(value, named: name)
            } catch {
                throw .invalidArgument(error.message(for: "query parameter"))
            }
        }
    }
}
