"""A plant's end of the fast channel of rhc (docs/protocol.md): one file, Python's standard library.

    channel = Channel("/tmp/plant.sock", measured=2, actions=1, time_step=0.02)
    while True:
        channel.accept()                    # a controller, if one is waiting
        action = channel.receive()          # the newest action; None: no new one
        ...                                 # one time step
        channel.send([angle, speed])

`rhc control RUN --plant unix:/tmp/plant.sock` connects. Linux only: the sockets are SOCK_SEQPACKET.
"""
import errno
import math
import os
import select
import socket
import struct
import time

VERSION = 1
HELLO, ACTION, MEASUREMENT = 1, 2, 3
ENDED, STOP, FAILED, REST = 1, 2, 4, 8
MOST_VALUES, MOST_WORDS = 1024, 256
_HEADER = struct.Struct("<4sHHQQqIHH")
_MAGIC = b"rhcF"
_LARGEST = _HEADER.size + 8 * MOST_VALUES + MOST_WORDS


class Gone(Exception):
    """Nobody controls any more: go to rest, and accept again."""


class Rest(Exception):
    """The controller takes its hands off; `action` is its last one, and the safe one."""

    def __init__(self, action):
        super().__init__("rest")
        self.action = action


class Channel:
    def __init__(self, path, measured, actions, time_step):
        if not (0 < measured <= MOST_VALUES and 0 < actions <= MOST_VALUES):
            raise ValueError(f"1 to {MOST_VALUES} numbers are measured and acted on")
        self.measured, self.actions, self.time_step = measured, actions, time_step
        self.sent = self.heard = self.nonsense = 0
        self._controller = None
        self._listener = _new_socket()
        with _new_socket() as probe:
            # Left by a plant that was killed, or does one listen there?
            if probe.connect_ex(path) == errno.ECONNREFUSED:
                os.unlink(path)
        self._listener.bind(path)
        self._listener.listen(4)

    @property
    def connected(self):
        return self._controller is not None

    def accept(self, seconds=0):
        """Waits for a controller, at most so long; whether one is connected. Who is none, or expects
        another plant, is told what this one is and sent away."""
        if self.connected:
            return True
        if not select.select([self._listener], [], [], seconds)[0]:
            return False
        self._controller, _ = self._listener.accept()
        self.sent = self.heard = 0
        fits = False
        try:
            # Who says nothing for a second is no controller.
            if select.select([self._controller], [], [], 1)[0]:
                frame = self._controller.recv(_LARGEST + 1, socket.MSG_DONTWAIT)
                header = _header_of(frame, HELLO)
                fits = header is not None and header[7:9] == (self.measured, self.actions)
            hello = self._header(HELLO, 1, 0, self.measured, self.actions)
            self._controller.send(hello + struct.pack("<d", self.time_step), socket.MSG_DONTWAIT)
        except OSError:
            fits = False
        if not fits:
            self.hang_up()
        return fits

    def receive(self):
        """The newest action, or None where there is no new one; never waits. Raises Rest and Gone."""
        if not self.connected:
            raise Gone
        action, rest = None, False
        while True:
            try:
                frame = self._controller.recv(_LARGEST + 1, socket.MSG_DONTWAIT)
            except BlockingIOError:
                break
            except ConnectionResetError:
                continue  # hung up without reading all: said before its last words
            except OSError:
                frame = b""
            if not frame:
                self.hang_up()
                if rest:
                    raise Rest(action)
                raise Gone
            header = _header_of(frame, ACTION)
            values = None
            if header is not None and header[7] == self.actions and header[3] > self.heard:
                values = struct.unpack_from(f"<{self.actions}d", frame, _HEADER.size)
            if values is None or not all(map(math.isfinite, values)):
                self.nonsense += 1
                continue
            action, rest, self.heard = list(values), bool(header[6] & REST), header[3]
        if rest:
            raise Rest(action)
        return action

    def send(self, values, flags=0, why=""):
        """Sends what was measured just now; False where the controller does not listen."""
        if len(values) != self.measured:
            raise ValueError(f"{len(values)} numbers instead of {self.measured}")
        if not self.connected:
            return False
        words = why.encode()[:MOST_WORDS]
        self.sent += 1
        frame = self._header(MEASUREMENT, self.sent, flags, self.measured, len(words))
        try:
            frame += struct.pack(f"<{self.measured}d", *values) + words
            return self._controller.send(frame, socket.MSG_DONTWAIT) == len(frame)
        except OSError:
            return False

    def hang_up(self):
        if self.connected:
            self._controller.close()
        self._controller = None

    def close(self):
        self.hang_up()
        self._listener.close()

    def _header(self, kind, number, flags, first, second):
        return _HEADER.pack(_MAGIC, VERSION, kind, number, self.heard, time.monotonic_ns(), flags, first, second)


def _new_socket():
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _header_of(frame, kind):
    """The header of a whole frame of this kind: magic, version, kind, number, answers, time, flags, two counts."""
    if not _HEADER.size <= len(frame) <= _LARGEST:
        return None
    header = _HEADER.unpack_from(frame)
    if header[:3] != (_MAGIC, VERSION, kind):
        return None
    values = 1 if kind == HELLO else header[7]
    words = 0 if kind == HELLO else header[8]
    return header if len(frame) == _HEADER.size + 8 * values + words else None
