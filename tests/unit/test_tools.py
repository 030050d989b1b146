# SPDX-License-Identifier: BSD-2-Clause
"""The scripts of tools/: dependencies, image, console filter, results, and the counting of tests."""
import io
import json
import os
import pathlib
import re
import struct
import subprocess

import pytest

from script import TREE, load


# ---- tools/deps, on a machine made of scripts

BASICS = ["sh", "sed", "env", "cat", "uname", "dirname"]


class FakeDebian:
    """A PATH with only what a shell script needs, and stand-ins that log their arguments."""

    def __init__(self, root, user="0"):
        self.bin, self.log = root / "bin", root / "log"
        self.bin.mkdir()
        for name in BASICS:
            path = subprocess.run(["sh", "-c", f"command -v {name}"], capture_output=True, text=True,
                                  check=True).stdout.strip()
            (self.bin / name).symlink_to(path)
        self.script("id", f"echo {user}")
        self.script("apt-get", f'echo "$0 $*" >>{self.log}; [ -z "$APT_FAILS" ]')

    def script(self, name, body):
        (self.bin / name).write_text(f"#!/bin/sh\n{body}\n")
        (self.bin / name).chmod(0o755)

    def packages(self, *names):
        lines = "".join(f"{name} install ok installed\\n" for name in names)
        self.script("dpkg-query", f"printf '{lines}gdisk deinstall ok config-files\\n'; exit 1")

    def run(self, *arguments, **environment):
        return subprocess.run([str(TREE / "tools" / "deps"), *arguments], capture_output=True,
                              text=True, check=False,
                              env={"PATH": str(self.bin), **environment})

    def calls(self):
        return [line.split("/")[-1] for line in
                (self.log.read_text().splitlines() if self.log.exists() else [])]


@pytest.fixture
def debian(tmp_path):
    return FakeDebian(tmp_path)


def test_deps_installs_nothing_when_all_is_there(debian):
    debian.packages("gdisk", "dosfstools", "mtools")
    done = debian.run("image")
    assert done.returncode == 0 and debian.calls() == [] and done.stderr == ""


def test_deps_installs_what_is_missing_and_says_why(debian):
    debian.packages("dosfstools")
    done = debian.run("image")
    assert done.returncode == 0, done.stderr
    assert debian.calls() == ["apt-get update -q",
                              "apt-get install -q -y --no-install-recommends gdisk mtools"]
    assert "gdisk is missing; it is needed for image: the stick image's partition" in done.stderr


def test_deps_no_names_each_missing_package(debian):
    debian.packages("dosfstools")
    done = debian.run("image", DEPS="no")
    assert done.returncode == 1 and debian.calls() == []
    assert "gdisk" in done.stderr and "mtools" in done.stderr and "dosfstools" not in done.stderr


def test_deps_uses_sudo_only_when_not_root(tmp_path):
    debian = FakeDebian(tmp_path, user="1000")
    debian.packages()
    done = debian.run("sign")
    assert done.returncode == 1 and "no sudo" in done.stderr and "sbsigntool" in done.stderr
    debian.script("sudo", f'echo "sudo $*" >>{debian.log}; exec "$@"')
    assert debian.run("sign").returncode == 0
    assert debian.calls()[0].startswith("sudo env")


def test_deps_fails_when_the_installation_fails(debian):
    debian.packages()
    assert debian.run("sign", APT_FAILS="1").returncode != 0


def test_deps_elsewhere_names_the_packages(debian):
    done = debian.run("image")
    assert done.returncode == 1 and "not Debian" in done.stderr and "    gdisk (" in done.stderr
    assert debian.run("image", DEPS="skip").returncode == 0


def test_deps_knows_each_architecture_and_refuses_an_unknown_purpose(debian):
    debian.packages()
    text = debian.run("run", "aarch64", DEPS="no").stderr
    assert "qemu-system-arm" in text and "ovmf" not in text
    assert debian.run("tea").returncode == 2


# ---- tools/image

