/** When late nodes become Unknown, as the API's explanations say: policies, and absences of the host, are known to the node monitor only. */
import { optional } from '../../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { firstPassAfter } from '../../../shared/rules/nodes/node-health.ts';
import type { DueUnknown } from '../../wire/live.ts';
import type { DashboardApi } from './api.ts';

/** What is known of a late node. */
export type Forecast = DueUnknown;

/** A node that is late, and its last beat (ms). */
export type LateNode = Omit<DueUnknown, 'at'>;

/** Late nodes that are asked about; a display reckons for the others from their Leases. */
export const MOST_ASKED = 60;
const AT_ONCE = 4;
/** From a question about a node to the next one, ms: a policy may have changed, or the host was away. */
const AGAIN_MS = 5_000;

interface Asked {
  readonly beatAt: EpochMs;
  askedAt: EpochMs;
  isBeingAsked: boolean;
  /** Absent: there has been no answer. */
  answer?: Pick<DueUnknown, 'at'>;
}

interface Explanation {
  readonly answers: readonly {
    readonly question: string;
    readonly next?: { readonly verdict: string; readonly time: string; readonly withinSeconds?: number };
  }[];
}

/** Without `at`, the node becomes Unknown at no instant of its own: its zone paces that. `undefined`: it does not become Unknown. */
const answerIn = ({ answers }: Explanation): Pick<DueUnknown, 'at'> | undefined => {
  const { next } = answers.find(({ question }) => question === 'health') ?? {};
  if (next?.verdict !== 'Unknown') return undefined;
  const { time, withinSeconds } = next;
  const passAt = (seconds: number): EpochMs => firstPassAfter(Date.parse(time), 1_000 * seconds);
  return optional('at', withinSeconds === undefined ? undefined : passAt(withinSeconds));
};

const read = async (
  api: Pick<DashboardApi, 'get'>,
  name: string,
): Promise<Pick<DueUnknown, 'at'> | undefined> => {
  const { status, text } = await api.get(`/api/v1/nodes/${encodeURIComponent(name)}/explain`);
  return status === 200 ? answerIn(JSON.parse(text) as Explanation) : undefined;
};

/** Creates them. Nothing is asked while no node is late. */
export const createForecasts = (api: Pick<DashboardApi, 'get'>, now: () => EpochMs) => {
  const kept = new Map<string, Asked>();
  let [version, asking] = [0, 0];

  const ask = async (name: string, one: Asked): Promise<void> => {
    [one.isBeingAsked, one.askedAt] = [true, now()];
    asking += 1;
    // Without an answer a display reckons from the Lease.
    const answer = await read(api, name).catch(() => undefined);
    asking -= 1;
    one.isBeingAsked = false;
    if (!answer || (one.answer && answer.at === one.answer.at)) return;
    one.answer = answer;
    version += 1;
  };
  const keep = (late: readonly LateNode[]): void => {
    const names = new Set(late.map(({ node }) => node));
    for (const name of kept.keys()) if (!names.has(name)) kept.delete(name);
    for (const { node, beatAt } of late)
      if (kept.get(node)?.beatAt !== beatAt)
        kept.set(node, { beatAt, askedAt: Number.NEGATIVE_INFINITY, isBeingAsked: false });
  };

  return {
    /** These nodes are late now, and no others. Asks for what is not known of them, a few at a time. */
    look: (late: readonly LateNode[]): void => {
      keep(late.slice(0, MOST_ASKED));
      for (const [name, one] of kept) {
        if (asking >= AT_ONCE) return;
        if (!one.isBeingAsked && Math.abs(now() - one.askedAt) >= AGAIN_MS) void ask(name, one);
      }
    },
    all: (): readonly DueUnknown[] =>
      [...kept].flatMap(([node, { beatAt, answer }]) => (answer ? [{ node, beatAt, ...answer }] : [])),
    /** Differs whenever `all` may have changed by an answer. */
    version: (): number => version,
  };
};

/** What is known of late nodes from the API. */
export type Forecasts = ReturnType<typeof createForecasts>;
