/** A registry of metrics that writes the Prometheus text format 0.0.4. */
type Labels = Readonly<Record<string, string>>;
type Kind = 'counter' | 'gauge' | 'histogram';

interface Family {
  readonly kind: Kind;
  readonly help: string;
  /** Values by the text of their labels, such as `queue="ticks"`. */
  readonly values: Map<string, number>;
  readonly histograms: Map<string, Histogram>;
}

interface Histogram {
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

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

const inBraces = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');

/** The text of `labels`. For new labels of a metric that has `MOST_SERIES` already, every value is `other`. */
const keyOf = (known: ReadonlyMap<string, unknown>, labels: Labels): string => {
  const key = inBraces(labels);
  if (known.has(key) || known.size < MOST_SERIES) return key;
  return inBraces(Object.fromEntries(Object.keys(labels).map((name) => [name, OTHER])));
};

const sample = (name: string, labels: string, value: number): string =>
  `${name}${labels === '' ? '' : `{${labels}}`} ${value}`;

const histogramLines = (
  name: string,
  labels: string,
  { counts, sum, count }: Histogram,
): readonly string[] => {
  const prefix = labels === '' ? '' : `${labels},`;
  return [
    ...BOUNDS.map((bound, index) => sample(`${name}_bucket`, `${prefix}le="${bound}"`, counts[index] ?? 0)),
    sample(`${name}_bucket`, `${prefix}le="+Inf"`, count),
    sample(`${name}_sum`, labels, sum),
    sample(`${name}_count`, labels, count),
  ];
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
  /** All metrics in the text format. */
  text(): string;
}

/** `names`: kind and help text of each metric. The methods throw for a name that is not among them. */
export const createMetricsRegistry = (
  names: Readonly<Record<string, readonly [Kind, string]>>,
): MetricsRegistry => {
  const families = new Map<string, Family>(
    Object.entries(names).map(([name, [kind, help]]) => [
      name,
      { kind, help, values: new Map(), histograms: new Map() },
    ]),
  );
  const familyOf = (name: string): Family => {
    const family = families.get(name);
    if (!family) throw new Error(`there is no metric ${name}`);
    return family;
  };
  const linesOf = (name: string, { kind, help, values, histograms }: Family): readonly string[] => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${kind}`,
    ...[...values].map(([labels, value]) => sample(name, labels, value)),
    ...[...histograms].flatMap(([labels, histogram]) => histogramLines(name, labels, histogram)),
  ];
  return {
    add: (name, labels = {}, by = 1) => {
      const { values } = familyOf(name);
      const key = keyOf(values, labels);
      values.set(key, (values.get(key) ?? 0) + by);
    },
    set: (name, labels, value) => {
      const { values } = familyOf(name);
      values.set(keyOf(values, labels), value);
    },
    clear: (name) => familyOf(name).values.clear(),
    observe: (name, seconds, labels = {}) => {
      const { histograms } = familyOf(name);
      const key = keyOf(histograms, labels);
      const histogram = histograms.get(key) ?? { counts: BOUNDS.map(() => 0), sum: 0, count: 0 };
      histograms.set(key, histogram);
      histogram.sum += seconds;
      histogram.count += 1;
      for (const [index, bound] of BOUNDS.entries())
        if (seconds <= bound) histogram.counts[index] = (histogram.counts[index] ?? 0) + 1;
    },
    text: () => `${[...families].flatMap(([name, family]) => linesOf(name, family)).join('\n')}\n`,
  };
};
