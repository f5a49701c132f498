"""A relay between a browser and a backend that can intercept a publish."""

import socket
import threading

from console_case import PATIENCE


class Relay:
    """Forwards bytes in both directions.

    `on_publish` is called once, after a complete publish request, with a function that forwards it
    and waits for the response. The browser never gets that response.
    """

    def __init__(self, target):
        self.target = target
        self.on_publish = None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        """Stops accepting connections."""
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        """Forwards one request and its answer, or hands a publish to `on_publish`."""
        with client, client.makefile("rb") as reader:
            while request := self._read(reader):
                head = request.split(b"\r\n", 1)[0]
                if self.on_publish and head.startswith(b"PUT ") and b"validateOnly" not in head:
                    action, self.on_publish = self.on_publish, None
                    action(lambda: self._answer(request))
                    return
                answer = self._answer(request)
                if not answer:
                    return
                client.sendall(answer)
                return

    def _answer(self, request):
        """The backend's answer; empty if the backend cannot be reached."""
        try:
            # Longer than tests wait for the page, so that the page's own time limit ends a call.
            with socket.create_connection(self.target, timeout=2 * PATIENCE) as server:
                server.sendall(request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
                parts = []
                while part := server.recv(65536):
                    parts.append(part)
                return b"".join(parts)
        except OSError:
            return b""

    @staticmethod
    def _read(reader):
        """The next request with its body, without the field Connection; empty at the end."""
        lines = []
        length = 0
        while line := reader.readline():
            name = line.split(b":", 1)[0].lower()
            if name == b"content-length":
                length = int(line.split(b":", 1)[1])
            if name != b"connection":
                lines.append(line)
            if line == b"\r\n":
                return b"".join(lines) + reader.read(length)
        return b""
