"""Starts LocalStack on 127.0.0.1 only: whoever reaches its port can run code as the user who started it.

LocalStack ignores the host in GATEWAY_LISTEN and gives Twisted none, which then listens on every address of the machine.
"""

from functools import partial

from localstack.runtime.main import main
from twisted.internet import endpoints

LOOPBACK = "127.0.0.1"


def listen_on_loopback() -> None:
    """LocalStack looks the class up in its module when it starts to listen, and gives it a reactor and a port only."""
    endpoints.TCP4ServerEndpoint = partial(endpoints.TCP4ServerEndpoint, interface=LOOPBACK)


if __name__ == "__main__":
    listen_on_loopback()
    main()
