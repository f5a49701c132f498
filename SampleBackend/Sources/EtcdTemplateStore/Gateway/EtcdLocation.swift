import Foundation

/// The address of a store in an etcd cluster: its members, and the prefix of its keys.
///
/// As text: `http://HOST:PORT,http://HOST:PORT`, followed by `?` and parameters:
/// `prefix=/activeconfig/`; `ca=FILE`, `cert=FILE` and `key=FILE` for TLS; `user=NAME` and
/// `password-file=FILE` for etcd's users.
public struct EtcdLocation: Sendable, Hashable, CustomStringConvertible {
    /// The client URLs of the members, each `http` or `https` with a host and an optional port.
    public var members: [String]

    /// The prefix of all keys, which ends with a slash.
    public var prefix = Self.defaultPrefix

    /// The file with the certificates that verify the members', PEM; nil means the system's.
    public var authorityFile: String?

    /// The file with the certificate of this client, PEM.
    public var certificateFile: String?

    /// The file with the private key of the certificate, PEM.
    public var keyFile: String?

    /// The name of etcd's user; nil if the cluster requires none.
    public var user: String?

    /// The file whose first line is the password; it is read each time etcd asks for the user.
    public var passwordFile: String?

    /// The default prefix of keys.
    public static let defaultPrefix = "/activeconfig/"

    /// Creates a location with the default prefix, without TLS files or a user.
    public init(members: [String]) { self.members = members }

    /// Parses a location.
    ///
    /// - Throws: An ``EtcdLocationError`` that names the invalid part.
    public init(parsing text: String) throws(EtcdLocationError) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        members = []
        // Omits the address, which can contain a part of a password.
        guard !parts[0].contains("@") else {
            throw EtcdLocationError(
                "the address of a member has a user: give ?user=NAME&password-file=FILE instead")
        }
        for member in parts[0].split(separator: ",", omittingEmptySubsequences: false) {
            members.append(try Self.member(String(member), number: members.count + 1))
        }
        guard parts.count == 2 else { return }
        for parameter in parts[1].split(separator: "&") {
            let pair = parameter.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let value = pair[1].removingPercentEncoding, !value.isEmpty
            else {
                // Omits the text, which can be a part of a password.
                throw EtcdLocationError("a parameter has no value: give NAME=VALUE, separated by &")
            }
            switch pair[0] {
            case "prefix": prefix = value.hasSuffix("/") ? value : value + "/"
            case "ca": authorityFile = value
            case "cert": certificateFile = value
            case "key": keyFile = value
            case "user": user = value
            case "password-file": passwordFile = value
            default:
                throw EtcdLocationError(
                    "there is no parameter \"\(pair[0])\": use prefix, ca, cert, key, user or "
                        + "password-file")
            }
        }
        if (certificateFile == nil) != (keyFile == nil) {
            throw EtcdLocationError("a client certificate needs both cert and key")
        }
        if (user == nil) != (passwordFile == nil) {
            throw EtcdLocationError("a user needs both user and password-file")
        }
        if authorityFile ?? certificateFile != nil,
            let plain = members.first(where: { $0.hasPrefix("http:") })
        {
            throw EtcdLocationError("\(plain) has no TLS, but ca, cert and key are for https")
        }
    }

    private static func member(
        _ text: String, number: Int
    ) throws(EtcdLocationError) -> String {
        guard let url = URLComponents(string: text), url.scheme == "http" || url.scheme == "https",
            let host = url.host, !host.isEmpty, url.path.isEmpty || url.path == "/",
            url.fragment == nil
        else {
            throw EtcdLocationError(
                "member \(number) is not an address: give http://HOST:PORT or https://HOST:PORT, "
                    + "several separated by commas")
        }
        let port = url.port ?? 2_379
        guard (1...65_535).contains(port) else {
            throw EtcdLocationError("there is no port \(port)")
        }
        return "\(url.scheme ?? "http")://\(host):\(port)"
    }

    /// The members and the prefix, for error messages.
    public var description: String {
        let prefix = prefix == Self.defaultPrefix ? "" : "?prefix=\(self.prefix)"
        return "etcd:" + members.joined(separator: ",") + prefix
    }
}

/// The reason why a text is not a location in etcd.
public struct EtcdLocationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason, as a sentence without a full stop.
    public let description: String

    init(_ description: String) { self.description = description }
}
