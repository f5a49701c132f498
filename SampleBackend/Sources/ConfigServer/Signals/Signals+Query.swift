extension Signals {
    /// Reads the signals of a query and checks their limits (HTTP 1).
    ///
    /// Parameters that are no signals are ignored, whatever they hold. Of a signal given twice, the
    /// last counts.
    ///
    /// - Parameter query: The parameters of a request, still percent-encoded.
    /// - Throws: A ``RequestError`` with status 400 that names the parameter.
    init(query: QueryParameters) throws(RequestError) {
        self.init()
        for parameter in query {
            guard let name = parameter.name else { continue }
            if let signal = Self.standard[name] {
                self[keyPath: signal] = try Self.value(of: parameter, named: name)
            } else if name.utf8.starts(with: "signal.".utf8) {
                let customName = String(Substring(name.utf8.dropFirst("signal.".utf8.count)))
                try Self.checkName(customName, of: name)
                custom[customName] = try Self.value(of: parameter, named: name)
                guard custom.count <= Self.maximumCustomCount else {
                    throw .invalidArgument(
                        "The query parameter \(shown(name)) is one custom signal too many: send at "
                            + "most \(Self.maximumCustomCount).")
                }
            }
        }
    }

    /// The signals with a name of their own.
    private static let standard: [String: any WritableKeyPath<Signals, String?> & Sendable] = [
        "app.id": \.appID,
        "app.version": \.appVersion,
        "app.build": \.appBuild,
        "device.os": \.deviceOS,
        "device.country": \.deviceCountry,
        "device.language": \.deviceLanguage,
    ]

    /// The decoded value of a signal, within its limit.
    private static func value(
        of parameter: QueryParameters.Parameter, named name: String
    ) throws(RequestError) -> String {
        guard let value = parameter.value else {
            throw .invalidArgument(
                "The value of the query parameter \(shown(name)) is not percent-encoded UTF-8: "
                    + "encode it again.")
        }
        guard !isLonger(value, than: maximumValueLength) else {
            throw .invalidArgument(
                "The value of the query parameter \(shown(name)) is too long: send at most "
                    + "\(maximumValueLength) characters.")
        }
        return value
    }

    /// Checks what stands after `signal.`.
    private static func checkName(_ customName: String, of name: String) throws(RequestError) {
        guard !customName.isEmpty else {
            throw .invalidArgument(
                "The query parameter \"signal.\" names no signal: put the name after the dot.")
        }
        guard !isLonger(customName, than: maximumNameLength) else {
            throw .invalidArgument(
                "The name of the query parameter \(shown(name)) is too long: use at most "
                    + "\(maximumNameLength) characters after \"signal.\".")
        }
    }

    /// Whether a text has more characters than allowed; looks at no more of it than it must.
    private static func isLonger(_ text: String, than limit: Int) -> Bool {
        text.utf8.count > limit && text.dropFirst(limit).isEmpty == false
    }
}

/// A parameter's name as error messages show it: in quotation marks, and cut when it is long.
private func shown(_ name: String) -> String {
    name.count > 60 ? "\"\(name.prefix(60))…\"" : "\"\(name)\""
}
