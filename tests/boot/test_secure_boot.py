# SPDX-License-Identifier: BSD-2-Clause
"""Secure Boot with the snakeoil keys enrolled: an unsigned image is refused; one signed by `make
sign` boots and measures."""
import pathlib
import subprocess

import pytest

from conftest import make, newest
from machine import ROOT, Drive, Machine
from stick import Stick

KEYS = pathlib.Path("/usr/share/ovmf")
CERTIFICATE = KEYS / "PkKek-1-snakeoil.pem"


@pytest.fixture
def key(scratch) -> pathlib.Path:
    """Debian's well-known private key, without its pass phrase."""
    path = scratch / "snakeoil.key"
    subprocess.run(["openssl", "rsa", "-in", KEYS / "PkKek-1-snakeoil.key", "-passin",
                    "pass:snakeoil", "-out", path], check=True, capture_output=True)
    return path


def test_unsigned_is_refused(lab):
    stick = lab.stick("tests=dram\nend=shutdown\n")
    boot = lab.boot(Machine(drives=[Drive(stick.path)], secure=True))
    boot.wait_for("Access Denied|Security Violation", 60)
    boot.wait_for("No bootable option", 30)
    assert "reading the machine" not in boot.raw
    assert stick.runs() == {}


def test_signed_boots_and_measures(lab, key, scratch):
    done = make("sign", f"KEY={key}", f"CERT={CERTIFICATE}", cap=120)
    assert done.returncode == 0, done.stdout + done.stderr
    signed = ROOT / "build/x86_64/barechase-signed.efi"
    subprocess.run(["sbverify", "--cert", CERTIFICATE, signed], check=True, capture_output=True)
    stick = Stick.copy(ROOT / "build/barechase-signed.img", scratch / "signed.img")
    assert stick.read("EFI/BOOT/BOOTX64.EFI") == signed.read_bytes()
    stick.configure("tests=dram\nmax=1M\npages=2m\nbudget=2\nerror=20\nend=shutdown\n")
    boot = lab.boot(Machine(drives=[Drive(stick.path)], secure=True))
    boot.wait_exit(90)
    stick.check()
    records = newest(stick)
    assert records.status == "ok" and records.all("dram")


def test_a_changed_byte_is_refused(lab, key, scratch, products, request):
    """The signature covers the code: one byte of .text changed after signing, and it is refused; by
    the firmware too in the long tests."""
    signed, changed = scratch / "signed.efi", scratch / "changed.efi"
    subprocess.run(["sbsign", "--key", key, "--cert", CERTIFICATE, "--output", signed,
                    products.app], check=True, capture_output=True)
    image = bytearray(signed.read_bytes())
    image[0x1800] ^= 1
    changed.write_bytes(image)
    verified = [subprocess.run(["sbverify", "--cert", CERTIFICATE, path], capture_output=True)
                for path in (signed, changed)]
    assert verified[0].returncode == 0 and verified[1].returncode != 0
    if not request.config.option.long:
        return
    stick = lab.stick("end=shutdown\n")
    stick.write("EFI/BOOT/BOOTX64.EFI", bytes(image))
    boot = lab.boot(Machine(drives=[Drive(stick.path)], secure=True))
    boot.wait_for("Access Denied|Security Violation", 60)
