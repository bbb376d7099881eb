/** Figures of a host beside Kubernetes, from the rounds of both. Pure. */
import { optional } from '../../../shared/kube/values/optional.ts';
import type { Figure, Target } from '../figures/figures.ts';
import { median, spread } from '../figures/statistics.ts';
import { formatNumber } from '../figures/table.ts';
import type { Round, TaskUse } from './round.ts';
import type { TaskName } from './tasks.ts';

/** The rounds of both sides. */
export interface Rounds {
  readonly rollcall: readonly Round[];
  readonly kubernetes: readonly Round[];
}

type Measure = (round: Round) => number;

/** Share of a core above which a client has no time left to wait for answers. */
const BUSY_CLIENT = 0.8;

const NAMES: Readonly<Record<TaskName, string>> = {
  pods: 'pods created and bound',
  nodes: 'Nodes created',
  renewals: 'Leases renewed',
  tables: 'Tables of Nodes',
  deletions: 'Nodes deleted',
};

const MEASURES: readonly (readonly [keyof TaskUse, string, string])[] = [
  ['rate', 'rate', '/s'],
  ['p50Ms', 'p50', 'ms'],
  ['p99Ms', 'p99', 'ms'],
  ['cpuMs', 'processor time for each', 'ms'],
  ['writtenKb', 'written for each', 'KB'],
  ['client', 'the client itself', 'cores'],
];

const mediansOf = ({ rollcall, kubernetes }: Rounds, measure: Measure) => ({
  ours: median(rollcall.map(measure)),
  theirs: median(kubernetes.map(measure)),
});

/** The host's figure, and what it is a multiple of: nothing, if that is 0. */
const sideBySide = (rounds: Rounds, name: string, unit: string, measure: Measure, note?: string): Figure => {
  const { ours, theirs } = mediansOf(rounds, measure);
  const ratio = { value: ours / theirs, to: `Kubernetes' ${formatNumber(theirs)}` };
  const figure = { name, unit, ...spread(rounds.rollcall.map(measure)), ...optional('note', note) };
  return theirs === 0 ? { ...figure, note: "Kubernetes' is 0" } : { ...figure, ratio };
};

const warningOf = ({ rollcall, kubernetes }: Rounds, task: TaskName): string | undefined => {
  const isBusy = [...rollcall, ...kubernetes].some(({ tasks }) => tasks[task].client > BUSY_CLIENT);
  return isBusy ? 'the client is what is measured' : undefined;
};

const figuresOfTask = (rounds: Rounds, task: TaskName): readonly Figure[] =>
  MEASURES.map(([key, name, unit]) => {
    const note = key === 'client' ? warningOf(rounds, task) : undefined;
    return sideBySide(rounds, `${NAMES[task]}: ${name}`, unit, ({ tasks }) => tasks[task][key], note);
  });

/** Of the two medians. */
const summaryLine = (rounds: Rounds, name: string, measure: Measure, target: Target): Figure => {
  const { ours, theirs } = mediansOf(rounds, measure);
  const note = `${formatNumber(ours)} to ${formatNumber(theirs)}`;
  return { name: `Rollcall to Kubernetes: ${name}`, unit: '×', value: ours / theirs, target, note };
};

const summaryOf = (rounds: Rounds): readonly Figure[] => {
  const rate = (task: TaskName, least: number): Figure =>
    summaryLine(rounds, `${NAMES[task]} a second`, ({ tasks }) => tasks[task].rate, { atLeast: least });
  const perProcessor: Measure = ({ tasks }) => 1_000 / tasks.renewals.cpuMs;
  return [
    rate('nodes', 1.5),
    rate('pods', 1.5),
    rate('tables', 1),
    rate('renewals', 2.5),
    summaryLine(rounds, `${NAMES.renewals} per processor second`, perProcessor, { atLeast: 5 }),
    rate('deletions', 1),
    summaryLine(rounds, 'memory, MB', ({ residentMb }) => residentMb, { atMost: 0.6 }),
  ];
};

/** All measures as multiples of Kubernetes', and at the end the ratios that have targets. */
export const compare = (rounds: Rounds): readonly Figure[] => [
  ...(Object.keys(NAMES) as TaskName[]).flatMap((task) => figuresOfTask(rounds, task)),
  sideBySide(rounds, 'memory at the end', 'MB', ({ residentMb }) => residentMb),
  sideBySide(rounds, 'all servers when nobody asks', 'cores', ({ idle }) => idle),
  ...summaryOf(rounds),
];