def make_image(target, *arguments, **environment):
    return subprocess.run([str(TREE / "tools" / "image"), str(target), *arguments],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


@pytest.fixture
def application(tmp_path):
    path = tmp_path / "some.efi"
    path.write_bytes(b"MZ not a real one")
    return path


CONFIGURATION = str(TREE / "tools" / "barechase.cfg")


def test_image_has_its_partition_and_files(tmp_path, application):
    image = tmp_path / "stick.img"
    done = make_image(image, "40", CONFIGURATION, f"{application}=BOOTX64.EFI")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    data = image.read_bytes()
    assert len(data) == 40 << 20
    assert data[512:520] == b"EFI PART" and data[-512:-504] == b"EFI PART"
    kind, _, first, last = struct.unpack_from("<16s16sQQ", data, 1024)
    assert kind.hex() == "28732ac11ff8d211ba4b00a0c93ec93b"
    assert first == 2048 and (last + 1) % 2048 == 0
    assert data[1 << 20:][82:90] == b"FAT32   "
    for name, content in (("EFI/BOOT/BOOTX64.EFI", application.read_bytes()),
                          ("barechase/barechase.cfg", pathlib.Path(CONFIGURATION).read_bytes())):
        assert subprocess.run(["mtype", "-i", f"{image}@@1M", f"::{name}"], capture_output=True,
                              check=True).stdout == content


def test_image_is_the_same_each_time(tmp_path, application):
    images = [tmp_path / "a.img", tmp_path / "b.img", tmp_path / "c.img"]
    for image, epoch in zip(images, ("1000000000", "1000000000", "1100000000")):
        assert make_image(image, "40", CONFIGURATION, f"{application}=BOOTX64.EFI",
                          SOURCE_DATE_EPOCH=epoch).returncode == 0
    first, second, later = (image.read_bytes() for image in images)
    assert first == second
    assert first != later, "the epoch decides the times"


@pytest.mark.parametrize("size", ["", "x", "39", "64M", "-1"])
def test_image_refuses_a_bad_size(tmp_path, application, size):
    done = make_image(tmp_path / "stick.img", size, CONFIGURATION, f"{application}=BOOTX64.EFI")
    assert done.returncode == 2 and "SIZE" in done.stderr
    assert not (tmp_path / "stick.img").exists()


def test_image_leaves_nothing_behind_when_it_fails(tmp_path):
    assert make_image(tmp_path / "stick.img", "40", CONFIGURATION, "missing=X").returncode != 0
    assert list(tmp_path.iterdir()) == []


# ---- tools/run

run = load("tools/run")


def shown(*pieces, live=False):
    out = io.BytesIO()
    console = run.Console(out, live)
    for piece in pieces:
        console.feed(piece)
    console.close()
    return out.getvalue()


def test_console_drops_escape_sequences_wherever_they_are_cut():
    text = b"\x1b[2J\x1b[01;01H\x1b[=3h\x1b[0m\x1b[37mone\r\ntwo\x1b[40m more\r\n"
    assert shown(text) == b"one\ntwo more\n"
    for cut in range(len(text)):
        assert shown(text[:cut], text[cut:]) == b"one\ntwo more\n"


def test_console_keeps_what_a_line_was_in_the_end():
    assert shown(b" 1 %\r 2 %\r    \rdone\r\n") == b"done\n"
    assert shown(b"long line\rab\r\n") == b"abng line\n"
    assert shown(b"axb\x08\x08yz\r\n") == b"ayz\n"


def test_console_ends_a_line_when_the_cursor_leaves_it():
    assert shown(b"one\x1b[05;01Htwo") == b"one\ntwo\n"


def test_console_shows_a_growing_line_live():
    assert b"\r 1 %\r 2 %" in shown(b" 1 %", b"\r 2 %", live=True)


def write_run(directory, *records):
    directory.mkdir()
    (directory / "results.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    return directory


DRAM = {"record": "dram", "ns": 95.126, "cycles": 312.44, "pattern": "cycle", "pages": "1g",
        "bytes": 1 << 30}


def test_report_is_good_only_if_every_run_ended_ok(tmp_path, capsys):
    good = write_run(tmp_path / "1", DRAM, {"record": "end", "status": "ok"})
    bad = write_run(tmp_path / "2", {"record": "end", "status": "failed"})
    cut = write_run(tmp_path / "3", DRAM)
    empty = tmp_path / "4"
    empty.mkdir()
    assert run.report([good])
    text = capsys.readouterr().out
    assert "95.13 ns, 312.4 cycles" in text and "1g" in text and str(good) in text
    for runs in ([], [bad], [cut], [empty], [good, bad], [good, cut]):
        assert not run.report(runs)


def test_report_shows_unknown_figures_as_such(tmp_path, capsys):
    assert run.report([write_run(tmp_path / "1", {**DRAM, "ns": None, "cycles": None},
                                 {"record": "end", "status": "ok"})])
    assert "dram: - ns, - cycles" in capsys.readouterr().out


def test_records_of_a_torn_file_are_those_before_the_tear(tmp_path, capsys):
    path = tmp_path / "results.jsonl"
    path.write_bytes(b'{"record":"run"}\n\xff\xfe\n{"record":"end","status":"ok"}\n')
    assert run.read_records(tmp_path) == ([{"record": "run"}], False)
    assert not run.report([tmp_path])
    path.write_bytes(b'{"record":"end","status":"ok"}\n\0')
    assert run.report([tmp_path]) and "records could not be read" in capsys.readouterr().out


def test_run_refuses_bad_numbers(monkeypatch):
    for text in ("0", "x", "-1", "1.5"):
        monkeypatch.setenv("CPUS", text)
        with pytest.raises(run.Trouble):
            run.number("CPUS", 1)
    monkeypatch.setenv("CPUS", "")
    assert run.number("CPUS", 7) == 7


def test_run_says_why_there_is_no_kvm(tmp_path, monkeypatch):
    host, device = os.uname().machine, tmp_path / "kvm"
    with pytest.raises(run.Trouble, match=f"there is no {device}"):
        run.check_kvm(host, str(device))
    device.touch()
    run.check_kvm(host, str(device))
    with pytest.raises(run.Trouble, match=f"this machine is {host} and cannot run ARCH=other"):
        run.check_kvm("other", str(device))
    monkeypatch.setattr(run.os, "access", lambda *_: False)
    with pytest.raises(run.Trouble, match="may not be opened"):
        run.check_kvm(host, str(device))


def test_run_adds_what_an_unattended_run_needs():
    assert run.options_for([], "kvm") == ["end=shutdown"]
    assert run.options_for(["end=menu", "plan=full"], "tcg") == ["end=menu", "plan=full"]
    assert run.options_for(["budget=5"], "tcg") == ["budget=5", "end=shutdown"]
    assert run.options_for(["x"], "tcg") == [
        "x", "end=shutdown", f"budget={run.EMULATED_BUDGET_S}", "pattern=cycle"]


# ---- tools/test

driver = load("tools/test")


def count(tmp_path, xml, status=0):
    tally = driver.Tally()
    path = tmp_path / "result.xml"
    if xml is not None:
        path.write_text(xml)
    driver.add_junit(tally, path, "what", status, "its output")
    return tally.passed, tally.failed, len(tally.skips)


CASES = ("<testsuites><testsuite><testcase name='a'/><testcase name='b'><skipped message='no'/>"
         "</testcase><testcase name='c'/>%s</testsuite></testsuites>")
FAILED = "<testcase name='d'><failure>why</failure></testcase>"


def test_driver_counts(tmp_path, capsys):
    assert count(tmp_path, CASES % "") == (2, 0, 1)
    assert count(tmp_path, CASES % FAILED, 1) == (2, 1, 1)
    assert "why" in capsys.readouterr().out


def test_driver_counts_a_program_that_died_as_a_failure(tmp_path, capsys):
    assert count(tmp_path, None) == (0, 1, 0)
    assert count(tmp_path, CASES % "", 134) == (2, 1, 1)
    assert count(tmp_path, "<testsuites><testsu", 1) == (0, 1, 0)
    assert "its output" in capsys.readouterr().out


def test_driver_tells_groups_apart(tmp_path, monkeypatch, capsys):
    """Programs of one name in two groups: each is counted by what it wrote itself."""
    monkeypatch.setattr(driver, "OUT", tmp_path)
    tally = driver.Tally()
    for group, xml in ("unit", CASES % ""), ("sim", CASES % FAILED):
        program = tmp_path / group / "test_same"
        program.parent.mkdir()
        program.write_text(f"""#!/bin/sh
file=$(echo "$CMOCKA_XML_FILE" | sed s/%g/tests/)
[ -e "$file" ] || echo "{xml}" >"$file"
""")
        program.chmod(0o755)
        driver.run_cmocka(tally, group, [program])
    assert (tally.passed, tally.failed) == (4, 1)
    assert tally.failures == ["sim: test_same: d"]


def test_driver_stops_what_hangs():
    status, output = driver.run(["sh", "-c", "echo begun; sleep 30"], 1)
    assert status == 124 and "begun" in output and "stopped after 1 s" in output


# ---- tools/dist

def dist(build, version):
    for name in ("barechase.img", "x86_64/barechase.efi"):
        (build / name).parent.mkdir(parents=True, exist_ok=True)
        (build / name).write_text(name)
    subprocess.run([str(TREE / "tools" / "dist"), str(build), version, "x86_64"], check=True,
                   capture_output=True)
    return sorted(path.name for path in (build / "dist").iterdir())


def test_dist_names_its_files_by_the_version_and_sums_them(tmp_path):
    assert dist(tmp_path, "1.2.3 (abc1234)") == [
        "SHA256SUMS", "barechase-1.2.3-stick.img", "barechase-1.2.3-x86_64.efi"]
    assert subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], capture_output=True,
                          cwd=tmp_path / "dist", check=False).returncode == 0


