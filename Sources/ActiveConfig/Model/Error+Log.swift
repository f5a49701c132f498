import Foundation

extension Error {
    /// The error in a message of the log, on one line of at most 1,000 Unicode scalars.
    ///
    /// Any error of an app may come here, such as that of its store, downloader or vetting. URLs lose the
    /// parts that can hold secrets. For Foundation's errors sentence, domain and code: their descriptions
    /// contain the whole URL. Of an error without a description of its own only type and case: the default
    /// one dumps all associated values.
    package var logDescription: String {
        logText.withoutSecretsOfURLs.oneLine(upTo: 1_000)
    }

    /// The text of an error that the closure of an app's credentials threw, on one line.
    ///
    /// The description of an app's own error is for its developers and may contain the token, so only
    /// the error's type is named, unless it is a `LocalizedError`, whose text is meant to be shown.
    var credentialsText: String {
        let type: Any.Type = Swift.type(of: self as Any)
        if isOfSystem {
            let path = (self as NSError).userInfo[NSFilePathErrorKey] as? String
            return path.map { "\(logDescription) \($0.oneLine(upTo: 500))" } ?? logDescription
        }
        if let text = (self as? any LocalizedError)?.errorDescription {
            return text.withoutSecretsOfURLs.oneLine(upTo: 1_000)
        }
        let isPlainEnum =
            Mirror(reflecting: self).displayStyle == .enum
            && !(type is any CustomStringConvertible.Type)
            && !(type is any CustomDebugStringConvertible.Type)
            && !(self is DecodingError || self is EncodingError)
        return isPlainEnum ? logDescription : "\(type)"
    }

    /// True for an error of the system, whose description does not name the fault.
    private var isOfSystem: Bool {
        self is URLError || self is CocoaError || Swift.type(of: self as Any) is NSError.Type
    }

    private var logText: String {
        // In generic code `Self` can be `any Error` itself.
        let type: Any.Type = Swift.type(of: self as Any)
        if isOfSystem {
            let error = self as NSError
            return "\(error.localizedDescription) (\(error.domain), code \(error.code))"
        }
        // Not `self is`, which bridging to NSError makes true of every error.
        if type is any CustomStringConvertible.Type || type is any CustomDebugStringConvertible.Type
            || self is DecodingError || self is EncodingError || self is CancellationError
        {
            return "\(self)"
        }
        if let text = (self as? any LocalizedError)?.errorDescription { return text }
        let mirror = Mirror(reflecting: self)
        guard mirror.displayStyle == .enum else { return "\(type)" }
        return "\(type).\(mirror.children.first?.label ?? "\(self)")"
    }
}

extension String {
    /// The text without the user information, queries and fragments of its URLs.
    fileprivate var withoutSecretsOfURLs: String {
        guard unicodeScalars.contains("/") else { return self }
        var text = UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let first = rest.first {
            let word = rest.prefix { $0.endsURL == first.endsURL }
            if first.endsURL {
                text.append(contentsOf: word)
            } else {
                text.append(contentsOf: Self.withoutSecrets(ofURL: word))
            }
            rest = rest[word.endIndex...]
        }
        return String(text)
    }

    /// A word may begin before its URL, as in `url=https://…`, and may be a path with a query.
    private static func withoutSecrets(
        ofURL word: Substring.UnicodeScalarView
    ) -> UnicodeScalarView {
        var text = UnicodeScalarView()
        var rest = word
        if let host = Substring(word).firstRange(of: "://")?.upperBound {
            text.append(contentsOf: word[..<host])
            rest = word[host...]
            let authority = rest.prefix { !"/?#".unicodeScalars.contains($0) }
            if let at = authority.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        } else if !rest.contains("/") {
            return UnicodeScalarView(word)
        }
        let address = rest.prefix { !"?#".unicodeScalars.contains($0) }
        text.append(contentsOf: address)
        let secret = rest[address.endIndex...]
        // A single mark ends a sentence.
        text.append(contentsOf: secret.count > 1 ? "…".unicodeScalars[...] : secret)
        return text
    }
}

extension Unicode.Scalar {
    /// True for white space and for what encloses a URL in a text.
    fileprivate var endsURL: Bool {
        properties.isWhitespace || "\"<>`".unicodeScalars.contains(self)
    }
}
