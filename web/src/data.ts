// What a page is filled with, written by src/tyto/report/page. `format` changes when this does.
//
// Every number is plain JSON; a missing value is null. Arms, runs and names are numbers that point
// into the lists of the page, since labels and file names repeat thousands of times.

export interface Page {
  format: 1;
  title: string;
  version: string; // of tyto
  revision: string;
  live: boolean; // served by `tyto report --watch`, which is asked again for newer data
  runs: Run[];
  arms: Arm[];
  names: string[]; // of classes: actual, predicted, discovered; "unknown" first
  media: Media[]; // pictures of samples
  sections: Section[]; // in reading order; a protocol brings its own
}

export interface Run {
  name: string;
  folder: string;
  done: boolean;
  repeat: string; // what its seeds are: "seed", "fold", "dataset"
}

export interface Arm {
  run: number;
  name: string; // "tyto-50pct"
  predictor: string;
  feedback: string; // "50 %"
  seeds: number[];
}

export interface Media {
  run: number;
  sample: string; // its name; "" where it is shown changed or thinned
  frames: number; // side by side, of equal width
  drawn: boolean; // pixel by pixel from numbers: not to be blurred
  uri: string; // data:image/...
}

export interface Section {
  kind: string; // which renderer shows it
  title: string;
  about: string; // one sentence below the title
  data: unknown; // by kind, see below
}

/** A value and the ends of its interval (bootstrap of one seed's samples, or spread of seeds). */
export type Ranged = [value: number | null, low: number | null, high: number | null];

export interface MeasureText {
  name: string; // "mcc"
  title: string; // for a column or axis
  meaning: string; // plain words
  better: "higher" | "lower" | "neither";
}

/** kind "summary" */
export interface Summary {
  paragraphs: { run: number; text: string }[]; // plain words: known, arrived, noticed, learned, forgot, cost
  columns: MeasureText[];
  rows: { arm: number; values: Ranged[] }[]; // by column
  interval: string; // what low and high are
  warnings: string[];
}

/** kind "progress": pre-feedback at whole steps, post-feedback at half ones */
export interface Progress {
  measures: MeasureText[];
  lines: {
    arm: number;
    split: string; // "train", "test"
    view: string; // "classification", "detection", "recognition", "raw"
    measure: string;
    novel_to: string; // "predictor", "evaluator", "evaluator_again_3"
    points: { at: number; phase: string; value: Ranged }[];
  }[];
}

/** kind "world" */
export interface World {
  worlds: {
    run: number;
    increments: {
      step: number;
      counts: { split: string; known: number; novel: number }[];
      introduced: number[]; // names that come for the first time
    }[];
    density: [name: number, step: number, samples: number][]; // train and test together
    // the last three where answers have a price or are no labels
    feedback: { arm: number; step: number; shown: number; granted: number; classes: number; asked?: number; wrong?: number; spent?: number }[];
  }[];
}

/** kind "confusion": raw counts; views, sums over steps and scores per class are worked out here */
export interface ConfusionData {
  matrices: {
    arm: number;
    step: number; // -1: all together, where single steps were left out to keep the page small
    phase: string;
    split: string;
    known: number[]; // names known to the predictor at that moment
    cells: number[]; // actual, predicted, count; and so on
  }[];
  note: string; // what was left out, or ""
}

/** kind "novelty", before feedback on the test split */
export interface Novelty {
  curves: {
    arm: number;
    step: number;
    edges: number[]; // of the bins: one more than counts
    known: number[];
    novel: number[];
    threshold: number | null; // novelty score from which a sample was called novel, if there is one
    promised: number | null; // accepted error
    real: number | null; // share of known samples called novel
    auroc: number | null;
    roc: [x: number, y: number][]; // false alarms, detections
    pr: [x: number, y: number][]; // recall, precision of novel
    oscr: [x: number, y: number][]; // false acceptance of novel, correct classification of known
  }[];
  discovered: {
    arm: number;
    name: number;
    found: number; // step
    retired: number | null;
    into: string; // name granted or class merged into; "" while it lives
    why: string;
    size: number; // samples predicted as it, all steps, test and train, before feedback
    purity: number | null;
    mix: [name: number, samples: number][]; // true labels, most first
    life: [step: number, samples: number][];
  }[];
  alarms: {
    arm: number;
    step: number;
    samples: number;
    log_evidence: number;
    changed: boolean;
    since: number | null;
    kind: string;
    novel_share: number | null;
  }[];
}

