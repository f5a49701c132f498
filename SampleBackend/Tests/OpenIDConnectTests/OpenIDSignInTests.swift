import Foundation
import HTTPServing
import JSONTree
import NIOConcurrencyHelpers
import TemplateStore
import Testing

@testable import OpenIDConnect

struct OpenIDSignInTests {
    /// A sign-in at a scripted provider, whose clocks the test sets.
    private struct Trial {
        let provider = ScriptedProvider()
        let signIn: OpenIDSignIn
        let date = NIOLockedValueBox(Date(timeIntervalSince1970: 1_800_000_000))
        let instant = NIOLockedValueBox(ContinuousClock.now)
        let key: ProviderKey

        init(
            key: ProviderKey = .es256("first"), claim: String = "groups"
        ) throws {
            self.key = key
            let rules = try OpenIDRules(
                jsonData: Data(
                    """
                    {"groupsClaim": "\(claim)", "scopes": ["groups"], "rules": [
                        {"group": "editors", "role": "editor"},
                        {"domain": "shop.example", "role": "viewer"}
                    ]}
                    """.utf8))
            let options = try OpenIDOptions(
                issuer: ScriptedProvider.issuer, clientID: ScriptedProvider.clientID,
                clientSecret: Secret(ScriptedProvider.secret),
                publicURL: "https://config.example/", rules: OpenIDRulesFile(rules))
            signIn = OpenIDSignIn(
                options: options, transport: provider,
                now: { [date] in date.withLockedValue { $0 } },
                instant: { [instant] in instant.withLockedValue { $0 } })
            provider.state.withLockedValue { $0.keys = [key.jwk] }
        }

        /// The parameters of the address that a begun sign-in opens.
        func begin() async throws -> (query: [String: String], note: String) {
            let (address, note) = try await signIn.begin()
            let items = try #require(URLComponents(string: address)?.queryItems)
            let pairs = items.map { ($0.name, $0.value ?? "") }
            return (Dictionary(pairs, uniquingKeysWith: { first, _ in first }), note)
        }

        /// The claims of a good token.
        func claims(nonce: String) -> JSONNode {
            let now = date.withLockedValue { Int($0.timeIntervalSince1970) }
            return [
                "iss": .string(ScriptedProvider.issuer), "sub": "1",
                "aud": .string(ScriptedProvider.clientID), "nonce": .string(nonce),
                "iat": .number("\(now)"), "exp": .number("\(now + 300)"),
                "email": "Ada@Shop.example", "email_verified": true,
            ]
        }

        /// Signs in with changed claims; nil removes a claim.
        func finish(
            _ changes: [(String, JSONNode?)] = [], header: JSONNode = .emptyObject,
            signedBy other: ProviderKey? = nil,
            callback change: (inout OpenIDSignIn.Callback) -> Void = { _ in }
        ) async throws -> SignedInPerson {
            let (query, note) = try await begin()
            var claims = claims(nonce: query["nonce"] ?? "")
            for (name, value) in changes {
                claims.removeMember(name)
                claims.setMember(name, value)
            }
            let token = try (other ?? key).token(claims, header: header)
            provider.state.withLockedValue {
                $0.tokens = [
                    "id_token": .string(token), "access_token": "access", "token_type": "Bearer",
                ]
            }
            var callback = OpenIDSignIn.Callback()
            callback.state = query["state"]
            callback.code = "code"
            change(&callback)
            return try await signIn.finish(callback, note: note)
        }

        /// The reason for which a sign-in fails.
        func failure(
            _ changes: [(String, JSONNode?)] = [], header: JSONNode = .emptyObject,
            signedBy other: ProviderKey? = nil,
            callback change: (inout OpenIDSignIn.Callback) -> Void = { _ in }
        ) async -> String? {
            do {
                _ = try await finish(changes, header: header, signedBy: other, callback: change)
                return nil
            } catch { return "\(error)" }
        }
    }