def test_dist_of_no_commit_says_so_and_leaves_nothing_of_the_one_before(tmp_path):
    dist(tmp_path, "1.2.3")
    assert dist(tmp_path, "1.2.4 (abc1234-dirty)") == [
        "SHA256SUMS", "barechase-1.2.4-dirty-stick.img", "barechase-1.2.4-dirty-x86_64.efi"]


# ---- the version

NUMBER = (TREE / "docs" / "VERSION").read_text().strip()


def version_of(tree, *arguments):
    """What make takes as the version of a tree."""
    done = subprocess.run(["make", "--no-print-directory", "-C", str(tree), *arguments,
                           "--eval=shown: ; @echo '$(VERSION)'", "shown"], text=True,
                          capture_output=True, check=True)
    return done.stdout.splitlines()[-1]


def test_version_is_the_number_and_the_commit(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    for name in ("Makefile", "tools", "docs", "linker"):
        (tmp_path / name).symlink_to(TREE / name)
        (inside / name).symlink_to(TREE / name)

    def git(*arguments):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                              cwd=tmp_path, text=True, capture_output=True, check=True).stdout

    assert version_of(tmp_path) == NUMBER
    git("init", "-q")
    git("add", "Makefile")
    git("commit", "-q", "-m", "first")
    commit = git("rev-parse", "--short", "HEAD").strip()
    git("tag", "-m", "not part of it", "v9")
    assert version_of(tmp_path) == f"{NUMBER} ({commit})"
    assert version_of(inside) == NUMBER, "another tree's commit"
    git("rm", "-q", "--cached", "Makefile")
    assert version_of(tmp_path) == f"{NUMBER} ({commit}-dirty)"
    assert version_of(tmp_path, "VERSION=x") == "x"


def test_changelog_begins_with_the_version():
    sections = re.findall(r"^## (\S+)", (TREE / "docs" / "CHANGELOG.md").read_text(), re.M)
    assert sections[0] == NUMBER and re.fullmatch(r"\d+\.\d+\.\d+", NUMBER)
    assert len(sections) == len(set(sections))


# ---- make

def make(*arguments):
    return subprocess.run(["make", "--no-print-directory", *arguments], cwd=TREE, text=True,
                          capture_output=True, check=False)


def test_make_help_names_every_target():
    text = make("help").stdout
    for target in "all run test test-long test-draws bench docs image usb sign dist clean help".split():
        assert f"make {target} " in text


@pytest.mark.parametrize("arguments, words", [
    (("KEY=", "CERT="), "KEY= is missing"), (("KEY=Makefile", "CERT="), "CERT= is missing"),
    (("KEY=Makefile", "CERT=none.pem"), "CERT: no readable file 'none.pem'")])
def test_sign_names_what_is_missing(arguments, words):
    done = subprocess.run([str(TREE / "tools" / "sign"), *(a.split("=")[1] for a in arguments),
                           "build", "x86_64=BOOTX64.EFI"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 2 and words in done.stderr