/** kind "reliability": whether a confidence of 90 % means right nine times of ten; samples of known classes, given that they are known */
export interface Reliability {
  measures: MeasureText[]; // "ece10", "nll", "brier_sum", "ks_error", "accuracy", "mean_confidence", "failure_auroc_maxprob", "aurc", ...
  tables: {
    arm: number;
    split: string; // "validate", "test"
    classes: "all" | "common" | "rare"; // the more and the less frequent half of the classes
    samples: number;
    values: Ranged[]; // by measure
    bins: [samples: number, confidence: number | null, accuracy: number | null][]; // of equal width over [0, 1]
    right: number[]; // samples by confidence, 20 bins of equal width over [0, 1]
    wrong: number[];
    risk: [coverage: number, risk: number][]; // share of errors among the surest
  }[];
  per_class: {
    arm: number;
    split: string;
    rows: [name: number, in_data: number, samples: number, recall: number, confidence: number, ece: number][]; // most frequent first
  }[];
  training: {
    // of calibrators that train: a value per epoch
    arm: number;
    lines: { name: "ece_validation" | "ece_test" | "nll" | "temperature_mean" | "temperature_deviation"; values: (number | null)[] }[]; // ece_test: null after epochs that were not kept
    native: number | null; // test ECE of the classifier itself, where ece_test is known
  }[];
  temperatures: {
    // of calibrators whose temperature depends on the input: a sample of the test rows
    arm: number;
    axes: { name: string; about: string }[]; // "confidence", "first principal component", ...
    points: [right: 0 | 1, name: number, temperature: number, ...x: number[]][]; // x by axis
  }[];
  note: string; // what was left out, or ""
}

/** Names of the page, and which of them each drawn sample has: bytes as base64, the low ones first, then (if there are more than 256 names) the high ones. */
export interface CodedNames {
  names: number[];
  places: string;
}

/** kind "tests": samples in rounds, and a moment at which the world changes */
export interface Tests {
  measures: MeasureText[];
  tests: {
    run: number;
    id: string;
    samples: number;
    every: number; // of so many samples one is drawn, from the first on
    change: number | null; // sample from which on the world has changed: the red light
    first_novel: number | null;
    rounds: number[]; // first sample of each
    novel: string; // "0" or "1" for each drawn sample
    truth: CodedNames;
  }[];
  scores: {
    arm: number;
    setting: string; // "system", "given", "ignored"
    rows: { test: number; declared: number | null; values: (number | null)[] }[]; // by measure
    values: Ranged[]; // over tests, by measure
  }[];
  differences: { arm: number; from: string; to: string; pairs: number; values: Ranged[] }[]; // of the same tests: to less from
  streams: {
    arm: number;
    setting: string;
    test: number;
    changed: string; // p(the world has changed) of each drawn sample: bytes as base64, 254 is 1; "" where it was not told
    low: number; // novelty that byte 0 stands for
    high: number; // byte 254; 255 is missing
    novelty: string;
    said: CodedNames;
    granted: [round: number, labels: number][]; // after the round
  }[];
}

/** kind "discovery": novel classes of tests and the clusters matched with them */
export interface Discovery {
  measures: MeasureText[];
  settings: {
    arm: number;
    setting: string;
    values: Ranged[]; // over tests, by measure
    tests: {
      id: string;
      samples: number;
      change: number | null;
      clusters: number; // called
      values: (number | null)[];
      rounds: [round: number, samples: number, novel: number, accuracy: number | null, grouped: number | null, nmi: number | null, clusters: number, classes: number][];
      classes: {
        name: number;
        cluster: number | null; // matched with it
        samples: number;
        until: number | null; // samples of it before it was discovered; null: never
        found: [sample: number, round: number] | null;
        steps: number[]; // from one sample of it to the next, the first from 0
        calls: string; // of each: m the matched cluster or its name, c another cluster, u unknown, k another name
      }[];
      cells: number[]; // novel (0 or 1), actual, predicted, count; and so on
    }[];
  }[];
  note: string; // what was left out, or ""
}

