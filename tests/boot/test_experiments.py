# SPDX-License-Identifier: BSD-2-Clause
"""Every experiment boots on both architectures, measures its points, and says what it found or why
it could not. Figures are not checked on an emulator: that is done on simulated machines."""
import pytest

EXPERIMENTS = ["parallel", "throughput", "random-sequential", "tlb", "prefetchers", "frequency"]
PLAN = f"tests={','.join(EXPERIMENTS)},banks,single max=1M hops=4096 pages=4k,2m budget=60 error=20"
CHAINS = {"x86_64": 14, "aarch64": 24}
CPUS = {"x86_64": "Skylake-Server", "aarch64": "neoverse-n1"}


def of(records, kind, experiment):
    return [r for r in records if r["record"] == kind and r["experiment"] == experiment]


@pytest.mark.parametrize("arch", list(CHAINS))
def test_every_experiment_boots(lab, arch):
    _, records = lab.finish(PLAN, cap=110, arch=arch, cpu=CPUS[arch])
    assert records.status == "ok"
    for experiment in EXPERIMENTS:
        assert of(records, "point", experiment), experiment
    # a point across which the core's frequency stepped is measured again
    chains = {point["chains"] for point in of(records, "point", "parallel")}
    assert chains == set(range(1, CHAINS[arch] + 1))
    for experiment in EXPERIMENTS[:4]:
        assert of(records, "finding", experiment), experiment
    # an emulator has no banks
    assert [mapping["verdict"] for mapping in of(records, "mapping", "banks")] == ["unsure"]
    # nor rows, nor refreshes: what the host does to single accesses is not taken for them
    [single] = of(records, "distribution", "single")
    assert single["accesses"] >= 100_000 and single["ns_min"] < single["ns_p999"]
    assert (single["rows"], single["refresh"], single["refresh_scope"]) == ("unsure",) * 3, single
    # there is nothing to switch here, and notes say so
    notes = [f"{r['what']}: {r['why']}" for r in records if r["record"] == "note"]
    assert any("prefetchers: none can be switched by itself" in note for note in notes)
    assert any("frequency: L1 is not split" in note for note in notes)
    assert {point["turbo"] for point in of(records, "point", "frequency")} == {"unsupported"}
