/** What a reader of a log asks for. Source: kubernetes v1.34 `core/v1` `PodLogOptions`, pkg/apis/core/validation `ValidatePodLogOptions`. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { parseTime } from '../../../shared/kube/values/time.ts';

export interface LogOptions {
  /** Goes on until the container ends. */
  readonly follow: boolean;
  /** Of the container that ran before this one. */
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Lines that are older are left out; absent: all. */
  readonly since?: EpochMs;
  /** How many of the last lines; absent: all. */
  readonly tailLines?: number;
  /** Where the answer is cut; absent: nowhere. */
  readonly limitBytes?: number;
}

/** Why there is no answer: the HTTP status and the message, as a kubelet has them. */
export interface LogFault {
  readonly status: number;
  readonly message: string;
}

const UNREADABLE: LogFault = { status: 400, message: 'Unable to decode query.' };
const INVALID: LogFault = { status: 422, message: 'Invalid request.' };

/** As Kubernetes reads a boolean of a query: all but these is true. */
const isTrue = (text: string | null): boolean => text !== null && !/^(false|0)$/i.test(text);

const INTEGER = /^[+-]?\d{1,18}$/;

/** `null`: it is no number. */
const numberOf = (text: string | null): number | undefined | null => {
  if (text === null) return undefined;
  return INTEGER.test(text) ? Number(text) : null;
};

const timeOf = (text: string | null): EpochMs | undefined | null => {
  if (text === null || text === '' || text === 'null') return undefined;
  return parseTime(text) ?? null;
};

/** `tail` is the older name of `tailLines`. */
const tailOf = (query: URLSearchParams): number | undefined | null => {
  const old = query.get('tail') ?? '';
  if (old === 'all') return undefined;
  return numberOf(old === '' ? query.get('tailLines') : old);
};

/** The options of a query at `now`, or what is wrong with it. Unknown parameters do not count. */
export const logOptions = (query: URLSearchParams, now: EpochMs): LogOptions | LogFault => {
  const [tailLines, limitBytes] = [tailOf(query), numberOf(query.get('limitBytes'))];
  const [seconds, time] = [numberOf(query.get('sinceSeconds')), timeOf(query.get('sinceTime'))];
  if ([tailLines, limitBytes, seconds, time].includes(null)) return UNREADABLE;
  const isInvalid =
    (tailLines ?? 0) < 0 ||
    (limitBytes ?? 1) < 1 ||
    (seconds ?? 1) < 1 ||
    (seconds !== undefined && time !== undefined);
  if (isInvalid) return INVALID;
  const since = typeof seconds === 'number' ? now - seconds * 1000 : time;
  return {
    follow: isTrue(query.get('follow')),
    previous: isTrue(query.get('previous')),
    timestamps: isTrue(query.get('timestamps')),
    ...(typeof since === 'number' && { since }),
    ...(typeof tailLines === 'number' && { tailLines }),
    ...(typeof limitBytes === 'number' && { limitBytes }),
  };
};
