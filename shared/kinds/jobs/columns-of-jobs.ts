/** Printers of `batch/v1`. */
import { ageOf, humanDuration } from '../../kube/text/human-duration.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { parseTime } from '../../kube/values/time.ts';
import type { Printer } from '../fields/column.ts';
import { AGE_COLUMN, column, NAME_COLUMN, NONE, UNSET } from '../fields/column.ts';
import type { LabelSelector } from '../fields/label-text.ts';
import { selectorText } from '../fields/label-text.ts';
import type { Template } from '../fields/template-cells.ts';
import { CONTAINERS, IMAGES, SELECTOR, templateCells } from '../fields/template-cells.ts';

interface JobSpec {
  readonly completions?: number;
  readonly parallelism?: number;
  readonly selector?: LabelSelector;
  readonly template?: Template;
}

interface Job extends ApiObject {
  readonly spec?: JobSpec;
  readonly status?: {
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
    readonly startTime?: string;
    readonly completionTime?: string;
    readonly succeeded?: number;
  };
}

const hasCondition = ({ status }: Job, type: string): boolean =>
  status?.conditions?.find((one) => one.type === type)?.status === 'True';

const ENDED = [
  ['Complete', 'Complete'],
  ['Failed', 'Failed'],
] as const;
const UNDER_WAY = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'] as const;

const statusText = (job: Job): string => {
  const ended = ENDED.find(([type]) => hasCondition(job, type));
  if (ended) return ended[1];
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return UNDER_WAY.find((type) => hasCondition(job, type)) ?? 'Running';
};

const completionsText = ({ spec = {}, status }: Job): string => {
  const { completions, parallelism = 0 } = spec;
  const done = status?.succeeded ?? 0;
  if (completions !== undefined) return `${done}/${completions}`;
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
};

const durationText = ({ status }: Job, now: EpochMs): string => {
  const start = parseTime(status?.startTime ?? '');
  if (start === undefined) return '';
  return humanDuration((parseTime(status?.completionTime ?? '') ?? now) - start);
};

/** The table of `kubectl get jobs`. */
export const jobPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Status', 'The state of the Job.'),
    column('Completions', 'How many of its pods succeeded, of how many.'),
    column('Duration', 'How long it took.'),
    AGE_COLUMN,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  cells: (job: Job, now) => [
    job.metadata.name,
    statusText(job),
    completionsText(job),
    durationText(job, now),
    ageOf(job.metadata.creationTimestamp, now),
    ...templateCells(job.spec?.template),
    selectorText(job.spec?.selector),
  ],
};

interface CronJob extends ApiObject {
  readonly spec?: {
    readonly schedule?: string;
    readonly timeZone?: string;
    readonly suspend?: boolean;
    readonly jobTemplate?: { readonly spec?: JobSpec };
  };
  readonly status?: { readonly active?: readonly object[]; readonly lastScheduleTime?: string };
}

/** The table of `kubectl get cronjobs`. */
export const cronJobPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Schedule', 'When its Jobs begin.'),
    column('Timezone', 'The time zone of the schedule.'),
    column('Suspend', 'Whether no more Jobs begin.', { type: 'boolean' }),
    column('Active', 'How many of its Jobs run.', { type: 'integer' }),
    column('Last Schedule', 'The time since its last Job began.'),
    AGE_COLUMN,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  cells: ({ metadata, spec = {}, status = {} }: CronJob, now) => [
    metadata.name,
    spec.schedule ?? '',
    spec.timeZone ?? NONE,
    spec.suspend === undefined ? UNSET : spec.suspend ? 'True' : 'False',
    status.active?.length ?? 0,
    status.lastScheduleTime ? ageOf(status.lastScheduleTime, now) : NONE,
    ageOf(metadata.creationTimestamp, now),
    ...templateCells(spec.jobTemplate?.spec?.template),
    selectorText(spec.jobTemplate?.spec?.selector),
  ],
};
