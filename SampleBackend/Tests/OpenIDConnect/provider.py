"""An OpenID provider of Authlib's server parts on loopback, whose person signs in without a page."""

import logging
import os
import threading
import time

# Authlib refuses plain HTTP otherwise, also on loopback.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, grants
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import UserInfo
from authlib.oidc.core.grants import OpenIDCode
from flask import Flask, jsonify, redirect, request
from joserfc.jwk import ECKey, RSAKey
from werkzeug.serving import make_server

logging.getLogger("werkzeug").setLevel(logging.ERROR)
CLIENT_ID = "activeconfig"
CLIENT_SECRET = "the-client-secret-of-the-tests/+:"


class Client(ClientMixin):
    """The backend as the provider knows it."""

    def __init__(self, redirect_uri):
        self.redirect_uri = redirect_uri

    def get_client_id(self):
        return CLIENT_ID

    def get_default_redirect_uri(self):
        return self.redirect_uri

    def get_allowed_scope(self, scope):
        return scope

    def check_redirect_uri(self, redirect_uri):
        return redirect_uri == self.redirect_uri

    def check_client_secret(self, client_secret):
        return client_secret == CLIENT_SECRET

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "client_secret_basic"

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return grant_type == "authorization_code"


class Code(AuthorizationCodeMixin):
    """A code that was not exchanged yet."""

    def __init__(self, code, payload, person):
        data = payload.data
        self.code = code
        self.person = person
        self.redirect_uri = payload.redirect_uri
        self.scope = payload.scope
        self.nonce = data.get("nonce")
        self.code_challenge = data.get("code_challenge")
        self.code_challenge_method = data.get("code_challenge_method")

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope

    def get_nonce(self):
        return self.nonce

    def get_auth_time(self):
        return int(time.time())

    def get_acr(self):
        return None

    def get_amr(self):
        return None


class Provider:
    """Serves until `close`. Tests set `person`, `changes` of the claims, and `error`.

    With `certificate`, the paths of a certificate and its key, it is at https://localhost.
    """

    def __init__(self, certificate=None):
        self.person = {"sub": "1", "email": "ada@shop.example", "email_verified": True}
        self.changes = {}
        self.error = None
        self.client = None
        self.codes = {}
        self.ended = []
        self.keys = [RSAKey.generate_key(2048, {"kid": "first", "alg": "RS256", "use": "sig"})]
        self.server = make_server(
            "127.0.0.1", 0, self.make_app(), threaded=True, ssl_context=certificate)
        origin = "https://localhost" if certificate else "http://127.0.0.1"
        self.issuer = f"{origin}:{self.server.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        """Stops to answer."""
        self.server.shutdown()
        self.server.server_close()

    def rotate(self):
        """Replaces the key by one of another kind."""
        self.keys = [ECKey.generate_key("P-256", {"kid": "next", "alg": "ES256", "use": "sig"})]

    def make_app(self):
        provider = self

        class CodeGrant(grants.AuthorizationCodeGrant):
            TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic"]

            def save_authorization_code(self, code, request):
                provider.codes[code] = Code(code, request.payload, request.user)

            def query_authorization_code(self, code, client):
                return provider.codes.get(code)

            def delete_authorization_code(self, authorization_code):
                del provider.codes[authorization_code.code]

            def authenticate_user(self, authorization_code):
                return authorization_code.person

        class IDTokens(OpenIDCode):
            def exists_nonce(self, nonce, request):
                return False

            def resolve_client_private_key(self, client):
                return provider.keys[0]

            def get_client_algorithm(self, client):
                return provider.keys[0].alg

            def get_encode_header(self, client):
                return {"alg": provider.keys[0].alg, "kid": provider.keys[0].kid}

            def get_client_claims(self, client):
                return {"iss": provider.issuer, "aud": [CLIENT_ID]}

            def get_compatible_claims(self, request):
                now = int(time.time())
                return {"iss": provider.issuer, "aud": [CLIENT_ID], "iat": now, "exp": now + 300}

            def generate_user_info(self, user, scope):
                return UserInfo(user | provider.changes)

        app = Flask("provider")
        server = AuthorizationServer(
            app, query_client=lambda client_id: provider.client if client_id == CLIENT_ID else None,
            save_token=lambda token, request: None)
        server.register_grant(CodeGrant, [IDTokens(require_nonce=True), CodeChallenge(required=True)])

        @app.get("/.well-known/openid-configuration")
        def metadata():
            names = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys",
                     "end_session_endpoint": "end"}
            return jsonify(issuer=provider.issuer,
                           **{name: f"{provider.issuer}/{path}" for name, path in names.items()})

        @app.get("/authorize")
        def authorize():
            if provider.error:
                return redirect(f"{request.args['redirect_uri']}?state={request.args['state']}"
                                f"&error={provider.error}&error_description=Not%20today")
            grant = server.get_consent_grant(end_user=provider.person)
            return server.create_authorization_response(grant_user=provider.person, grant=grant)

        @app.post("/token")
        def token():
            return server.create_token_response()

        @app.get("/keys")
        def keys():
            return jsonify(keys=[key.as_dict(private=False) for key in provider.keys])

        @app.get("/end")
        def end():
            provider.ended.append(dict(request.args))
            return redirect(request.args["post_logout_redirect_uri"])

        return app
