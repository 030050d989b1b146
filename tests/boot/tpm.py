# SPDX-License-Identifier: BSD-2-Clause
"""A TPM that fails, for firmware that would otherwise wait for one.

OVMF looks for a TPM at FED40000h. QEMU without one reads zero there, which means a TPM that is there
and does not grant access (TCG PC Client Platform TPM Profile, TPM_ACCESS_x), and OVMF polls the
ACPI timer until it gives up: more than a second of a core at every boot. This is the minimum that
QEMU's emulator backend requires of a TPM 2.0 (docs/specs/tpm.rst, and swtpm's tpm_ioctl.h): the
register grants access, every command fails, and the firmware goes on without it."""
import array
import pathlib
import socket
import struct
import threading

GET_CAPABILITY, GET_TPMESTABLISHED, SET_BUFFERSIZE = 1, 4, 17
ALL_CAPABILITIES = (1 << 14) - 1
FAILURE = struct.pack(">HII", 0x8001, 10, 0x101)  # no sessions, ten bytes, TPM_RC_FAILURE


class FailingTpm:
    """Waits for one QEMU at `path`; ends with it."""

    def __init__(self, path: pathlib.Path):
        self.path = path
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(path))
        self._door.listen(1)
        threading.Thread(target=self._serve, daemon=True).start()

    def arguments(self) -> list[str]:
        return ["-chardev", f"socket,id=tpm,path={self.path}",
                "-tpmdev", "emulator,id=tpm0,chardev=tpm", "-device", "tpm-tis,tpmdev=tpm0"]

    def close(self):
        """Ends a service that nobody has connected to."""
        try:
            self._door.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # QEMU has connected, and the socket is closed
        self._door.close()

    def _serve(self):
        try:
            control = self._door.accept()[0]
        except OSError:
            return
        with control:
            while request := self._next(control):
                control.sendall(self._answer(request))

    def _next(self, control: socket.socket) -> bytes:
        room = array.array("i").itemsize
        data, more, _, _ = control.recvmsg(4096, socket.CMSG_SPACE(room))
        for _, kind, handed in more:
            if kind == socket.SCM_RIGHTS:
                commands = socket.socket(fileno=struct.unpack("i", handed[:room])[0])
                threading.Thread(target=self._fail, args=(commands,), daemon=True).start()
        return data

    @staticmethod
    def _answer(request: bytes) -> bytes:
        command = struct.unpack(">I", request[:4])[0]
        if command == GET_CAPABILITY:
            return struct.pack(">Q", ALL_CAPABILITIES)
        if command == GET_TPMESTABLISHED:
            return struct.pack(">IBxxx", 0, 0)
        if command == SET_BUFFERSIZE:
            return struct.pack(">IIII", 0, 4096, 4096, 4096)
        return struct.pack(">I", 0)

    @staticmethod
    def _fail(commands: socket.socket):
        with commands:
            while commands.recv(4096):
                commands.sendall(FAILURE)