/** How unusual the places of a picture are to a detector of patches; all pictures of an arm have one scale */
export interface Heat {
  height: number; // of the picture, in pixels
  width: number;
  cell: number; // side of a square; they lie from the top left corner on
  rows: number; // of squares
  columns: number;
  errors: string; // base64 of a byte for each square, row by row: 0 the least error of the arm, 255 the greatest
  worst: [top: number, left: number, side: number]; // patch
}

/** kind "detection": what is new told from what is normal by a score; the first seed */
export interface Detection {
  arms: {
    arm: number;
    normal: number; // test samples
    novel: number;
    distinct: number; // scores
    largest_tie: number; // samples of the commonest score
    tie_score: number | null;
    areas: Ranged[]; // AUROC, average precision, AUPRC by trapezoids; the test as it is
    drawn: string; // what was drawn anew for intervals: "21 groups"
    notes: string[];
    curve: [threshold: number | null, false_alarms: number, found: number][]; // samples; the strictest first, silence not among them; empty where one kind of sample is missing
    choices: [threshold: number | null, validate_false_alarms: number, validate_recall: number, false_alarms: number, found: number][]; // what costs can choose on validate, in shares there and in test samples; empty where it cannot choose
    points: {
      name: string; // "1 in 100 false alarms"
      chosen: "validate" | "test";
      of: "samples" | "episodes";
      threshold: number | null; // null: beyond every score
      recall: Ranged;
      false_alarms: Ranged;
      tied: number; // test samples (episodes) of exactly this score
    }[];
    classes: { name: number; samples: number; auroc: number | null; found: number[] }[]; // novel ones; found by point
    visible: { from: number; below: number | null; samples: number; auroc: number | null; found: number[] }[]; // by the share of a picture that the novel thing takes
    episodes: {
      normal: number;
      novel: number;
      areas: Ranged[]; // as above; empty where there are no episodes
      types: { name: number; episodes: number; moments: [never: number, early: number, median: number | null, mean: number][] }[]; // moments by point, in frames
    };
  }[];
  timelines: {
    run: number;
    id: string;
    type: number | null; // a name; null: it is normal
    why: [reason: "miss" | "false alarm" | "normal" | "type", arm: number][];
    frames: number;
    every: number; // of so many frames the greatest score is drawn
    first_novel: number | null; // frame, from 0
    novel: string; // "0" or "1" for each drawn place
    scores: { arm: number; values: (number | null)[] }[];
  }[];
  shelves: {
    arm: number;
    novel: boolean; // of the lowest score, or found: of the highest; else normal ones of the highest
    found: boolean; // only of arms that tell where they look
    items: { sample: string; group: string; truth: number; said: number; score: number | null; media: number | null; heat?: Heat }[];
  }[];
  problems: [arm: number, text: string][];
}

/** kind "categories": samples without labels sorted into known and new classes; the first seed */
export interface Categories {
  splits: {
    arm: number;
    split: string; // "test"; "unseen": sorted later, by the same groups
    samples: number;
    right: number; // in the group matched with their class
    known: number[]; // names that were taught
    found: number; // groups in all
    groups: {
      // the largest first
      name: number;
      size: number;
      mix: [name: number, samples: number][]; // true classes, most first; at most six
      classes: number; // in it
      matched: number | null; // the class it stands for; null: none is left for it
      right: number; // its samples of that class
      items: { sample: string; truth: number; media: number }[]; // the surest of it, where there are pictures
    }[];
    cells: number[]; // actual, group, count; and so on; empty where left out
  }[];
  note: string; // what was left out, or ""
}

