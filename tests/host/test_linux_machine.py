# SPDX-License-Identifier: BSD-2-Clause
"""The Linux machine as a program: what it writes, how it ends, and what it reports that it could
not get. Figures are only checked to be plausible; how good they are only a quiet machine shows."""
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import jsonschema
import pytest

TREE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TREE / "build"))
PROGRAM = (TREE / BUILD / "host" / "barechase").resolve()
VALIDATOR = jsonschema.Draft202012Validator(
    json.loads((TREE / "docs" / "results.schema.json").read_text()))
SMALL = ["tests=curve", "pattern=cycle", "max=64K", "points=1", "budget=2", "error=10"]
CPUS = sorted(os.sched_getaffinity(0))
HANG_S = 600  # ends what hangs; the host may be busy, and nothing here measures time


def start(words, cwd, before=(), **more):
    return subprocess.Popen([*before, str(PROGRAM), *words], cwd=cwd, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **more)


def run(words, cwd, before=(), **more):
    """Exit status, standard output, standard error."""
    process = start(words, cwd, before, **more)
    out, err = process.communicate(timeout=HANG_S)
    return process.returncode, out, err


def records_of(directory):
    lines = (directory / "results.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    for record in records:
        VALIDATOR.validate(record)
    return records


def wait_for(condition):
    begun = time.monotonic()
    while not condition() and time.monotonic() - begun < HANG_S:
        time.sleep(0.001)
    return condition()


def points_in(directory):
    """How many points have been written by now."""
    file = directory / "results.jsonl"
    return file.read_text().count('"record":"point"') if file.exists() else 0


def kind(records, name):
    return [record for record in records if record["record"] == name]


def notes(records):
    return [f'{note["what"]}: {note["why"]}' for note in kind(records, "note")]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """One small run that several tests look at."""
    cwd = tmp_path_factory.mktemp("small")
    status, out, err = run([*SMALL, f"cpu={CPUS[-1]}"], cwd)
    assert status == 0, out + err
    return cwd, records_of(cwd / "barechase-run-0001"), out, err


def test_a_run_gets_a_directory_of_its_own(small):
    cwd, _, out, _ = small
    assert sorted(os.listdir(cwd / "barechase-run-0001")) == [
        "points.csv", "report.txt", "results.jsonl"]
    assert out.endswith("results: barechase-run-0001\n")
    again, _, _ = run([*SMALL, "pages=4k"], cwd)
    assert again == 0
    assert (cwd / "barechase-run-0002" / "results.jsonl").exists()


def test_records_are_valid_and_end_well(small):
    _, records, _, _ = small
    assert records[0]["record"] == "run" and records[-1]["record"] == "end"
    assert records[-1]["status"] == "ok" and records[-1]["errors"] == 0
    assert abs(records[-1]["clock_check_ppm"] or 0) < 2000


def test_single_accesses_are_timed(tmp_path):
    status, out, err = run(["tests=single", "max=64M"], tmp_path)
    assert status == 0, out + err
    [single] = kind(records_of(tmp_path / "barechase-run-0001"), "distribution")
    assert single["accesses"] >= 100_000 and single["bytes"] == 64 << 20
    assert sum(count for _, count in single["histogram"]) == single["accesses"]
    assert single["ns_min"] <= single["ns_median"] <= single["ns_p99"] <= single["ns_max"]
    # nothing is said of a refresh without a period that memory can have
    found = single["refresh"] == "found"
    assert found == (single["refresh_why"] is None) == (single["refresh_period_ns"] is not None)
    assert not found or 900 < single["refresh_period_ns"] < 32000


def loads_of(tmp_path, words):
    status, out, err = run([*words, f"cpu={CPUS[0]}"], tmp_path)
    assert status == 0, out + err
    records = records_of(tmp_path / "barechase-run-0001")
    loads = kind(records, "load")
    for load in loads:
        assert (load["ns"] is None) == (load["why"] is not None), load
        if load["ns"] is not None:
            assert 1 < load["ns"] < 1e5 and load["bytes_per_s"] > 0, load
    return records, loads


needs_two = pytest.mark.skipif(len(CPUS) < 2, reason="one CPU")


@needs_two
def test_cpus_chase_at_once(tmp_path):
    records, loads = loads_of(tmp_path, [
        "tests=threads", "max=32M", "chains=2", "error=5", f"cpus={CPUS[0]},{CPUS[1]}"])
    alone, both, first, second = loads
    assert (alone["kind"], alone["processors"], alone["cpu"]) == ("none", 1, None)
    assert {load["kind"] for load in (both, first, second)} == {"chase"}
    assert (both["cpu"], first["cpu"], second["cpu"]) == (None, CPUS[0], CPUS[1])
    assert {load["chains"] for load in loads} == {2}
    assert {point["chains"] for point in kind(records, "point")} == {2}
    assert alone["over"] == 1
    if both["why"] is None:
        assert both["ns"] == pytest.approx((first["ns"] + second["ns"]) / 2)
        assert both["bytes_per_s"] == pytest.approx(first["bytes_per_s"] + second["bytes_per_s"])
        # Each of two chains reads a line of 64 bytes in that time.
        assert second["bytes_per_s"] == pytest.approx(2 * 64 / second["ns"] * 1e9)
        assert both["over"] == pytest.approx(both["ns"] / alone["ns"])


@needs_two
def test_one_chases_while_another_loads(tmp_path):
    records, loads = loads_of(tmp_path, [
        "tests=loaded", "max=8M", "error=10", "budget=60", f"cpus={CPUS[0]},{CPUS[1]}"])
    alone, *steps = loads
    assert alone["kind"] == "none" and alone["why"] is None
    curves = {(step["kind"], step["pattern"]) for step in steps}
    assert curves == {(name, order) for name in ("read", "2:1", "1:1", "store-nt")
                      for order in ("sequential", "random")}
    assert {step["processors"] for step in steps} == {2}
    for curve in curves:
        pauses = [step["pause_cycles"] for step in steps
                  if (step["kind"], step["pattern"]) == curve]
        assert {0, 1024, 4096, 16384} <= set(pauses) and len(pauses) == len(set(pauses))
    written = {"read": 0, "2:1": 1 / 3, "1:1": 1 / 2, "store-nt": 1}
    for step in steps:
        if step["why"] is None:
            # The chase itself reads, too.
            assert 0 <= step["written_share"] <= written[step["kind"]] + 1e-9, step
            assert (step["written_share"] > 0) == (step["kind"] != "read"), step
    if any(step["why"] is None for step in steps):
        names = {finding["name"] for finding in kind(records, "finding")}
        assert {"unloaded latency", "peak bandwidth",
                "bandwidth at twice the unloaded latency"} <= names


@needs_two
def test_others_are_asleep_or_kept_awake(tmp_path):
    records, loads = loads_of(tmp_path, [
        "tests=awake", "max=8M", "error=10", "budget=30", f"cpus={CPUS[0]},{CPUS[1]}"])
    asleep = [load for load in loads if load["kind"] == "none"]
    awake = [load for load in loads if load["kind"] == "spin"]
    assert asleep and len(asleep) + len(awake) == len(loads)
    assert {load["processors"] for load in asleep} == {1}
    assert {load["processors"] for load in awake} == {2}
    assert all(load["siblings"] in (0, 1) for load in awake)
    for load in awake:
        assert (load["why"] is None) == (load["ns"] is not None), load
    names = {finding["name"] for finding in kind(records, "finding")}
    assert bool(names & {"awake less asleep", "sibling awake less asleep"}) == any(
        load["why"] is None for load in awake)


@pytest.mark.parametrize("test", ["threads", "loaded"])
def test_without_another_cpu_that_is_said(tmp_path, test):
    records, loads = loads_of(tmp_path, [f"tests={test}", "max=8M", "error=10",
                                         f"cpus={CPUS[0]}"])
    assert loads[0]["kind"] == "none" and loads[0]["why"] is None
    assert len(loads) == {"threads": 2, "loaded": 9}[test]
    why = {load["why"] for load in loads[1:]}
    assert len(why) == 1 and why <= {"cpus= takes no other CPU", "the machine lists one CPU"}
    assert any(note.startswith(f"{test}: no other CPU loads memory: ")
               for note in notes(records))


def test_points_say_whose_mapping_it_is(small):
    _, records, _, _ = small
    points = kind(records, "point")
    assert {point["map"] for point in points} == {"process"}
    assert {point["frames"] for point in points} == {"as-allocated"}
    assert any(point["pages"] == "4k" for point in points)
    # A load takes at least a cycle, and a set of 16 KiB is in a cache.
    for point in points:
        assert 0.1 < point["ns_median"] < 100, point
    assert all(point["verified"] in ("lap", "readback") for point in points)


def test_the_cpu_is_named(small):
    _, records, _, _ = small
    assert f" cpu={CPUS[-1]} " in records[0]["options"] + " "
    assert any(note.startswith(f"pinned: CPU {CPUS[-1]},") for note in notes(records))


def test_the_board_is_named_by_the_nearest_that_is_known(small):
    """What it is taken from is said, and a CPU with a size of memory is what is left."""
    _, records, _, _ = small
    first, said = records[0], "\n".join(notes(records))
    dmi = any(os.path.exists(f"/sys/class/dmi/id/{name}") for name in ("board_name", "product_name"))
    tree = os.path.exists("/proc/device-tree/model")
    if not dmi:
        assert first["board_source"] == ("device-tree" if tree else "cpu-and-memory")
    assert (first["board_source"] == "cpu-and-memory") == ("no board name: " in said)
    if first["board_source"] == "cpu-and-memory":
        assert re.fullmatch(re.escape(first["cpu"]) + r", [0-9.]+[KMGT]", first["board"])


def missing_tables():
    """Notes about SMBIOS tables where the kernel shows none; without privileges it never does."""
    shown = os.access("/sys/firmware/dmi/tables/DMI", os.R_OK)
    return [] if shown else ["memory modules unknown"]


def test_what_a_process_cannot_have_is_reported(small):
    _, records, _, _ = small
    said = "\n".join(notes(records))
    for what in ("no quiet section", "not counted here", "frames of 4k pages are as found",
                 "what the second clock is", *missing_tables()):
        assert what in said
    assert {point["smi"] for point in kind(records, "point")} == {None}
    if not os.path.exists(f"/dev/cpu/{CPUS[-1]}/msr"):
        assert "no prefetcher controls" in said
        assert {item["state"] for item in kind(records, "prefetch")} == {"unsupported"}


def test_no_line_for_people_where_there_is_no_terminal(small):
    assert small[3] == ""


def test_the_cpu_that_it_runs_on_is_the_default(tmp_path):
    status, _, err = run([*SMALL, "pages=4k"], tmp_path,
                         before=["taskset", "-c", str(CPUS[0])])
    assert status == 0, err
    options = records_of(tmp_path / "barechase-run-0001")[0]["options"]
    assert f"cpu={CPUS[0]}" in options.split()


def test_out_is_never_overwritten(tmp_path):
    assert run([*SMALL, "pages=4k", "out=here"], tmp_path)[0] == 0
    before = (tmp_path / "here" / "results.jsonl").read_bytes()
    status, _, err = run([*SMALL, "pages=4k", "out=here"], tmp_path)
    assert status == 2 and "out: here holds results already (results.jsonl)" in err
    assert (tmp_path / "here" / "results.jsonl").read_bytes() == before


def test_a_directory_that_holds_a_part_is_left_as_it_was(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "points.csv").write_text("mine")
    status, _, err = run([*SMALL, "out=here"], tmp_path)
    assert status == 2 and "out: here holds results already (points.csv)" in err
    assert os.listdir(tmp_path / "here") == ["points.csv"]


def test_a_long_path_is_whole(tmp_path):
    out = pathlib.Path(*["d" * 100] * 6)
    (tmp_path / out).parent.mkdir(parents=True)
    status, _, err = run([*SMALL, "pages=4k", f"out={out}"], tmp_path)
    assert status == 0, err
    assert records_of(tmp_path / out)[-1]["status"] == "ok"


@pytest.mark.parametrize("words, message", [
    (["cpu=8000"], "cpu: CPU 8000 is not there; allowed: "),
    (["cpu=9000"], "cpu: bad value '9000'; allowed: auto or a whole number from 0 to 8191"),
    (["stride=0"], "stride: bad value '0'; allowed: "),
    (["max=lots"], "max: bad value 'lots'; allowed: "),
    (["min=2M", "max=1M"], "min=2M is above max=1M"),
    (["map=identity"], "map: a process has no identity mapping; allowed: window"),
    (["range=4G-8G"], "range: a process cannot choose physical memory; allowed: auto"),
    (["end=menu"], "key 'end' is for another kind of machine; known: "),
    (["machine=x"], "key 'machine' is for another kind of machine; known: "),
    (["threads=2"], "unknown key 'threads', but an experiment: tests=threads"),
    (["nodes=0"], "unknown key 'nodes', but an experiment: tests=nodes"),
    (["colour=red"], "unknown key 'colour'; known: "),
    (["full"], "'full' has no '='; write key=value"),
])
def test_bad_input_runs_nothing(tmp_path, words, message):
    status, out, err = run(words, tmp_path)
    assert status == 2 and message in err and err.startswith("barechase: command line")
    assert out == "" and os.listdir(tmp_path) == []


def test_a_directory_that_cannot_be_made(tmp_path):
    status, _, err = run([*SMALL, "out=no/such/place"], tmp_path)
    assert status == 2 and "out: no/such/place: no directory can be made: No such file" in err
    (tmp_path / "file").write_text("")
    status, _, err = run([*SMALL, "out=file"], tmp_path)
    assert status == 2 and "out: file: no directory can be made: Not a directory" in err


def test_the_version_is_printed(tmp_path):
    status, out, err = run(["--version"], tmp_path)
    assert status == 0 and err == ""
    assert out == f"barechase {(TREE / 'build/version').read_text()}"
    assert os.listdir(tmp_path) == []


def test_a_cpu_that_is_not_allowed(tmp_path):
    if len(CPUS) < 2:
        pytest.skip("there is one CPU only")
    status, _, err = run([f"cpu={CPUS[1]}"], tmp_path, before=["taskset", "-c", str(CPUS[0])])
    assert status == 2
    assert f"CPU {CPUS[1]} is not allowed to this process; allowed: {CPUS[0]}\n" in err


def test_more_memory_than_there_is(tmp_path):
    status, out, err = run(["max=60T", "dry=on"], tmp_path)
    assert status == 0, err
    said = "\n".join(notes(records_of(tmp_path / "barechase-run-0001")))
    assert "clamped to the memory that can be mapped this way" in said


def test_no_memory_left_by_the_limits_of_the_process(tmp_path):
    """Address space runs out: the points are left out, and the run says so."""
    command = f'ulimit -v 300000; exec "{PROGRAM}" pages=4k tests=curve pattern=cycle min=400M ' \
              'max=400M budget=5'
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True,
                          timeout=HANG_S)
    assert done.returncode == 1, done.stdout + done.stderr
    records = records_of(tmp_path / "barechase-run-0001")
    assert records[-1]["status"] == "failed"
    assert any("left out" in note for note in notes(records))


