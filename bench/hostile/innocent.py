"""A client that does nothing unusual: submits a job, claims it, heartbeats, acknowledges it."""

import multiprocessing
import time

from clients import Client, Latencies

QUEUE = "innocent"


def one_round(client, latencies, queue=QUEUE):
    latencies.timed("submit", lambda: client.call(
        "POST", "/v1/jobs", {"type": "small", "queue": queue, "payload": {"n": 1}}))
    executions = latencies.timed("claim", lambda: client.claim(queue, types=["small"]))
    for execution in executions:
        latencies.timed("heartbeat", lambda one=execution: client.work(one, "heartbeat"))
        latencies.timed("ack", lambda one=execution: client.work(one, "ack", result=1))


def _measure(address, seconds, pause, result):
    client = Client(address)
    latencies = Latencies()
    end = time.monotonic() + seconds
    failures = []
    while time.monotonic() < end:
        try:
            one_round(client, latencies)
        except Exception as failure:  # pylint: disable=broad-except
            failures.append(repr(failure))
        time.sleep(pause)
    result.put((latencies.figures(), failures))


class Measurement:
    """An innocent client in a process of its own, for some seconds."""

    def __init__(self, address, seconds, pause=0.005):
        self.result = multiprocessing.Queue()
        self.process = multiprocessing.Process(
            target=_measure, args=(address, seconds, pause, self.result))
        self.process.start()

    def wait(self):
        """Figures by verb, and what failed."""
        figures, failures = self.result.get()
        self.process.join()
        return figures, failures