/** kind "tasks": class-incremental learning, what is right of each task after each task */
export interface Tasks {
  measures: MeasureText[];
  arms: {
    arm: number;
    tasks: number[]; // as the data number them
    classes: number[]; // by task
    samples: number[]; // test samples by task
    accuracy: (number | null)[][]; // after task (row) of task (column), mean of the seeds; above the diagonal: looked ahead
    values: Ranged[][]; // after task, by measure
    frames: number | null; // in memory at the end
    bytes: number | null;
    shown: number | null; // frames of all lessons
  }[];
  memory: { arm: number; step: number; task: number; classes: number; samples: number; frames: number; bytes: number }[]; // task 0: of none
  exemplars: {
    // of memories with a budget, where there are pictures; some classes, by task
    arm: number;
    classes: { name: number; task: number; samples: number; items: { sample: string; frames: number; media: number }[] }[];
  }[];
  interval: string; // what low and high are
}

/** kind "space": a sample of the test rows, laid out in two dimensions */
export interface Space {
  maps: {
    run: number;
    layouts: { name: string; about: string; x: number[]; y: number[] }[]; // "pca", "neighbours"
    sample: string[]; // names of the samples
    truth: number[];
    step: number[];
    seen: {
      // by arm, before feedback in the step that showed the sample
      arm: number;
      label: number[];
      novelty: (number | null)[];
      novel: boolean[]; // of a class not known to the predictor then
    }[];
    note: string; // how many of how many
  }[];
}

/** kind "samples": a gallery */
export interface Samples {
  shelves: {
    arm: number;
    kind: "alarm" | "false alarm" | "miss" | "mistake" | "discovered";
    title: string;
    about: string;
    items: {
      sample: string;
      step: number;
      truth: number;
      top: [name: number, probability: number][]; // decision first, at most five
      novelty: number | null;
      p_value: number | null;
      media: number | null; // place in the page's list
    }[];
  }[];
}

/** kind "nuisance": test samples shown changed in a way that should not matter */
export interface Nuisance {
  measures: MeasureText[];
  arms: {
    arm: number;
    samples: number; // shown as they are
    values: Ranged[]; // by measure
    rows: {
      name: string; // of the nuisance
      samples: number;
      pairs: number; // samples shown both ways; 0: a loss is the difference of two values
      values: Ranged[];
      loss: Ranged[]; // as they are, less under the nuisance
    }[];
  }[];
  shelves: {
    // of samples that are named right as they are
    arm: number;
    name: string;
    right: boolean; // under the nuisance too
    samples: number;
    items: { sample: string; step: number; truth: number; said: number; confidence: number | null; media: number | null; changed: boolean }[]; // changed: the picture shows it so
  }[];
  interval: string; // what low and high are
}

/** kind "groups": by annotation column */
export interface Groups {
  columns: {
    run: number;
    column: string;
    note: string; // where a number was cut; "": it was not
    measures: MeasureText[];
    main: number; // so many of them, the first, are shown together
    rows: { arm: number; group: string; samples: number; values: Ranged[] }[];
  }[];
}

/** kind "cost" */
export interface Cost {
  steps: {
    arm: number;
    seed: number;
    step: number; // -1: measuring
    seconds: { learn: number; predict: number; other: number; around: number };
    anonymous_mb: number;
    mapped_mb: number;
  }[];
  labels: { arm: number; step: number; granted: number; total: number; spent?: number }[]; // spent so far, where answers have a price
  sizes: { arm: number; step: number; model_bytes: number; memory_bytes: number; remembered: number }[];
}

/** kind "provenance" */
export interface Provenance {
  runs: {
    run: number;
    command: string; // makes it again
    facts: [name: string, value: string][]; // version, seeds, threads, BLAS kernel, ...
    datasets: { name: string; digest: string; samples: number; source: string }[];
    prior_knowledge: string;
    properties: { arm: number; items: [name: string, value: string][] }[]; // the other six
    experiment: string; // YAML, as resolved
  }[];
}
