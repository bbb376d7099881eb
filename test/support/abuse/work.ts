/**
 * What a piece of work costs, counted and not timed: how often each block of the product ran, and how much natives went
 * through that take longer for longer lists and texts. Not seen: object spreads, `JSON`, `Map` and `Set` of their own, and
 * string concatenation, whose cost is in proportion to what they make.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Session } from 'node:inspector';

/** The product, and the parser that it calls; not the tests. */
const COUNTED = /\/(?:shared\/|local\/|node_modules\/yaml\/)/;

interface Range {
  readonly count: number;
}

interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

const blocksOf = ({ functions }: Script): number => {
  let sum = 0;
  for (const { ranges } of functions) for (const { count } of ranges) sum += count;
  return sum;
};

type Native = (this: { readonly length: number }, ...given: never[]) => unknown;

/** Natives of lists that look at, or move, as many elements as there are. */
const LIST_NATIVES = [
  'concat',
  'includes',
  'indexOf',
  'lastIndexOf',
  'shift',
  'slice',
  'splice',
  'toReversed',
  'toSpliced',
  'unshift',
  'with',
] as const;

/** How many repetitions without an end an expression has. */
const repetitionsOf = (source: string): number => {
  let [count, isInClass] = [0, false];
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at] ?? '';
    if (character === '\\') at += 1;
    else if (character === '[' || character === ']') isInClass = character === '[';
    else if (!isInClass && '*+'.includes(character)) count += 1;
    else if (!isInClass && source.startsWith(',}', at)) count += 1;
  }
  return count;
};

/**
 * Whether a text is read once: without a repetition, with one that can begin at one place only, or as `LINEAR` says. Of
 * all others it is taken that they go back over what they read.
 */
const isLinear = ({ source, sticky }: RegExp): boolean => {
  const repetitions = repetitionsOf(source);
  return repetitions === 0 || (repetitions === 1 && (sticky || source.startsWith('^'))) || LINEAR.has(source);
};

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const UNDERSCORE_LABEL = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';

/** Expressions of several repetitions that read a text once, and why. */
const LINEAR: ReadonlySet<string> = new Set([
  // Labels end at dots, which are in no label.
  `^${LABEL}(\\.${LABEL})*$`,
  `^${UNDERSCORE_LABEL}(\\.${UNDERSCORE_LABEL})*$`,
  // Each part begins with a character that the one before cannot have.
  '^([+-]?)(\\d*)(?:\\.(\\d*))?((?:[eEinumkKMGTP]+[-+]?\\d*|[-+]\\d*)?)$',
  '^[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eEinumkKMGTP]+[-+]?\\d*|[-+]\\d*)?$',
  // A token follows its blanks, and has none; where none follows the reading ends.
  '\\s*(?:(==|!=|=|>|<)|([!,()])|([^\\s=!,()<>]+))',
  // It begins where the last one ended, and each part with a character that the one before cannot have; what follows the digits may be empty.
  '(?:(\\d+)(?:\\.(\\d*))?|\\.(\\d+))([^\\d.]*)',
  // Runs to the first sign, then to the end.
  '^(.*?)(!=|==|=)(.*)$',
  '-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?',
  // Where its beginning is found it matches.
  '(?:^|,)metadata\\.name==?([^,=\\\\]+)',
]);

export interface Work {
  readonly blocks: number;
  /** Elements and characters that natives went through; a square where an expression may go back. */
  readonly scanned: number;
}

export interface WorkCounter {
  /** Forgets what ran until now. */
  reset(): void;
  /**
   * What `run` costs. Natives count only where `run` called them; blocks of the product count whoever ran them since the last
   * count.
   */
  count(run: () => Promise<unknown>): Promise<Work>;
  stop(): void;
}

const post = <T>(session: Session, method: string, parameters?: object): T => {
  let answer: T | undefined;
  // In its own thread a session answers at once.
  session.post(method, parameters ?? {}, (error, result) => {
    if (error) throw error;
    answer = result as T;
  });
  return answer as T;
};

/**
 * Whose work is counted. The test runner reports in the same thread, at intervals of the clock: on a busy machine it does so during
 * most requests, and one expression on its texts is charged as many steps as a large request.
 */
const counted = new AsyncLocalStorage<(steps: number) => void>();
const note = (steps: number): void => counted.getStore()?.(steps);

/** Replaces natives by ones that count; returns what puts them back. */
const countNatives = (): (() => void) => {
  const lists = Array.prototype as unknown as Record<string, Native>;
  const natives = LIST_NATIVES.map((name) => [name, lists[name] as Native] as const);
  for (const [name, native] of natives)
    lists[name] = function counting(...given) {
      note(this.length);
      return native.apply(this, given);
    };
  const { exec } = RegExp.prototype;
  RegExp.prototype.exec = function counting(text: string) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const found = exec.call(this, text);
    const end = found ? found.index + found[0].length : `${text}`.length;
    const steps = found === null && this.sticky ? 1 : Math.max(1, end - from);
    note(isLinear(this) ? steps : steps ** 2);
    return found;
  };
  return () => {
    for (const [name, native] of natives) lists[name] = native;
    RegExp.prototype.exec = exec;
  };
};

/** Counts until it is stopped; one at a time. */
export const startCounting = (): WorkCounter => {
  const session = new Session();
  session.connect();
  post(session, 'Profiler.enable');
  post(session, 'Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const taken = (): number =>
    post<{ readonly result: readonly Script[] }>(session, 'Profiler.takePreciseCoverage').result.reduce(
      (sum, script) => (COUNTED.test(script.url) ? sum + blocksOf(script) : sum),
      0,
    );
  const count = async (run: () => Promise<unknown>): Promise<Work> => {
    let scanned = 0;
    const add = (steps: number): void => {
      scanned += steps;
    };
    const restore = countNatives();
    try {
      await counted.run(add, run);
    } finally {
      restore();
    }
    return { blocks: taken(), scanned };
  };
  return {
    reset: taken,
    count,
    stop: () => {
      post(session, 'Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
};
