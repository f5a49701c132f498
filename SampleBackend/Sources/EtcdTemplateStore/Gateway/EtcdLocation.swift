import Foundation

/// The address of a store in an etcd cluster: its members, and the prefix of its keys.
///
/// As text: `http://HOST:PORT,http://HOST:PORT`, with `?` and parameters after the last member:
/// `prefix=/activeconfig/`, `ca=FILE`, `cert=FILE`, `key=FILE` for TLS, `user=NAME` and
/// `password-file=FILE` for etcd's users.
public struct EtcdLocation: Sendable, Hashable, CustomStringConvertible {
    /// The client URLs of the members, each `http` or `https` with a host and maybe a port.
    public var members: [String]

    /// The text that each key begins with; it ends with a slash.
    public var prefix = Self.defaultPrefix

    /// The file with the certificates that the members' are checked with, PEM; nil means the system's.
    public var authorityFile: String?

    /// The file with the certificate of this client, PEM.
    public var certificateFile: String?

    /// The file with the private key of the certificate, PEM.
    public var keyFile: String?

    /// The name of etcd's user; nil when the cluster asks for none.
    public var user: String?

    /// The file whose first line is the password; it is read again whenever etcd asks for the user.
    public var passwordFile: String?

    /// The prefix of keys when none is given.
    public static let defaultPrefix = "/activeconfig/"

    /// Creates a location with the default prefix, without TLS files and without a user.
    public init(members: [String]) { self.members = members }

    /// Parses a location.
    ///
    /// - Throws: An ``EtcdLocationError`` that names the part that cannot be used.
    public init(parsing text: String) throws(EtcdLocationError) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        members = []
        // No address is named, since it may have a part of a password.
        guard !parts[0].contains("@") else {
            throw EtcdLocationError(
                "an address of a member has a user: give ?user=NAME&password-file=FILE instead")
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
                // Not named: it may be a part of a password.
                throw EtcdLocationError("a parameter has no value: give NAME=VALUE, with & between")
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
            throw EtcdLocationError("\(plain) is without TLS, and ca, cert and key are for https")
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
                "member \(number) is no address: give http://HOST:PORT or https://HOST:PORT, several "
                    + "with commas between")
        }
        let port = url.port ?? 2_379
        guard (1...65_535).contains(port) else {
            throw EtcdLocationError("there is no port \(port)")
        }
        return "\(url.scheme ?? "http")://\(host):\(port)"
    }

    /// The members and the prefix, as in errors.
    public var description: String {
        let prefix = prefix == Self.defaultPrefix ? "" : "?prefix=\(self.prefix)"
        return "etcd:" + members.joined(separator: ",") + prefix
    }
}

/// The reason why a text is no location in etcd.
public struct EtcdLocationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason, a sentence without its full stop.
    public let description: String

    init(_ description: String) { self.description = description }
}
