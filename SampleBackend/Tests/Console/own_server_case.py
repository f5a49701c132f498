"""The base class of tests that end the server."""

from backend import Backend
from console_case import ConsoleCase
from relay import Relay
from task_case import TaskCase


class OwnServerCase(TaskCase):
    """A test with a server of its own, which the browser uses through a relay."""

    def setUp(self):
        ConsoleCase.setUp(self)
        self.project = "default"
        self.backend = Backend()
        self.addCleanup(self.backend.close)
        self.backend.start()
        self.relay = Relay(self.backend.address)
        self.addCleanup(self.relay.close)
        self.url = self.relay.url
        self.browser.forget(self.url)

    @property
    def server(self):
        """The server's address, which changes when it is started again."""
        host, port = self.backend.address
        return f"http://{host}:{port}"

    def start_again(self):
        """Starts the server after it was killed."""
        self.backend.start()
        self.relay.target = self.backend.address
