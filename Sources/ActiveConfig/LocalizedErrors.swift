public import Foundation

/// `localizedDescription` returns the error's own sentence.
extension DownloadError: LocalizedError {
    /// The error's sentence, in English.
    public var errorDescription: String? { description }
}

/// `localizedDescription` returns the error's own sentence.
extension ConfigurationFormatError: LocalizedError {
    /// The error's sentence, in English.
    public var errorDescription: String? { description }
}

/// `localizedDescription` returns the error's own sentence.
extension StoreError: LocalizedError {
    /// The error's sentence, in English.
    public var errorDescription: String? { description }
}
