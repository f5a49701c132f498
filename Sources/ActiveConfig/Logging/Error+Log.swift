import Foundation

extension Error {
    /// The error in a message of the log.
    ///
    /// For Foundation's errors sentence, domain and code: their descriptions contain the whole URL, with the
    /// user and the query.
    package var logDescription: String {
        guard self is URLError || self is CocoaError || type(of: self) is NSError.Type else {
            return "\(self)"
        }
        let error = self as NSError
        return "\(error.localizedDescription) (\(error.domain), code \(error.code))"
    }
}
