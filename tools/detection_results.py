#!/usr/bin/env python3
"""Measures the released scores of NovelCraft with `tyto measure --detection` and prints docs/results/detection.md.

  tools/detection_results.py [--tyto build/release/tyto] [--data ../shared/data/novelcraft] [--resamples 1000] [--write]

Shares are percentages. --write writes the page instead of printing it."""
import argparse
import csv
import gzip
import itertools
import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Tables 3 and E.1 of the paper: AUROC, AUPRC, TNR and PPV at TPR 95, TNR and TPR at PPV 80.
PRINTED = {
    "odin": (65.54, 30.35, 40.56, 34.77, 100.00, 0.14),
    "odin_plus": (70.45, 38.34, 0.00, 25.00, 100.00, 0.11),
    "ocsvm": (57.67, 27.81, 0.00, 25.00, 100.00, 0.00),
    "ocsvm_plus": (58.37, 29.82, 9.66, 25.96, 100.00, 0.00),
    "ae_patch": (57.53, 38.90, 9.66, 25.97, 99.55, 5.41),
    "ae_patch_plus": (68.87, 43.60, 22.02, 28.88, 99.78, 2.72),
    "ae_full": None,
}
FRAME_KEYS = ("auroc", "auprc_trapezoid", "tnr_at_tpr95", "ppv_at_tpr95", "tnr_at_ppv80", "tpr_at_ppv80")
# Table 4: AUROC, AUPRC, TNR, PPV and delay at TPR 95, TNR, TPR and delay at PPV 95.
PRINTED_EPISODES = {
    "visual AE": (81.62, 95.61, 31.34, 88.72, 5.32, 80.60, 66.47, 14.41),
    "symbolic 2": (76.12, 94.18, 4.48, 84.96, 10.39, 98.51, 5.04, 33.24),
    "multimodal 2": (80.46, 94.65, 34.33, 89.15, 7.44, 98.51, 5.04, 33.14),
}
EPISODE_KEYS = ("auroc", "auprc_trapezoid", "tnr_at_tpr95", "ppv_at_tpr95", "delay_tpr95_paper", "tnr_at_ppv95",
                "tpr_at_ppv95", "delay_ppv95_paper")
NOT_VALIDATED = {"ae_patch_plus"}  # the release has no scores of it for novel validation frames


