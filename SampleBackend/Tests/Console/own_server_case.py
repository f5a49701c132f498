"""The base class of tests that stop the server."""

from backend import Backend
from console_case import ConsoleCase
from relay import Relay
from task_case import TaskCase


class OwnServerCase(TaskCase):
    """A test with a separate server, which the browser uses through a relay."""

    def setUp(self):
        ConsoleCase.setUp(self)
        self.project = "default"
        self.backend = self.make_backend()
        self.addCleanup(self.backend.close)
        self.backend.start()
        self.relay = Relay(self.backend.address)
        self.addCleanup(self.relay.close)
        self.url = self.relay.url
        self.browser.forget(self.url)

    def make_backend(self):
        """The backend that the test starts."""
        return Backend()

    @property
    def server(self):
        """The server's address, which changes with a restart."""
        host, port = self.backend.address
        return f"http://{host}:{port}"

    def start_again(self):
        """Restarts the killed server."""
        self.backend.start()
        self.relay.target = self.backend.address
