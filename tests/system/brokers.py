"""A real Mosquitto for a test: plain, with user and password, or with TLS by certificates made on the spot."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

PROGRAM = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
    return port


@dataclass
class Broker:
    """Mosquitto on `port`; `stop` and `start` restart it, its memory gone unless `lasting`."""

    folder: Path
    extra: list[str] = field(default_factory=list)
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        lines = [f"listener {self.port} 127.0.0.1", "persistence false", "user root", *self.extra]
        if not any(line.startswith("password_file") for line in self.extra):
            lines.append("allow_anonymous true")
        config = self.folder / "mosquitto.conf"
        config.write_text("\n".join(lines) + "\n")
        log = (self.folder / "mosquitto.log").open("ab")
        self.process = subprocess.Popen([PROGRAM, "-c", str(config)], stdout=log, stderr=log)
        log.close()
        end = time.monotonic() + 10
        while time.monotonic() < end:
            assert self.process.poll() is None, (self.folder / "mosquitto.log").read_text()
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise AssertionError("mosquitto does not listen")

    def stop(self) -> None:
        if self.process:
            self.process.terminate()
            self.process.wait(10)
            self.process = None


def with_password(folder: Path, user: str, password: str) -> list[str]:
    """Lines of a configuration that lets only this user in."""
    file = folder / "users"
    subprocess.run(["mosquitto_passwd", "-b", "-c", str(file), user, password], check=True, capture_output=True)
    return [f"password_file {file}"]


def with_tls(folder: Path) -> list[str]:
    """Lines of a configuration with a certificate for localhost; `folder/ca.pem` is its authority."""
    openssl(folder, "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test-authority -keyout ca.key -out ca.pem")
    openssl(folder, "req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr")
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl(
        folder,
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem",
    )
    return [f"certfile {folder / 'server.pem'}", f"keyfile {folder / 'server.key'}", f"cafile {folder / 'ca.pem'}"]


def openssl(folder: Path, arguments: str) -> None:
    subprocess.run(["openssl", *arguments.split()], cwd=folder, check=True, capture_output=True)