    @Test func aPersonSignsInWithPKCE() async throws {
        for key in [ProviderKey.es256("first"), try await .rs256("second")] {
            let trial = try Trial(key: key)
            let person = try await trial.finish([("groups", .array(["editors", "unknown"]))])
            #expect(
                person
                    == SignedInPerson(
                        issuer: ScriptedProvider.issuer, subject: "1", address: "ada@shop.example",
                        groups: ["editors", "unknown"]))
            #expect(trial.signIn.rights(of: person)?.role == .editor)
            let (query, _) = try await trial.begin()
            #expect(query["tenant"] == "1" && query["response_type"] == "code")
            #expect(query["redirect_uri"] == "https://config.example/console/openid/callback")
            #expect(query["scope"] == "openid email profile groups")
            #expect(query["code_challenge_method"] == "S256")
            let request = try #require(trial.provider.requests(of: "/token").first)
            let form = try #require(URLComponents(string: "?\(request.form ?? "")")?.queryItems)
            let verifier = form.first { $0.name == "code_verifier" }?.value
            #expect(verifier?.utf8.count == 43)
            #expect(form.first { $0.name == "code" }?.value == "code")
            #expect(!form.contains { $0.name == "client_secret" })
            #expect(request.headerFields.map(\.name) == ["Authorization"])
        }
    }

    @Test func aTokenThatIsNotForThisSignInIsRefused() async throws {
        let trial = try Trial()
        let now = Int(trial.date.withLockedValue { $0.timeIntervalSince1970 })
        let rows: [(changes: [(String, JSONNode?)], reason: String)] = [
            ([("iss", "https://login.example/")], "another issuer"), ([("iss", nil)], "(iss)"),
            ([("aud", "other")], "(aud)"), ([("aud", nil)], "(aud)"),
            ([("aud", .array([]))], "(aud)"),
            ([("aud", .array(["console", "other"]))], "(azp)"), ([("azp", "other")], "(azp)"),
            ([("nonce", "other")], "(nonce)"), ([("nonce", nil)], "(nonce)"),
            ([("exp", .number("\(now - 60)"))], "(exp)"), ([("exp", nil)], "exp and iat"),
            ([("iat", nil)], "exp and iat"), ([("iat", .string("\(now)"))], "exp and iat"),
            ([("iat", .number("\(now + 61)"))], "(iat)"),
            ([("iat", .number("\(now - 661)"))], "too old"),
            ([("nbf", .number("\(now + 61)"))], "(iat)"),
            ([("sub", nil)], "(sub)"), ([("sub", "é")], "(sub)"), ([("sub", "")], "(sub)"),
        ]
        for (changes, reason) in rows {
            let failure = await trial.failure(changes)
            #expect(failure?.contains(reason) == true, "\(changes): \(failure ?? "accepted")")
        }
        // Clocks differ.
        for changes: [(String, JSONNode?)] in [
            [("exp", .number("\(now - 59)"))], [("iat", .number("\(now + 60)"))],
            [("aud", .array(["console", "other"])), ("azp", "console")],
        ] {
            #expect(await trial.failure(changes) == nil)
        }
    }

    @Test func onlyThePublicKeysOfTheProviderCount() async throws {
        let trial = try Trial()
        for (header, reason): (JSONNode, String) in [
            (["alg": "none"], "no public key"), (["alg": "HS256"], "no public key"),
            (["alg": "RS256"], "no public key"), (["kid": "other"], "no public key"),
            (["crit": ["b64"]], "crit"),
        ] {
            let failure = await trial.failure(header: header)
            #expect(failure?.contains(reason) == true, "\(header): \(failure ?? "accepted")")
        }
        let failure = await trial.failure(signedBy: .es256("first"))
        #expect(failure?.contains("signature") == true)
        // A shared key of the set verifies nothing, and a HMAC with the client secret neither.
        let secret = Data(ScriptedProvider.secret.utf8).base64URL
        trial.provider.state.withLockedValue {
            $0.keys.append(["kty": "oct", "kid": "s", "alg": "HS256", "k": .string(secret)])
        }
        let again = await trial.failure(header: ["alg": "HS256", "kid": "s"])
        #expect(again?.contains("no public key") == true)
    }

    @Test func aNewKeyOfTheProviderIsRead() async throws {
        let trial = try Trial()
        _ = try await trial.finish()
        let next = ProviderKey.es256("next")
        trial.provider.state.withLockedValue { $0.keys = [next.jwk] }
        _ = try await trial.finish(signedBy: next)
        #expect(trial.provider.requests(of: "/keys").count == 2)
        _ = try await trial.finish(signedBy: next)
        #expect(trial.provider.requests(of: "/keys").count == 2)
        #expect(trial.provider.requests(of: "/openid-configuration").count == 1)
        trial.instant.withLockedValue { $0 += .seconds(3_600) }
        _ = try await trial.finish(signedBy: next)
        #expect(trial.provider.requests(of: "/openid-configuration").count == 2)
        #expect(trial.provider.requests(of: "/keys").count == 3)
    }

    /// Some providers give a new key the name of the former one, or no name.
    @Test(arguments: ["first", nil] as [String?])
    func aNewKeyIsReadThatTheNameOfAFormerOneFits(id: String?) async throws {
        let header: JSONNode = ["kid": id.map { .string($0) } ?? .null]
        let trial = try Trial()
        let next = ProviderKey.es256("first")
        func publish(_ key: ProviderKey) {
            var jwk = key.jwk
            if id == nil { jwk.removeMember("kid") }
            trial.provider.state.withLockedValue { $0.keys = [jwk] }
        }
        publish(trial.key)
        _ = try await trial.finish(header: header)
        publish(next)
        for _ in 0..<2 { _ = try await trial.finish(header: header, signedBy: next) }
        #expect(trial.provider.requests(of: "/keys").count == 2)
        // The former key is not valid any more.
        #expect(await trial.failure(header: header)?.contains("signature") == true)
    }

    @Test func anAttemptIsOfOneBrowserAndUsedOnce() async throws {
        let trial = try Trial()
        #expect(await trial.failure { $0.state = "other" }?.contains("(state)") == true)
        #expect(await trial.failure { $0.state = nil }?.contains("(state)") == true)
        #expect(await trial.failure { $0.code = nil }?.contains("no code") == true)
        let refusal = await trial.failure {
            $0.error = "access_denied"
            $0.errorDescription = "No\n\u{202E}way <script>"
        }
        #expect(refusal?.contains("\"access_denied\": \"No  way <script>\"") == true)
        let (query, note) = try await trial.begin()
        var callback = OpenIDSignIn.Callback()
        callback.state = query["state"]
        callback.code = "code"
        for text in [nil, "", "AAAA", String(note.dropLast(2)), note + "A"] {
            await #expect(throws: OpenIDError.self) {
                try await trial.signIn.finish(callback, note: text)
            }
        }
        let token = try trial.key.token(trial.claims(nonce: query["nonce"] ?? ""))
        trial.provider.state.withLockedValue { $0.tokens = ["id_token": .string(token)] }
        _ = try await trial.signIn.finish(callback, note: note)
        let replay = await #expect(throws: OpenIDError.self) {
            try await trial.signIn.finish(callback, note: note)
        }
        #expect(replay?.description.contains("used before") == true)
        let late = try await trial.begin()
        callback.state = late.query["state"]
        trial.date.withLockedValue { $0 += SignInAttempt.lifetime }
        let error = await #expect(throws: OpenIDError.self) {
            try await trial.signIn.finish(callback, note: late.note)
        }
        #expect(error?.description.contains("10 minutes") == true)
    }

    /// Anybody can begin exchanges, which wait for the provider.
    @Test func theExchangesOfAnAddressLeaveRoomForOthers() async throws {
        let trial = try Trial()
        let addresses = try ["192.0.2.1", "192.0.2.2"].map {
            ClientAddress(try #require(IPAddress($0)))
        }
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let (opening, opener) = AsyncStream.makeStream(of: Void.self)
        let gate = Task { for await _ in opening {} }
        trial.provider.state.withLockedValue {
            $0.hold = {
                arrival.yield()
                await gate.value
            }
        }
        var arrived = arrivals.makeAsyncIterator()
        func attempt() async throws -> (OpenIDSignIn.Callback, nonce: String?, note: String) {
            let (query, note) = try await trial.begin()
            var callback = OpenIDSignIn.Callback()
            callback.state = query["state"]
            callback.code = "code"
            return (callback, query["nonce"], note)
        }
        for address in [0, 0, 0, 0, 1].map({ addresses[$0] }) {
            let (callback, _, note) = try await attempt()
            Task { [signIn = trial.signIn] in
                _ = try? await signIn.finish(callback, note: note, from: address)
            }
            await arrived.next()
        }
        let (callback, nonce, note) = try await attempt()
        await #expect(throws: OpenIDSignIn.isBusy) {
            try await trial.signIn.finish(callback, note: note, from: addresses[0])
        }
        opener.finish()
        let token = try trial.key.token(trial.claims(nonce: nonce ?? ""))
        trial.provider.state.withLockedValue { $0.tokens = ["id_token": .string(token)] }
        // The attempt is not used up.
        let person = try await trial.signIn.finish(callback, note: note, from: addresses[1])
        #expect(person.address == "ada@shop.example")
    }

    @Test func theAnswerMustBeOfThisProvider() async throws {
        let trial = try Trial()
        #expect(
            await trial.failure { $0.issuer = "https://other.example" }?.contains("(iss)") == true)
        #expect(await trial.failure { $0.issuer = ScriptedProvider.issuer } == nil)
        let strict = try Trial()
        strict.provider.state.withLockedValue {
            $0.metadata.setMember("authorization_response_iss_parameter_supported", true)
        }
        #expect(await strict.failure()?.contains("(iss)") == true)
    }

    @Test func onlyAVerifiedAddressCounts() async throws {
        let trial = try Trial()
        for value: JSONNode? in [nil, false, "false", 1] {
            let person = try await trial.finish([("email_verified", value)])
            #expect(person.address == nil && person.name == "https://login.example#1")
            #expect(trial.signIn.rights(of: person) == nil)
        }
        #expect(try await trial.finish([("email_verified", "true")]).address == "ada@shop.example")
        for address in ["ada", "a@b@shop.example", "аda@shop.example", "a b@shop.example"] {
            #expect(try await trial.finish([("email", .string(address))]).address == nil)
        }
    }

    @Test func theUserInfoCompletesTheToken() async throws {
        let trial = try Trial(claim: "roles")
        trial.provider.state.withLockedValue {
            $0.metadata.setMember("userinfo_endpoint", "https://login.example/userinfo")
            $0.userInfo = [
                "sub": "1", "email": "eve@shop.example", "email_verified": true, "roles": "editors",
            ]
        }
        let person = try await trial.finish([("email", nil), ("email_verified", nil)])
        #expect(person.address == "eve@shop.example" && person.groups == ["editors"])
        // What is verified is the address of the token, or that of the user info.
        let own = try await trial.finish([("email_verified", false)])
        #expect(own.address == nil)
        trial.provider.state.withLockedValue { $0.userInfo?.setMember("sub", "2") }
        #expect(await trial.failure()?.contains("another subject") == true)
    }

    @Test func aProviderThatDoesNotAnswerIsAskedAgainSoon() async throws {
        let trial = try Trial()
        let error = OpenIDError("It is down.", isOfProvider: true)
        trial.provider.state.withLockedValue { $0.error = error }
        for _ in 0..<3 { await #expect(throws: error) { try await trial.signIn.begin() } }
        #expect(trial.provider.requests(of: "/openid-configuration").count == 1)
        #expect(await trial.signIn.endSessionAddress() == nil)
        trial.provider.state.withLockedValue { $0.error = nil }
        trial.instant.withLockedValue { $0 += .seconds(3) }
        _ = try await trial.finish()
        #expect(
            await trial.signIn.endSessionAddress()
                == "https://login.example/end?client_id=console"
                + "&post_logout_redirect_uri=https%3A%2F%2Fconfig.example%2Fconsole%2F")
    }

    /// What is known stays in use while the provider does not answer.
    @Test func anOutageLeavesWhatIsKnownInUse() async throws {
        let trial = try Trial()
        _ = try await trial.signIn.begin()
        trial.provider.state.withLockedValue {
            $0.error = OpenIDError("It is down.", isOfProvider: true)
        }
        trial.instant.withLockedValue { $0 += .seconds(7_200) }
        for _ in 0..<3 { _ = try await trial.signIn.begin() }
        #expect(trial.provider.requests(of: "/openid-configuration").count == 2)
    }

    /// Rules that are read later can refuse people by groups that no rule named before.
    @Test func groupsThatNoRuleNamesAreKept() async throws {
        let trial = try Trial(claim: "roles")
        let many: [JSONNode] = (0..<100).map { .string("other\($0)") } + ["suspended", "editors"]
        let person = try await trial.finish([("roles", .array(many))])
        #expect(person.groups.count == 50 && person.groups.first == "editors")
        let few = try await trial.finish([("roles", ["suspended", "editors"])])
        #expect(few.groups == ["editors", "suspended"])
    }

    /// A person whom the provider describes as before is equal, so that no session ends.
    @Test func theOrderOfGroupsDependsOnNoRule() async throws {
        let trial = try Trial()
        let groups: JSONNode = ["zeta", "editors", "alpha"]
        let before = try await trial.finish([("groups", groups)])
        trial.signIn.options.rules.replace(
            by: try OpenIDRules(
                jsonData: Data("{\"rules\": [{\"group\": \"zeta\", \"role\": \"viewer\"}]}".utf8)))
        #expect(try await trial.finish([("groups", groups)]) == before)
    }

    @Test func metadataOfAnotherIssuerAreRefused() async throws {
        for (name, value, reason): (String, JSONNode?, String) in [
            ("issuer", "https://login.example/", "issuer"), ("jwks_uri", nil, "lack jwks_uri"),
            ("token_endpoint", "http://login.example/token", "https"),
            ("token_endpoint", "http://localhost/token", "without https"),
            ("authorization_endpoint", "javascript:alert(1)", "authorization_endpoint"),
        ] {
            let trial = try Trial()
            trial.provider.state.withLockedValue {
                $0.metadata.removeMember(name)
                $0.metadata.setMember(name, value)
            }
            let error = await #expect(throws: OpenIDError.self) { try await trial.signIn.begin() }
            #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
        }
    }

    @Test func theSecretIsSentAsTheProviderWants() async throws {
        let trial = try Trial()
        trial.provider.state.withLockedValue {
            $0.metadata.setMember(
                "token_endpoint_auth_methods_supported", ["client_secret_post"])
        }
        _ = try await trial.finish()
        let request = try #require(trial.provider.requests(of: "/token").first)
        #expect(request.form?.contains("client_secret=a%20client%20secret") == true)
        #expect(request.headerFields.isEmpty)
        trial.provider.state.withLockedValue { $0.tokens = ["error": "invalid_grant"] }
        let (query, note) = try await trial.begin()
        var callback = OpenIDSignIn.Callback()
        callback.state = query["state"]
        callback.code = "code"
        let error = await #expect(throws: OpenIDError.self) {
            try await trial.signIn.finish(callback, note: note)
        }
        #expect(error?.description.contains("\"invalid_grant\"") == true)
    }

    @Test func aFailureIsKeptForThePage() throws {
        let trial = try Trial()
        let note = try #require(trial.signIn.note(ofFailure: "It is down."))
        #expect(trial.signIn.failure(inNote: note) == "It is down.")
        for text in [nil, "", "x", note + "x"] {
            #expect(trial.signIn.failure(inNote: text) == nil)
        }
    }

    @Test(arguments: [
        ("http://login.example", "https://a.example", "issuer"),
        ("https://user@login.example", "https://a.example", "issuer"),
        ("https://login.example#x", "https://a.example", "issuer"),
        ("https://login.example", "https://a.example/console", "path"),
        ("https://login.example", "a.example", "public URL"),
    ])
    func addressesThatCannotBeUsedAreRefused(issuer: String, url: String, reason: String) throws {
        let rules = OpenIDRulesFile(try OpenIDRules(jsonData: Data("{\"rules\": []}".utf8)))
        let error = #expect(throws: OpenIDError.self) {
            try OpenIDOptions(
                issuer: issuer, clientID: "c", clientSecret: Secret("0123456789abcdef"),
                publicURL: url, rules: rules)
        }
        #expect(error?.description.contains(reason) == true)
        let options = try OpenIDOptions(
            issuer: "http://127.0.0.1:1/realm", clientID: "c",
            clientSecret: Secret("0123456789abcdef"), publicURL: "https://A.example:443/",
            rules: rules)
        #expect(options.publicOrigin == "https://a.example" && options.publicHost == "a.example")
    }
}
