/** A registry of metrics that writes the Prometheus text format 0.0.4. */
import { type MetricLabels as Labels, metricLabels, metricLine } from '../../kube/text/metric-line.ts';

type Kind = 'counter' | 'gauge' | 'histogram';

/** The definition of one metric. */
export interface Definition {
  readonly kind: Kind;
  readonly help: string;
  /** Names of its labels, in no order; absent: it has none. */
  readonly labels?: readonly string[];
  /** Upper bounds of a histogram; absent: `BOUNDS`. */
  readonly buckets?: readonly number[];
}

interface Family {
  readonly name: string;
  readonly kind: Kind;
  readonly help: string;
  readonly labels: readonly string[];
  readonly bounds: readonly number[];
  /** Values by the text of their labels, such as `queue="ticks"`. */
  readonly values: Map<string, number>;
  readonly histograms: Map<string, Histogram>;
}

interface Histogram {
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Upper bounds in seconds. Source: prometheus/client_golang `ExponentialBuckets(0.001, 4, 8)`. */
const BOUNDS = [0.001, 0.004, 0.016, 0.064, 0.256, 1.024, 4.096, 16.384];

/**
 * Label sets that a metric may have. Further ones are counted together as `other`, so that `/metrics` cannot grow without
 * bound.
 */
const MOST_SERIES = 2_000;
const OTHER = 'other';

const checkLabels = ({ name, labels: defined }: Family, labels: Labels): void => {
  const given = Object.keys(labels);
  if (given.length !== defined.length || given.some((label) => !defined.includes(label)))
    throw new Error(`the metric ${name} has the labels ${defined.join(', ')}, not ${given.join(', ')}`);
};

/** The text of `labels`. For new labels of a metric that has `MOST_SERIES` already, every value is `other`. */
const keyOf = (family: Family, known: ReadonlyMap<string, unknown>, labels: Labels): string => {
  const key = metricLabels(labels);
  if (known.has(key)) return key;
  checkLabels(family, labels);
  if (known.size < MOST_SERIES) return key;
  return metricLabels(Object.fromEntries(Object.keys(labels).map((name) => [name, OTHER])));
};

const histogramLines = (
  name: string,
  labels: string,
  { bounds, counts, sum, count }: Histogram,
): readonly string[] => {
  const prefix = labels === '' ? '' : `${labels},`;
  return [
    ...bounds.map((bound, index) =>
      metricLine(`${name}_bucket`, `${prefix}le="${bound}"`, counts[index] ?? 0),
    ),
    metricLine(`${name}_bucket`, `${prefix}le="+Inf"`, count),
    metricLine(`${name}_sum`, labels, sum),
    metricLine(`${name}_count`, labels, count),
  ];
};

const observeIn = (histogram: Histogram, seconds: number): void => {
  histogram.sum += seconds;
  histogram.count += 1;
  const { bounds, counts } = histogram;
  for (let index = 0; index < bounds.length; index += 1)
    if (seconds <= (bounds[index] ?? 0)) counts[index] = (counts[index] ?? 0) + 1;
};

/** Metrics by name. */
export interface MetricsRegistry {
  /** Adds `by` (1 by default) to a counter. */
  add(name: string, labels?: Labels, by?: number): void;
  /** Sets a gauge. */
  set(name: string, labels: Labels, value: number): void;
  /** Removes all values of a metric, for example those of zones that no longer exist. */
  clear(name: string): void;
  /** Adds a duration in seconds to a histogram. */
  observe(name: string, seconds: number, labels?: Labels): void;
  /** What adds to one counter again and again, without making the text of its labels each time. */
  counter(name: string, labels: Labels): () => void;
  /** The same for a histogram: adds a duration in seconds. */
  timer(name: string, labels: Labels): (seconds: number) => void;
  /** All metrics in the text format. */
  text(): string;
}

/** The metrics by name. The methods throw for a name that is not among them, and for labels that it does not have. */
export const createMetricsRegistry = (definitions: Readonly<Record<string, Definition>>): MetricsRegistry => {
  const families = new Map<string, Family>(
    Object.entries(definitions).map(([name, { kind, help, labels = [], buckets: bounds = BOUNDS }]) => [
      name,
      { name, kind, help, labels, bounds, values: new Map(), histograms: new Map() },
    ]),
  );
  const familyOf = (name: string): Family => {
    const family = families.get(name);
    if (!family) throw new Error(`there is no metric ${name}`);
    return family;
  };
  const histogramOf = (name: string, labels: Labels): Histogram => {
    const family = familyOf(name);
    const { bounds, histograms } = family;
    const key = keyOf(family, histograms, labels);
    const histogram = histograms.get(key) ?? { bounds, counts: bounds.map(() => 0), sum: 0, count: 0 };
    histograms.set(key, histogram);
    return histogram;
  };
  const linesOf = ({ name, kind, help, values, histograms }: Family): readonly string[] => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${kind}`,
    ...[...values].map(([labels, value]) => metricLine(name, labels, value)),
    ...[...histograms].flatMap(([labels, histogram]) => histogramLines(name, labels, histogram)),
  ];
  return {
    add: (name, labels = {}, by = 1) => {
      const family = familyOf(name);
      const { values } = family;
      const key = keyOf(family, values, labels);
      values.set(key, (values.get(key) ?? 0) + by);
    },
    set: (name, labels, value) => {
      const family = familyOf(name);
      family.values.set(keyOf(family, family.values, labels), value);
    },
    clear: (name) => familyOf(name).values.clear(),
    observe: (name, seconds, labels = {}) => observeIn(histogramOf(name, labels), seconds),
    counter: (name, labels) => {
      const family = familyOf(name);
      const { values } = family;
      const key = keyOf(family, values, labels);
      return () => values.set(key, (values.get(key) ?? 0) + 1);
    },
    timer: (name, labels) => {
      const histogram = histogramOf(name, labels);
      return (seconds) => observeIn(histogram, seconds);
    },
    text: () => `${[...families.values()].flatMap(linesOf).join('\n')}\n`,
  };
};