def measured(tyto, file, *options):
    command = [str(tyto), "measure", "--detection", str(file), "--json", "--quiet", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def row(*cells):
    return "| " + " | ".join(cells) + " |"


def table(header, rows):
    return "\n".join([row(*header), "|" + "---|" * len(header), *(row(*cells) for cells in rows)]) + "\n"


def percent(value):
    return "-" if value is None else f"{value:.2f}"


def beside(printed, value):
    """Printed and ours; bold where they differ."""
    ours = percent(value)
    if printed is None:
        return ours
    both = f"{printed:.2f} / {ours}"
    return both if f"{printed:.2f}" == ours else f"**{both}**"


def fused_file(data, folder):
    """The released pair as one score a frame, in the ranges published: the greatest visual score and those of the
    symbolic model of 2 steps."""
    lists = []
    for name in ("visual_ae", "symbolic2"):
        frames = {}
        with gzip.open(data / f"episode_scores_{name}.csv.gz", "rt") as file:
            for r in csv.DictReader(file):
                frames.setdefault((r["class"], int(r["episode"])), []).append((int(r["frame"]), float(r["score"])))
        lists.append(frames)
    path = folder / "fused.csv"
    with open(path, "w") as file:
        file.write("class,episode,frame,score\n")
        for key, symbolic in sorted(lists[1].items()):
            for i, ((_, a), (_, b)) in enumerate(zip(sorted(lists[0][key]), sorted(symbolic), strict=True)):
                file.write(f"{key[0]},{key[1]},{i},{a / 0.0065 + (b - 0.2429) / (29.5301 - 0.2429)!r}\n")
    return path


def frames_section(tyto, data, resamples):
    test = data / "frame_scores_test.csv.gz"
    common = ("--prior", "0.25", "--tpr", "0.95", "--ppv", "0.80")
    published, sound, chosen, intervals, same, cells = [], [], [], [], 0, 0
    for method, printed in PRINTED.items():
        paper = measured(tyto, test, "--score", method, "--rule", "paper", *common)
        shown = [beside(printed[i] if printed else None, paper[key]) for i, key in enumerate(FRAME_KEYS)]
        same += sum("**" not in cell for cell in shown) if printed else 0
        cells += len(shown) if printed else 0
        published.append((method, *shown))
        best = measured(tyto, test, "--score", method, *common, "--bootstrap", str(resamples), "--by-group", "episode")
        low, high = best["intervals"]["auroc"]
        intervals.append((low, high))
        rates = best["false_alarm_rates"]
        sound.append((method, percent(best["auroc"]), f"{low:.0f} to {high:.0f}", percent(best["average_precision"]),
                      percent(best["auprc_trapezoid"]), percent(paper["tpr_at_ppv80"]), percent(best["tpr_at_ppv80"]),
                      percent(rates[0]["tpr"]), percent(rates[1]["tpr"]), str(best["distinct_scores"]),
                      str(best["largest_tie"])))
        if method not in NOT_VALIDATED:
            here = measured(tyto, test, "--score", method, *common, "--validation", str(data / "frame_scores_valid.csv.gz"))
            chosen.append((method, *(percent(here[f"{k}_at_tpr95"]) for k in ("tpr", "tnr", "ppv")),
                           percent(here["tpr_at_ppv80"]),
                           percent(here["ppv_at_ppv80"]) if here["tpr_at_ppv80"] > 0 else "no alarm on novel frames"))
    early = {m: measured(tyto, test, "--score", m, "--rule", "early2022", *common)["ppv_at_tpr95"] for m in ("odin", "ae_patch")}
    pairs = list(itertools.combinations(intervals, 2))
    overlap = sum(a[0] <= b[1] and b[0] <= a[1] for a, b in pairs)
    most = max(float(cells_of[4]) for cells_of in chosen)
    return f"""## Frames

890 normal and 3,530 novel test frames, precision for 25 % novel (`--prior 0.25`), thresholds by the rule `paper` on the test
scores themselves. Printed (Tables 3 and E.1) / measured; **bold** where the printed digits differ: {cells - same} of {cells} cells.

    tyto measure --detection frame_scores_test.csv.gz --score odin --truth novel --rule paper --prior 0.25 --tpr 0.95 --ppv 0.80

{table(("score", "AUROC", "AUPRC", "TNR at TPR 95", "PPV at TPR 95", "TNR at PPV 80", "TPR at PPV 80"), published)}
- The PPV of `odin` and `ae_patch` come out as printed under the rule `early2022`: {early["odin"]:.2f} and {early["ae_patch"]:.2f}. So these cells
  seem to be from before the rule changed.
- The 0.00 of `ocsvm_plus` is what the point without any alarm would give; one novel frame of 3,530 scores above every normal one.
- `ae_full` is in the release and in no table.
- NDCC and the deep ensembles are in the paper and not among the score files at hand.

### What sounder definitions change

AUROC with a 95 % interval over episodes ({resamples:,} resamples of 496 episodes, 21 of them normal), average precision beside the
trapezoid AUPRC, the recall that precision 80 % leaves by `paper` and by `max_recall`, the recall at one false alarm in 100 and in 1,000
normal frames, how many scores are distinct and how many frames share the commonest.

{table(("score", "AUROC", "interval", "average precision", "AUPRC", "TPR at PPV 80, paper", "max_recall", "TPR at 1 in 100", "1 in 1,000", "distinct", "largest tie"), sound)}
- The intervals of {overlap} of {len(pairs)} pairs of scores overlap, with 21 normal episodes to go by. That is no paired test, which
  could tell more of them apart.
- One false alarm in 1,000 cannot be shown with 890 normal frames: 2,995 without a single one would show it with 95 % confidence. The
  column says what the threshold above every normal frame finds.
- `ocsvm` and `odin_plus` put many frames on one score; a threshold takes or leaves them together, which is why no recall between
  exists and TNR at TPR 95 is 0.

### Thresholds chosen on validation frames

The threshold that finds 95 % of the 332 novel validation frames, of five other classes, and what it does on the test frames; then that of
precision 80 %.

{table(("score", "TPR", "TNR", "PPV", "TPR of the PPV 80 threshold", "its PPV"), chosen)}
The threshold that was 80 % precise on validation frames finds at most {most:.2f} % of the novel test frames. `ae_patch_plus` is left out:
its scores of novel validation frames were not released.
"""


def episodes_section(tyto, data, folder, resamples):
    types = ("--episodes", str(data / "episode_classes.csv"), "--prior", "0.85", "--ppv", "0.95")
    files = {"visual AE": data / "episode_scores_visual_ae.csv.gz", "symbolic 2": data / "episode_scores_symbolic2.csv.gz",
             "multimodal 2": fused_file(data, folder)}
    published, sound, over = [], [], []
    same = cells = 0
    for method, file in files.items():
        paper = measured(tyto, file, *types, "--rule", "paper")
        shown = [beside(PRINTED_EPISODES[method][i], paper[key]) for i, key in enumerate(EPISODE_KEYS)]
        same += sum("**" not in cell for cell in shown)
        cells += len(shown)
        published.append((method, *shown))
        best = measured(tyto, file, *types, "--bootstrap", str(resamples))
        low, high = best["intervals"]["auroc"]
        medians = ", ".join(f"{t['type']} {'-' if t['median_detected'] is None else format(t['median_detected'], 'g')}"
                            f" ({t['undetected']})" for t in best["delays"]["tpr95"])
        sound.append((method, percent(best["auroc"]), f"{low:.0f} to {high:.0f}", percent(paper["tpr_at_ppv95"]),
                      percent(best["tpr_at_ppv95"]), percent(best["delay_tpr95_paper"]), percent(best["delay_tpr95_novel_types"]),
                      percent(best["delay_tpr95_per_episode"]), str(best["undetected_tpr95"]), medians))
        for how in ("maximum", "running_mean", "cusum", "martingale"):
            found = measured(tyto, file, *types, "--over-frames", how, "--bootstrap", str(resamples))
            low, high = found["intervals"]["auroc"]
            over.append((method, how, percent(found["auroc"]), f"{low:.0f} to {high:.0f}", percent(found["tpr_at_ppv95"]),
                         percent(found["false_alarm_rates"][0]["tpr"]), percent(found["delay_ppv95_novel_types"]),
                         str(found["undetected_ppv95"])))
    # Normal frames of episodes that are not measured: the release has them of the symbolic model alone.
    apart = []
    for how in ("maximum", "running_mean", "cusum", "martingale"):
        here = measured(tyto, files["symbolic 2"], *types, "--over-frames", how)["auroc"]
        there = measured(tyto, data / "symbolic2_per_step_all.csv.gz", *types, "--over-frames", how, "--validation", "split")
        assert there["normal_episodes"] == 67, there["normal_episodes"]
        apart.append((how, percent(here), percent(there["auroc"])))
    return f"""## Episodes

67 normal and 337 novel episodes of four kinds of novelty; the score of an episode is the greatest of its frames but the last; precision for
85 % novel; delays in frames, their means by class divided by 5, since the class `normal` counts with 0. Printed (Table 4) / measured:
{cells - same} of {cells} cells differ.

    tyto measure --detection episode_scores_visual_ae.csv.gz --episodes episode_classes.csv --rule paper --prior 0.85 --tpr 0.95 --ppv 0.95

{table(("score", "AUROC", "AUPRC", "TNR at TPR 95", "PPV", "delay", "TNR at PPV 95", "TPR", "delay"), published)}
- `multimodal 2` is made of the two others, frame by frame: visual / 0.0065 + (symbolic - 0.2429) / (29.5301 - 0.2429), the ranges
  published. Scores of the symbolic model of 5 steps, and so its rows, are not among the files at hand.
- 5.32 is 5.3289 cut instead of rounded, it seems.

### What sounder definitions change

The interval is over episodes. The delay over the four kinds of novelty is 1.25 times the printed one; per episode it is that of all 337. Last:
the median delay of the episodes detected, and how many never are, by kind.

{table(("score", "AUROC", "interval", "TPR at PPV 95, paper", "max_recall", "delay at TPR 95", "over kinds", "per episode", "never", "by kind: median (never)"), sound)}
The rule `paper` takes the smallest precision that reaches 95 %, which for `symbolic 2` and `multimodal 2` is a point that finds one episode in
twenty, where another that reaches 95 % too finds more than half.

### What frames say together

The greatest frame decides for an episode as published; `--over-frames` sums them up otherwise. All on the test episodes, windows and
drift as they are by standard; thresholds by `max_recall`, delays and those never detected at precision 95 %. One false alarm in 100
cannot be shown with 67 normal episodes: that column is what lies above every normal one.

{table(("score", "over frames", "AUROC", "interval", "TPR at PPV 95", "TPR at 1 in 100", "delay over kinds", "never of 337"), over)}
**`cusum` and `martingale` are flattered here**: they measure frames by those of the normal episodes that are measured too. For the
symbolic model the release has ten normal validation episodes to measure by instead. AUROC of the same 404 episodes:

{table(("symbolic 2", "by the normal episodes measured", "by validation episodes"), apart)}
So none of the other three is shown to be better than the maximum: no AUROC lies outside the interval of the maximum's, and most of what
`cusum` gains on the symbolic model goes with its borrowed reference.
"""


def counts_section(tyto, data, folder):
    out = folder / "dataset"
    subprocess.run([str(tyto), "data", "import", "novelcraft", str(data), "--out", str(out)], check=True, capture_output=True)
    about = {}
    for line in (out / "dataset.yaml").read_text().splitlines():
        name, _, value = line.strip().partition(": ")
        if name.startswith("table2_"):
            about[name[len("table2_"):]] = value.strip('"')
    rows = [(name.replace("_", ", "), about[name]) for name in
            ("train_normal", "validate_normal", "validate_novel", "test_normal", "test_novel")]
    return f"""## Counts

`tyto data import novelcraft` reads the tables without a single picture. What Table 2 of the paper counts, from `targets.csv` and
`splits.csv` (a frame counts where 1 % of its pixels show the novel block, every frame of the class `normal` does):

{table(("split", "from the tables"), rows)}
The paper prints the same but for the last row: 440 episodes and 20,988 frames. Neither follows from its release, with or without the
episodes in which nothing is visible, `tree_easy` and the dropped class `item_bedrock`. Of Table A.2 (by class, `novelcraft_classes`) the tests
hold 54 classes, 8,185 frames that count in all and the counts of ten classes; the table itself is not among the files at hand.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tyto", type=pathlib.Path, default=ROOT / "build/release/tyto")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared/data/novelcraft")
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        page = f"""# Detection

Made by `tools/detection_results.py`. All shares are percentages; novel is positive, and a larger score is more novel.

The scores that the authors of NovelCraft (Feeney et al., TMLR 2023) released, measured again. What the measures mean:
[measures](../measures.md#detection); how to run them: [scoring predictions](../measuring.md#novelty-scores).

{frames_section(given.tyto, given.data, given.resamples)}
{episodes_section(given.tyto, given.data, folder, given.resamples)}
{counts_section(given.tyto, given.data, folder)}"""
    if given.write:
        path = ROOT / "docs/results/detection.md"
        kept = path.read_text().find("<!-- twelve tables -->")  # what tools/detect_results.py has put below
        path.write_text(page.rstrip("\n") + "\n" + ("" if kept < 0 else "\n" + path.read_text()[kept:]))
    else:
        print(page, end="")


if __name__ == "__main__":
    main()
