import Foundation

/// A person who signed in at an OpenID provider, as the provider described them at that time.
///
/// Sessions and votes keep it, so that the rules for roles can be applied to it again later.
public struct SignedInPerson: Sendable, Hashable, Codable {
    /// The provider.
    public let issuer: String

    /// The provider's identifier of the person.
    public let subject: String

    /// The verified e-mail address in lower case; nil when there is none.
    public let address: String?

    /// The groups that the rules named at the sign-in.
    public let groups: [String]

    /// Creates a person.
    public init(issuer: String, subject: String, address: String? = nil, groups: [String] = []) {
        self.issuer = issuer
        self.subject = subject
        self.address = address
        self.groups = groups
    }

    /// The name in votes and in the audit trail: the verified address, else issuer and subject.
    ///
    /// Only an address can look like one, so nobody takes another person's name.
    public var name: String { address ?? "\(issuer)#\(subject)" }
}

extension SignedInPerson {
    /// The person as engines store it.
    package var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts can always be encoded; an empty one is read as nobody, who has no rights.
        return String(decoding: (try? encoder.encode(self)) ?? Data(), as: UTF8.self)
    }

    /// The person in a stored text; nil when it cannot be read.
    package init?(text: String) {
        guard let person = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else {
            return nil
        }
        self = person
    }
}
