/** The thresholds of a configuration. Source: kubernetes v1.34 pkg/kubelet/eviction `ParseThresholdConfig`. */
import { parseGoDuration } from '../../../../shared/kube/text/go-duration.ts';
import { quote } from '../../../../shared/kube/text/go-quote.ts';
import { quantityText } from '../../../../shared/kube/values/quantity.ts';
import { parseQuantity } from '../../../../shared/kube/values/quantity-parse.ts';
import { isSignal, type Signal } from './signals.ts';
import { isHard, type Threshold, type ThresholdValue } from './threshold.ts';

type Texts = Readonly<Record<string, string>>;

/** The fields of a KubeletConfiguration that decide about pressure. */
export interface EvictionConfig {
  readonly enforceNodeAllocatable?: readonly string[] | null;
  readonly evictionHard?: Texts | undefined;
  readonly evictionSoft?: Texts | undefined;
  readonly evictionSoftGracePeriod?: Texts | undefined;
  readonly evictionMinimumReclaim?: Texts | undefined;
}

type ThresholdField = Exclude<keyof EvictionConfig, 'enforceNodeAllocatable'>;

/** What is wrong, in the kubelet's words, and the field that says it. */
export interface ThresholdFault {
  readonly error: string;
  readonly field: ThresholdField;
}

interface Fault {
  readonly error: string;
}

