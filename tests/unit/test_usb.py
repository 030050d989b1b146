# SPDX-License-Identifier: BSD-2-Clause
"""tools/usb refuses what it must, on a fake sysfs, and finds a byte that was not written."""
import pytest

from script import load

MIB = 1 << 20

usb = load("tools/usb")


class FakeSystem:
    """A stick sdz with one partition, everything in order until a test changes it."""

    def __init__(self, root):
        self.root = root
        self.disk = root / "class" / "block" / "sdz"
        self.part = self.disk / "sdz1"
        for path, number in ((self.disk, "8:160"), (self.part, "8:161")):
            (path / "holders").mkdir(parents=True)
            (path / "dev").write_text(number + "\n")
            (path / "ro").write_text("0\n")
            (path / "size").write_text(f"{64 * MIB // 512}\n")
        (self.disk / "removable").write_text("1\n")
        (self.disk / "device").mkdir()
        (self.disk / "device" / "vendor").write_text("ACME    \n")
        (self.disk / "device" / "model").write_text("Stick 2000\n")
        (self.part / "partition").write_text("1\n")
        (root / "class" / "block" / "sdz1").symlink_to(self.part)
        self.mounts, self.swaps = root / "mountinfo", root / "swaps"
        self.mounts.write_text("21 1 8:2 / / rw - ext4 /dev/sda2 rw\n")
        self.swaps.write_text("Filename Type Size Used Priority\n/dev/sda3 partition 1 0 -2\n")

    def system(self):
        return usb.System(self.root, self.mounts, self.swaps)


@pytest.fixture
def fake(tmp_path):
    return FakeSystem(tmp_path)


def refusal(fake, name="sdz", size=64 * MIB):
    with pytest.raises(usb.Refused) as error:
        usb.check_disk(fake.system(), name, size)
    return str(error.value)


def test_a_free_stick_is_accepted(fake):
    usb.check_disk(fake.system(), "sdz", 64 * MIB)


def test_a_partition_is_refused(fake):
    assert "partition" in refusal(fake, "sdz1")


def test_a_fixed_disk_is_refused(fake):
    (fake.disk / "removable").write_text("0\n")
    assert "not removable" in refusal(fake)


def test_a_disk_without_the_fact_is_refused(fake):
    (fake.disk / "removable").unlink()
    assert "not removable" in refusal(fake)


def test_a_read_only_disk_is_refused(fake):
    (fake.disk / "ro").write_text("1\n")
    assert "read-only" in refusal(fake)


@pytest.mark.parametrize("number", ["8:160", "8:161"])
def test_a_mounted_disk_is_refused(fake, number):
    with fake.mounts.open("a") as file:
        file.write(f"99 21 {number} / /media/stick rw - vfat /dev/sdz1 rw\n")
    assert "mounted at /media/stick" in refusal(fake)


def test_swap_is_refused(fake):
    with fake.swaps.open("a") as file:
        file.write("/dev/sdz1 partition 1 0 -2\n")
    assert "swap" in refusal(fake)


def test_a_disk_that_another_device_holds_is_refused(fake):
    (fake.part / "holders" / "dm-0").mkdir()
    assert "dm-0" in refusal(fake)


def test_a_small_disk_is_refused(fake):
    assert "too small" in refusal(fake, size=64 * MIB + 1)


def test_an_unknown_disk_is_refused(fake):
    assert "not a block device" in refusal(fake, "sdy")


@pytest.mark.parametrize("device, words", [
    ("", "no device"), ("/dev/null", "not a block device"), ("/dev/does-not-exist", "No such")])
def test_what_is_no_block_device_is_refused(fake, tmp_path, capsys, device, words):
    image = tmp_path / "image"
    image.write_bytes(b"x" * MIB)
    assert usb.main([str(image), device], fake.system()) == 1
    assert words in capsys.readouterr().err


def test_a_file_is_refused_and_left_alone(fake, tmp_path, capsys):
    image, victim = tmp_path / "image", tmp_path / "victim"
    image.write_bytes(b"x" * MIB)
    victim.write_bytes(b"mine")
    assert usb.main([str(image), str(victim)], fake.system()) == 1
    assert victim.read_bytes() == b"mine"


@pytest.mark.parametrize("answer", ["", "yes", "y", "sda"])
def test_only_the_name_confirms(fake, monkeypatch, answer):
    monkeypatch.delenv("YES", raising=False)
    with pytest.raises(usb.Refused):
        usb.confirm(fake.system(), "sdz", lambda _: answer)
    usb.confirm(fake.system(), "sdz", lambda _: "sdz")


def test_the_disk_is_shown_before_the_question(fake, monkeypatch, capsys):
    monkeypatch.setenv("YES", "1")
    usb.confirm(fake.system(), "sdz", None)
    assert "ACME Stick 2000" in capsys.readouterr().out


def test_written_bytes_read_back_and_a_changed_one_is_found(tmp_path):
    image, target = tmp_path / "image", tmp_path / "target"
    image.write_bytes(bytes(range(256)) * 4096 * 3)
    target.write_bytes(b"\xaa" * (4 * MIB))
    usb.write_image(image, target)
    assert usb.compare(image, target) is None
    assert target.stat().st_size == 4 * MIB
    for offset in (0, MIB + 17, 3 * MIB - 1):
        with target.open("r+b") as file:
            file.seek(offset)
            byte = file.read(1)[0]
            file.seek(offset)
            file.write(bytes([byte ^ 1]))
        assert usb.compare(image, target) == offset
        usb.write_image(image, target)
    target.write_bytes(image.read_bytes()[:-5])
    assert usb.compare(image, target) == 3 * MIB - 5