def test_huge_pages_are_huge_or_left_out(tmp_path):
    """With the pools empty there are transparent ones or none, and a note says which."""
    status, _, _ = run([*SMALL, "pages=2m,1g"], tmp_path)
    records = records_of(tmp_path / "barechase-run-0001")
    said = "\n".join(notes(records))
    pages = {point["pages"] for point in kind(records, "point")}
    for size, path in (("2m", "hugepages-2048kB"), ("1g", "hugepages-1048576kB")):
        free = pathlib.Path(f"/sys/kernel/mm/hugepages/{path}/free_hugepages")
        if free.exists() and int(free.read_text()):
            assert size in pages
        else:
            assert f"no {size} pages" in said or f"{size} pages are transparent" in said or \
                "transparent huge pages not had" in said
    assert (status == 0) == bool(pages)
    assert records[-1]["status"] == ("ok" if pages else "failed")


def test_without_huge_pages_the_headline_is_of_small_ones(tmp_path):
    """Huge pages may be forbidden to the process: then memory is measured in the pages there are."""
    if int(pathlib.Path("/proc/sys/vm/nr_hugepages").read_text()):
        pytest.skip("the pool of huge pages is not empty")
    forbid = "import ctypes, os, sys; ctypes.CDLL(None).prctl(41, 1, 0, 0, 0); " \
             "os.execv(sys.argv[1], sys.argv[1:])"
    done = subprocess.run([sys.executable, "-c", forbid, str(PROGRAM), "tests=dram",
                           "max=32M", "budget=5"], cwd=tmp_path, capture_output=True, text=True,
                          timeout=HANG_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    records = records_of(tmp_path / "barechase-run-0001")
    assert "no 2m pages" in "\n".join(notes(records))
    assert [dram["pages"] for dram in kind(records, "dram")] == ["4k"]


def test_a_set_too_small_is_not_a_page_size_missing(tmp_path):
    status, _, _ = run(["tests=tlb", "max=16K", "pages=4k"], tmp_path)
    said = notes(records_of(tmp_path / "barechase-run-0001"))
    assert status == 1
    assert "nothing to measure: no requested point fits a requested page size, as the notes say" \
        in said
    assert "tlb: a page size left out: there is no memory for a few pages of 4K" in said


def test_without_privileges(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("the other tests run without privileges already")
    if not shutil.which("setpriv"):
        pytest.skip("setpriv is not there")
    tmp_path.chmod(0o777)
    for folder in tmp_path.parents:
        if folder.stat().st_uid == os.geteuid() and str(folder).startswith("/tmp/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    program = tmp_path / "barechase"
    shutil.copy(PROGRAM, program)
    done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                           str(program), *SMALL, "pages=4k"], cwd=tmp_path, capture_output=True,
                          text=True, timeout=HANG_S)
    assert done.returncode == 0, done.stdout + done.stderr
    said = "\n".join(notes(records_of(tmp_path / "barechase-run-0001")))
    assert "nor see them without CAP_SYS_ADMIN" in said
    assert "memory ranges unknown" in said




@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_keeps_what_there_is(tmp_path, number):
    process = start(["tests=curve", "pattern=cycle", "pages=4k", "error=0.01", "max=64M", "points=8",
                     "plan=full", "budget=60"], tmp_path)
    assert wait_for(lambda: points_in(tmp_path / "barechase-run-0001") > 1)
    process.send_signal(number)
    out, err = process.communicate(timeout=HANG_S)
    assert process.returncode == 130, out + err
    records = records_of(tmp_path / "barechase-run-0001")
    assert records[-1]["record"] == "end" and records[-1]["status"] == "aborted"
    assert kind(records, "point")
    assert "aborted" in (tmp_path / "barechase-run-0001" / "report.txt").read_text()


def shell(command, cwd):
    return subprocess.run(["bash", "-c", command, str(PROGRAM)], cwd=cwd, capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, timeout=HANG_S)


@pytest.mark.parametrize("command, status, message", [
    ('"$0" WORDS out=here >&- 2>&-', 0, ""),
    ('"$0" WORDS out=here > /dev/full', 0, "standard output: cannot be written: No space left"),
    ('set -o pipefail; "$0" WORDS out=here | true', 0, ""),
    ('"$0" WORDS out=here records=on save=off plan=full budget=1800 > /dev/full', 1,
     "standard output: cannot be written: No space left"),
    ('"$0" --help > /dev/full', 1, "standard output: cannot be written: No space left"),
    ('ulimit -f 2; "$0" WORDS out=here', 1,
     "results in here are not whole: results.jsonl: File too l")])
def test_a_screen_or_disk_that_takes_nothing(tmp_path, command, status, message):
    """What was measured is in the files anyway, and only there."""
    done = shell(command.replace("WORDS", " ".join([*SMALL, "pages=4k"])), tmp_path)
    assert done.returncode == status and message in done.stderr, done
    if "ulimit" in command:
        assert records_of(tmp_path / "here")[0]["record"] == "run"
    if status == 0:
        records = records_of(tmp_path / "here")
        assert records[-1]["status"] == "ok"
        assert (tmp_path / "here" / "report.txt").read_text().startswith("---- barechase")


def resident_bytes(pid):
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def processor_seconds(pid):
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def test_a_stop_while_memory_is_made(tmp_path):
    """It ends after little more work, however busy the host is."""
    process = start(["tests=pattern", "pages=4k", "max=4G"], tmp_path)
    try:
        assert wait_for(lambda: process.poll() is not None or resident_bytes(process.pid) > 2**26)
        process.send_signal(signal.SIGSTOP)
        used, made = processor_seconds(process.pid), resident_bytes(process.pid)
        assert made < 2**31, "half of the memory was there before it could be stopped"
        process.send_signal(signal.SIGINT)
    finally:
        process.send_signal(signal.SIGCONT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 130, process.stdout.read() + process.stderr.read()
    assert usage.ru_utime + usage.ru_stime - used < 1.5
    assert records_of(tmp_path / "barechase-run-0001")[-1]["status"] == "aborted"


def test_a_run_that_is_killed_leaves_whole_records(tmp_path):
    process = start(["tests=curve", "pattern=cycle", "pages=4k", "max=64M", "budget=60"], tmp_path)
    directory = tmp_path / "barechase-run-0001"
    wait_for(lambda: points_in(directory) > 3)
    process.kill()
    process.communicate(timeout=HANG_S)
    assert (directory / "results.jsonl").read_text().endswith("}\n")
    assert len(kind(records_of(directory), "point")) > 3


def test_others_on_the_cpu_are_noted(tmp_path):
    busy = [subprocess.Popen(["taskset", "-c", str(CPUS[-1]), "sh", "-c", "while :; do :; done"])
            for _ in range(2)]
    try:
        status, out, err = run(["tests=pattern", "pages=4k", "max=64K", "seconds=3",
                                f"cpu={CPUS[-1]}"], tmp_path)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert status == 0, out + err
    assert any(note.startswith("the CPU is shared: of the first ")
               for note in notes(records_of(tmp_path / "barechase-run-0001")))


def test_nohup_is_not_hung_up_on(tmp_path):
    process = start([*SMALL, "pages=4k", "seconds=0.2", "budget=20"], tmp_path, before=["nohup"])
    assert wait_for(lambda: points_in(tmp_path / "barechase-run-0001") > 0)
    process.send_signal(signal.SIGHUP)
    out, err = process.communicate(timeout=HANG_S)
    assert process.returncode == 0, out + err


# A regular file answers reads and writes at an offset as the kernel's MSR device does.
FAKE_MSR = """
mount -t tmpfs none /dev/cpu && mkdir /dev/cpu/{cpu} && cd /dev/cpu/{cpu} &&
truncate -s 8K new && mv new msr && cd "$OLDPWD" &&
exec "$0" "$@"
"""
PREFETCH_MSR = 0x1a4  # Intel: bits of prefetchers that are off


def is_intel():
    words = pathlib.Path("/proc/cpuinfo").read_text()
    return re.search(r"vendor_id\s*: GenuineIntel", words) and re.search(r"cpu family\s*: 6\n",
                                                                         words)


def msr_of(process):
    """The MSR device in the mount namespace of that process."""
    return pathlib.Path("/proc", str(process.pid), "root", "dev", "cpu", str(CPUS[-1]), "msr")


def prefetch_bits(process):
    """The register's bits in the process's own mount namespace; None: not there yet."""
    try:
        with open(msr_of(process), "rb") as file:
            return os.pread(file.fileno(), 1, PREFETCH_MSR)[0]
    except OSError:
        return None


@pytest.mark.parametrize("numbers, status", [
    ((), 0), ((signal.SIGINT,), 130), ((signal.SIGTERM,), 130),
    ((signal.SIGINT, signal.SIGINT), 130), ((signal.SIGTERM, signal.SIGTERM), 143)])
def test_prefetchers_are_off_in_a_chase_and_given_back(tmp_path, numbers, status):
    if os.geteuid() != 0 or not is_intel() or not os.path.isdir("/dev/cpu"):
        pytest.skip("needs root, /dev/cpu and an Intel CPU")
    words = ["tests=curve", "pattern=cycle", "pages=4k", "error=0.01", f"cpu={CPUS[-1]}"]
    words += ["plan=full", "min=64M", "max=64M"] if numbers else \
        ["min=64K", "max=64K", "points=1", "seconds=1"]
    process = start(words, tmp_path, before=["unshare", "-m", "bash", "-c",
                                             FAKE_MSR.format(cpu=CPUS[-1])])
    # Held open, so that it can still be read when the namespace is gone.
    begun, seen, file = time.monotonic(), set(), None
    while process.poll() is None and time.monotonic() - begun < HANG_S:
        if file is None and prefetch_bits(process) is not None:
            file = open(msr_of(process), "rb")
        if file:
            seen.add(os.pread(file.fileno(), 1, PREFETCH_MSR)[0] & 0xf)
        if numbers and 0xf in seen:
            break
    for number in numbers:
        process.send_signal(number)
    out, err = process.communicate(timeout=HANG_S)
    if "mount:" in err or "unshare:" in err:
        pytest.skip(f"no mount namespace of its own: {err.strip()}")
    assert 0xf in seen, "prefetchers were never off"
    assert os.pread(file.fileno(), 8, PREFETCH_MSR) == bytes(8)
    # The second signal may come after the run has ended.
    assert process.returncode in (status, 130 if numbers else 0), out + err
    if len(numbers) > 1:
        return  # a second signal ends the run at once: its records may not be in the file yet
    records = records_of(tmp_path / "barechase-run-0001")
    controls = [record for record in kind(records, "prefetch") if "0x1a4" in record["control"]]
    assert controls and {record["state"] for record in controls} == {"off"}


def test_a_pause_gives_the_prefetchers_back(tmp_path):
    if os.geteuid() != 0 or not is_intel() or not os.path.isdir("/dev/cpu"):
        pytest.skip("needs root, /dev/cpu and an Intel CPU")
    process = start(["tests=pattern", "pages=4k", "max=64M", "seconds=20", f"cpu={CPUS[-1]}"],
                    tmp_path, before=["unshare", "-m", "bash", "-c", FAKE_MSR.format(cpu=CPUS[-1])])
    try:
        if not wait_for(lambda: process.poll() is not None or prefetch_bits(process)):
            pytest.fail("prefetchers were never off")
        if process.poll() is not None:
            pytest.skip(f"no mount namespace of its own: {process.stderr.read().strip()}")
        for _ in range(5):
            # In a chase, not between two.
            assert wait_for(lambda: prefetch_bits(process))
            process.send_signal(signal.SIGTSTP)
            assert wait_for(lambda: pathlib.Path(f"/proc/{process.pid}/stat").read_text()
                            .rpartition(")")[2].split()[0] == "T")
            assert prefetch_bits(process) == 0
            process.send_signal(signal.SIGCONT)
        assert wait_for(lambda: prefetch_bits(process))
    finally:
        process.send_signal(signal.SIGCONT)
        process.send_signal(signal.SIGQUIT)
        process.communicate(timeout=HANG_S)
    assert process.returncode == -signal.SIGQUIT


@pytest.mark.parametrize("machine", {"x86_64", "aarch64"} - {os.uname().machine})
def test_it_builds_for_every_architecture(tmp_path, machine):
    """Another architecture's program, compiled from its sources with that architecture's compiler, links
    with core as built for its application."""
    compiler = f"{machine}-linux-gnu-gcc"
    core = sorted((BUILD / machine / "obj" / "core").rglob("*.o"))
    if not core or not shutil.which(compiler) or not os.path.exists(
            f"/usr/{machine}-linux-gnu/include/stdio.h"):
        pytest.skip(f"{compiler} with a C library, or the application's core, is not there")
    (tmp_path / "core").write_text("".join(f"-Wl,{path.resolve()}\n" for path in core))
    program = tmp_path / "host" / "barechase"
    done = subprocess.run(["make", "-s", f"BUILD={tmp_path}", f"host_machine={machine}", "VERSION=test",
                           "HOSTED_CFLAGS=-O1", "core_sources=",
                           f"CC={compiler} @{tmp_path}/core", str(program)], cwd=TREE,
                          capture_output=True, text=True,
                          env={key: value for key, value in os.environ.items()
                               if not key.startswith(("MAKE", "MFLAGS"))})
    assert done.returncode == 0, done.stdout + done.stderr
    assert program.exists()


def test_a_baseline_that_is_no_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("pipe", "."):
        _, _, err = run(["tests=dram", "dry=on", "save=off", f"baseline={path}"], tmp_path)
        assert f"the baseline cannot be used: {path}: it is not a regular file" in err


def test_help_names_every_key():
    status, out, err = run(["--help"], TREE)
    assert status == 0 and err == ""
    assert out.startswith("usage: barechase [key=value ...]")
    assert re.search(r"^cpu= ", out, re.M) and not re.search(r"^(machine|end)=", out, re.M)
    assert all(status in out for status in ("3 the verdict is SUSPECT", "4 it is INCOMPLETE", "130"))
    assert run(["-h"], TREE)[1] == out
    assert max(map(len, out.splitlines())) <= 80


def test_a_terminal_gets_a_live_line(tmp_path):
    here, there = pty.openpty()
    process = subprocess.Popen([str(PROGRAM), *SMALL, "pages=4k", "save=off"], cwd=tmp_path,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=there)
    os.close(there)
    seen = b""
    while select.select([here], [], [], HANG_S)[0]:
        try:
            seen += os.read(here, 4096)
        except OSError:
            break
    assert process.wait(timeout=HANG_S) == 0
    os.close(here)
    assert re.search(rb"\rcurve  \d+/\d+  \d+ %  \d+:\d\d left", seen), seen
    assert os.listdir(tmp_path) == []


def test_records_on_the_screen(tmp_path):
    status, out, _ = run([*SMALL, "pages=4k", "save=off", "records=on"], tmp_path)
    assert status == 0
    shown = [json.loads(line) for line in out.splitlines() if line.startswith('{"record"')]
    assert shown[0]["record"] == "run" and shown[-1]["record"] == "end"
    assert os.listdir(tmp_path) == []


def sees_physical_addresses():
    with open("/proc/self/pagemap", "rb") as file:
        text = bytearray(b"x")
        file.seek(id(text) // 4096 * 8)
        return int.from_bytes(file.read(8), "little") & ((1 << 55) - 1) != 0


def test_banks_need_physical_addresses(tmp_path):
    """What is found depends on the machine, and on what else runs."""
    run(["tests=banks", "max=2M", "budget=10", "out=run"], tmp_path)
    records = records_of(tmp_path / "run")
    found = [record for record in records if record["record"] == "mapping"]
    refused = [record for record in records if record["record"] == "note"
               and "no banks are searched for" in record["what"]]
    assert [len(found), len(refused)] == ([1, 0] if sees_physical_addresses() else [0, 1])
    for mapping in found:
        assert mapping["bytes"] == 2 << 20 and mapping["pairs"] > 0
        assert (mapping["why"] is None) == (mapping["verdict"] != "unsure")
        assert (mapping["conflicts"] is None) == (mapping["conflict_ns"] is None)
    for note in refused:
        assert "CAP_SYS_ADMIN" in note["why"]


REGIONS = ["tests=regions", "max=256M", "pages=2m", "budget=60"]


def test_regions_are_of_physical_memory(tmp_path):
    """Each 2M page of the window is a block; blocks and the rest together are the memory map."""
    if not sees_physical_addresses():
        pytest.skip("physical addresses are hidden")
    status, out, err = run([*REGIONS, "out=run"], tmp_path)
    if "no 2m pages" in out or "transparent huge pages not had" in out:
        pytest.skip("no pages of 2M")
    assert status == 0, out + err
    records = records_of(tmp_path / "run")
    summary, = kind(records, "regions")
    blocks, gaps, ranges = (kind(records, name) for name in ("block", "gap", "memory"))
    assert summary["frames"] == "contiguous" and summary["block_bytes"] == 2 << 20
    assert len(blocks) == 128 and {block["bytes"] for block in blocks} == {2 << 20}
    firsts = [int(block["physical_first"], 16) for block in blocks]
    assert firsts == sorted(firsts) and not any(first % (2 << 20) for first in firsts)
    parts = sorted((int(part["physical_first"], 16), int(part["physical_last"], 16))
                   for part in blocks + gaps)
    assert all(before[1] < after[0] for before, after in zip(parts, parts[1:]))
    assert sum(last + 1 - first for first, last in parts) == sum(r["bytes"] for r in ranges)
    assert summary["covered_bytes"] == 256 << 20 == summary["memory_bytes"] - summary["gap_bytes"]
    assert {gap["why"] for gap in gaps} == {"the kernel's, other programs', or free"}
    assert all(block["compared"] and block["ns_median"] > 1 for block in blocks)


@pytest.mark.parametrize("root", [True, False])
def test_verify_tests_what_it_can_have(root):
    """A user who may not see physical addresses gets the test without them."""
    user = {} if root or os.geteuid() != 0 else {"user": 65534, "group": 65534, "extra_groups": []}
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        program = shutil.copy(PROGRAM, directory)
        done = subprocess.run([program, "tests=verify", "max=64M", "rule-coverage=0", "save=off",
                               "records=on"],
                              cwd="/", capture_output=True, text=True, timeout=HANG_S, **user)
    assert done.returncode == 0, done.stdout + done.stderr
    records = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"record"')]
    verify, = kind(records, "verify")
    assert verify["bytes"] == 64 << 20 and verify["steps_done"] == verify["steps"]
    assert verify["events"] == 0 and not kind(records, "error")
    if root and sees_physical_addresses():
        gaps = sum(gap["bytes"] for gap in kind(records, "gap"))
        assert verify["memory_bytes"] - verify["gap_bytes"] == 64 << 20 and gaps == verify["gap_bytes"]
    if not root:
        assert verify["memory_bytes"] is None and not kind(records, "gap")


def test_getting_the_memory_leaves_time_to_test_it(tmp_path):
    """With budget= as much is tested as can be had in part of it, and to the end if nothing disturbs."""
    with open("/proc/meminfo", encoding="ascii") as file:
        available = int(re.search(r"MemAvailable: *(\d+) kB", file.read())[1]) << 10
    if available < 8 << 30:
        pytest.skip("what one second gets may be all of so little memory")
    status, out, err = run(["tests=verify", "max=1T", "budget=1", "rule-coverage=0", "out=a"], tmp_path)
    assert status in (0, 4), out + err
    records = records_of(tmp_path / "a")
    [verify] = kind(records, "verify")
    assert 0 < verify["bytes"] < available // 2
    assert any("only part of the memory is tested" in note for note in notes(records))
    assert not any("the least that can be measured" in note for note in notes(records))


def test_verdicts_are_exit_statuses_and_baselines_files(tmp_path):
    """Nothing is overwritten, and what is no baseline is not taken for one."""
    plan = ["tests=verify", "max=16M", "rule-coverage=0"]
    assert run([*plan, "baseline=save", "out=a"], tmp_path)[0] == 0
    baseline = (tmp_path / "a" / "baseline.txt").read_text()
    assert baseline.startswith("barechase baseline 5\n")
    status, out, err = run([*plan, "baseline=a/baseline.txt", "out=b"], tmp_path)
    assert status == 0 and "Verdict      OK" in out, out + err
    verdict, = kind(records_of(tmp_path / "b"), "verdict")
    assert {rule["name"]: rule["met"] for rule in verdict["rules"]}["baseline"] is True
    (tmp_path / "edited.txt").write_text(baseline.replace("quick", "quack"))
    for name, why in [("edited.txt", "edited or damaged"), ("none.txt", "No such file")]:
        status, out, err = run([*plan, f"baseline={name}", "save=off"], tmp_path)
        assert status == 4 and "INCOMPLETE" in out and why in out.replace("\n  ", " "), out + err
    status, out, err = run([*plan, "baseline=a/baseline.txt", "chains=2", "save=off"], tmp_path)
    assert status == 4 and "another plan" in out, out + err
    assert run([*plan[:2], "expect-dimms=900", "save=off"], tmp_path)[0] in (3, 4)


def test_regions_need_physical_addresses():
    """As a user who may not see them."""
    user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    if not user and sees_physical_addresses():
        pytest.skip("this user sees physical addresses")
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        program = shutil.copy(PROGRAM, directory)
        done = subprocess.run([program, *REGIONS, "save=off", "records=on"], cwd="/",
                              capture_output=True, text=True, timeout=HANG_S, **user)
    records = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"record"')]
    refused = [note for note in kind(records, "note") if "by blocks" in note["what"]]
    assert [note["severity"] for note in refused] == ["warning"]
    assert "CAP_SYS_ADMIN" in refused[0]["why"]
    assert not kind(records, "block")


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_lines_are_handed_from_cpu_to_cpu(tmp_path):
    """Each kind of each pair has a figure between its bounds and its lines; nothing here knows how long
    it really takes."""
    status, out, err = run(["tests=handoff", "budget=20"], tmp_path)
    assert status == 0, out + err
    pairs = kind(records_of(tmp_path / "barechase-run-0001"), "pair")
    cpus = sorted(os.sched_getaffinity(0))
    assert len(pairs) == 3 * len(cpus) * (len(cpus) - 1) // 2
    assert {pair["kind"] for pair in pairs} == {"clean", "modified", "swap"}
    for pair in pairs:
        assert pair["experiment"] == "handoff" and pair["from"] != pair["to_cpu"]
        if pair["why"] is None:
            assert 0 < pair["ns_low"] <= pair["ns"] <= pair["ns_high"]
            assert pair["ns_min"] <= pair["ns"] <= pair["ns_max"]
        else:  # a busy machine may keep a thread from answering in time
            assert pair["ns"] is None and pair["why"] == "the other CPU did not answer in time"
    assert any(pair["why"] is None for pair in pairs)


def test_one_cpu_has_nothing_to_hand_over(tmp_path):
    status, out, err = run(["tests=handoff", "cpus=0", "budget=20"], tmp_path)
    assert status == 0, out + err
    records = records_of(tmp_path / "barechase-run-0001")
    assert not kind(records, "pair")
    assert "handoff: no pair of CPUs: cpus=0 takes one or none" in notes(records)