const DECIMAL = /^[+-]?(?:\d[\d_]*(?:\.[\d_]*)?|\.[\d_]*\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?$/;
const HEX = /^([+-]?)0[xX]([\da-fA-F_]*)(?:\.([\da-fA-F_]*))?[pP]([+-]?\d[\d_]*)$/;
const INFINITE = /^[+-]?inf(?:inity)?$/i;
/** An underscore stands between two digits, or after the `0x`. */
const LOOSE_UNDERSCORE = /(?:^|[^\da-fA-FxX])_|_(?:[^\da-fA-F]|$)/;

/** The configuration is refused with the kubelet's text. */
class ConfigFault extends Error {}

/** The same, and where. */
class FieldFault extends Error {
  readonly field: ThresholdField;

  constructor(message: string, field: ThresholdField) {
    super(message);
    this.field = field;
  }
}

const inField = <Value>(field: ThresholdField, read: () => Value): Value => {
  try {
    return read();
  } catch (error) {
    throw error instanceof ConfigFault ? new FieldFault(error.message, field) : error;
  }
};

type Read<Value> = (signal: Signal, text: string) => Value | undefined;

const checked = <Value extends object | number | bigint>(
  value: Value | { readonly error: string },
): Value => {
  if (typeof value === 'object' && 'error' in value) throw new ConfigFault(value.error);
  return value;
};

/** The texts of a field by signal; one that is read as `undefined` is left out. */
const bySignal = <Value>(texts: Texts | undefined, read: Read<Value>): ReadonlyMap<Signal, Value> => {
  const values = new Map<Signal, Value>();
  for (const [signal, text] of Object.entries(texts ?? {})) {
    if (!isSignal(signal)) throw new ConfigFault(`unsupported eviction signal ${signal}`);
    const value = read(signal, text);
    if (value !== undefined) values.set(signal, value);
  }
  return values;
};

const hexValue = (sign: string, whole: string, fraction: string, exponent: string): number | undefined => {
  if (whole + fraction === '') return undefined;
  const digits = Number.parseInt(`${whole}${fraction}`, 16);
  const value = digits * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -value : value;
};

/** The number that the text is, before it is rounded; `undefined` if it is none. */
const floatOf = (text: string): number | undefined => {
  if (LOOSE_UNDERSCORE.test(text)) return undefined;
  const plain = text.replaceAll('_', '');
  if (DECIMAL.test(text)) return Number(plain);
  const [, sign = '', whole = '', fraction = '', exponent] = HEX.exec(plain) ?? [];
  return exponent === undefined ? undefined : hexValue(sign, whole, fraction, exponent);
};

const parseFloat32 = (text: string): number | Fault => {
  if (/^nan$/i.test(text)) return Number.NaN;
  if (INFINITE.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  const value = floatOf(text);
  const fault = (why: string): Fault => ({ error: `strconv.ParseFloat: parsing ${quote(text)}: ${why}` });
  if (value === undefined) return fault('invalid syntax');
  const rounded = Math.fround(value);
  return Number.isFinite(rounded) ? rounded : fault('value out of range');
};

/**
 * Reads percentages as the kubelet does. Source: Go 1.24 `strconv.ParseFloat`; kubernetes v1.34 pkg/kubelet/eviction
 * `parsePercentage`.
 */
export const isPercentage = (text: string): boolean => text.endsWith('%');

/** `12.5%` → 0.125 as a float32, or what is wrong with the text. */
export const parsePercentage = (text: string): number | Fault => {
  const value = parseFloat32(text.replace(/%+$/, ''));
  return typeof value === 'number' ? Math.fround(value / 100) : value;
};

const thresholdPercentage = (signal: Signal, text: string): ThresholdValue => {
  const percentage = checked(parsePercentage(text));
  const start = `eviction percentage threshold ${signal} must be`;
  if (percentage < 0) throw new ConfigFault(`${start} >= 0%: ${text}`);
  if (percentage > 1) throw new ConfigFault(`${start} <= 100%: ${text}`);
  return { percentage };
};

/** Just these two texts switch a threshold off. */
const isOff = (text: string): boolean => text === '0%' || text === '100%';

const thresholdValue: Read<ThresholdValue> = (signal, text) => {
  if (isOff(text)) return undefined;
  if (isPercentage(text)) return thresholdPercentage(signal, text);
  const quantity = checked(parseQuantity(text));
  if (quantity.nano <= 0n)
    throw new ConfigFault(`eviction threshold ${signal} must be positive: ${quantityText(quantity)}`);
  return { quantity };
};

const gracePeriod: Read<number> = (_, text) => {
  const nanoseconds = checked(parseGoDuration(text));
  if (nanoseconds < 0n)
    throw new ConfigFault(`invalid eviction grace period specified: ${text}, must be a positive value`);
  return Number(nanoseconds) / 1e6;
};

const minimumReclaim: Read<ThresholdValue> = (signal, text) => {
  if (isPercentage(text)) {
    const percentage = checked(parsePercentage(text));
    if (percentage <= 0)
      throw new ConfigFault(`eviction percentage minimum reclaim ${signal} must be positive: ${text}`);
    return { percentage };
  }
  const quantity = checked(parseQuantity(text));
  if (quantity.nano < 0n) throw new ConfigFault(`negative eviction minimum reclaim specified for ${signal}`);
  return { quantity };
};

type Bare = Omit<Threshold, 'minReclaim'>;

const softThreshold = (signal: Signal, value: ThresholdValue, graceMs: number | undefined): Bare => {
  if (graceMs === undefined)
    throw new ConfigFault(`grace period must be specified for the soft eviction threshold ${signal}`);
  return { signal, value, graceMs };
};

const read = (config: EvictionConfig): readonly Threshold[] => {
  const field = <Value>(name: ThresholdField, one: Read<Value>): ReadonlyMap<Signal, Value> =>
    inField(name, () => bySignal(config[name], one));
  const hard = field('evictionHard', thresholdValue);
  const soft = field('evictionSoft', thresholdValue);
  const graces = field('evictionSoftGracePeriod', gracePeriod);
  const reclaims = field('evictionMinimumReclaim', minimumReclaim);
  const graced = inField('evictionSoftGracePeriod', () =>
    [...soft].map(([signal, value]) => softThreshold(signal, value, graces.get(signal))),
  );
  const bare = [...[...hard].map(([signal, value]): Bare => ({ signal, value, graceMs: 0 })), ...graced];
  return bare.map((threshold) => {
    const minReclaim = reclaims.get(threshold.signal);
    return minReclaim ? { ...threshold, minReclaim } : threshold;
  });
};

/** The pods' cgroup has a limit, at which the kernel ends processes: its hard thresholds are those of the machine's memory. */
const allocatable = (thresholds: readonly Threshold[]): readonly Threshold[] =>
  thresholds
    .filter((threshold) => threshold.signal === 'memory.available' && isHard(threshold))
    .map((threshold) => ({ ...threshold, signal: 'allocatableMemory.available' }));

/** The thresholds, or the first thing that is wrong with the configuration, in the kubelet's words. */
export const thresholdsOf = (
  config: EvictionConfig,
): { readonly thresholds: readonly Threshold[] } | ThresholdFault => {
  try {
    const thresholds = read(config);
    const isEnforced = config.enforceNodeAllocatable?.includes('pods') ?? false;
    return { thresholds: [...thresholds, ...(isEnforced ? allocatable(thresholds) : [])] };
  } catch (error) {
    if (error instanceof FieldFault) return { error: error.message, field: error.field };
    throw error;
  }
};
