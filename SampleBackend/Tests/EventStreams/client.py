"""Reads event streams of a running backend with widespread clients: client.py URL"""

import json
import os
import queue
import subprocess
import sys
import threading
import time

import httpx
import ld_eventsource
import ld_eventsource.config
import requests
import sseclient
from httpx_sse import connect_sse

# A later event was delayed by the client's reader, not by the server.
LIMIT = 10

url = sys.argv[1]
stream = f"{url}/activeconfig/user/1/events"
token = {"Authorization": f"Bearer {os.environ['ACTIVECONFIG_ADMIN_TOKEN']}", "If-Match": "*"}


def publish(title):
    """Publishes a template, and returns its version."""
    template = {"parameters": {"title": {"defaultValue": {"value": title}}}}
    answer = requests.put(f"{url}/v1/projects/default/remoteConfig", json=template, headers=token, timeout=LIMIT)
    answer.raise_for_status()
    return answer.json()["version"]["versionNumber"]


def of_sseclient():
    """Iterates over the content of `requests` in the pieces in which it arrives."""
    with requests.get(stream, stream=True, timeout=LIMIT) as answer:
        for event in sseclient.SSEClient(answer).events():
            yield event.event, event.id


def of_httpx():
    with httpx.Client(timeout=LIMIT) as client, connect_sse(client, "GET", stream) as source:
        for event in source.iter_sse():
            yield event.event, event.id


def of_launchdarkly():
    strategy = ld_eventsource.config.ConnectStrategy.http(stream)
    with ld_eventsource.SSEClient(connect=strategy) as client:
        for event in client.events:
            yield event.event, event.last_event_id


def of_curl(*options):
    command = ["curl", "--silent", "--show-error", "--no-buffer", "--max-time", "30", *options, stream]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        try:
            name = None
            for line in program.stdout:
                field, _, value = line.rstrip("\n").partition(": ")
                if field == "event":
                    name = value
                elif field == "id":
                    yield name, value
        finally:
            program.kill()


def of_curl_without_chunks():
    yield from of_curl("--http1.0")


def listen(client, events):
    """Puts the client's events into a queue until it is asked to stop."""
    try:
        for event in client():
            events.put(event)
            if event[0] == "update":
                return
    except Exception as error:
        events.put((type(error).__name__, str(error)))


failures = 0
for client in (of_sseclient, of_httpx, of_launchdarkly, of_curl, of_curl_without_chunks):
    before = publish(f"before {client.__name__} {url}")
    events = queue.Queue()
    threading.Thread(target=listen, args=(client, events), daemon=True).start()
    seen = []
    try:
        began = time.monotonic()
        seen.append(events.get(timeout=LIMIT))
        after = publish(f"after {client.__name__} {url}")
        seen.append(events.get(timeout=LIMIT))
        is_right = seen == [("hello", before), ("update", after)]
    except queue.Empty:
        is_right = False
    failures += not is_right
    print("ok  " if is_right else "FAIL", client.__name__, f"{time.monotonic() - began:.1f} s",
          "" if is_right else json.dumps(seen))
sys.exit(1 if failures else 0)
