/** The stream about one node or pod: its object, what belongs to it, and the explanation, whenever one of them changes. A slow answer delays no other part. */
import { setTimeout } from 'node:timers/promises';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { DetailLease, DetailMessage, DetailPart, ExplainedAnswer } from '../../wire/detail.ts';
import { ALIVE_MS } from '../../wire/source.ts';
import type { DashboardApi } from './api.ts';
import { follow } from './follow.ts';
import type { Source } from './source.ts';
import { createStanding } from './standing.ts';

/** What is followed. */
export interface DetailTarget {
  /** Collections of the API, with selectors. */
  readonly paths: Readonly<Partial<Record<DetailPart, string>>>;
  readonly explain: string;
  /** What is known of the Lease of a node; absent for pods. */
  readonly lease?: LeaseSource;
}

/** The Lease of a node. */
export interface LeaseSource {
  /** As it is followed; `undefined`: it is not. */
  readonly followed: () => DetailLease | null | undefined;
  /** As the API has it, for when it is not followed. */
  readonly read: () => Promise<DetailLease | null | undefined>;
}

export interface DetailDeps {
  readonly api: DashboardApi;
  readonly source: Source;
  readonly now: () => EpochMs;
  readonly tickMs: number;
}

/** Objects of a part that are sent. */
const MOST = 300;
/** After a change, the explanation is asked for at most this often (ms); without one, this often, for its times run. */
const EXPLAIN_MS = 1_000;
const EXPLAIN_AGAIN_MS = 15_000;

/** The objects of one part as they are. Those of a list take the place of the earlier ones when the whole list is there. */
const createPart = () => {
  let [objects, coming]: [Map<string, ApiObject>, Map<string, ApiObject> | undefined] = [
    new Map(),
    undefined,
  ];
  const keyOf = ({ metadata }: ApiObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;
  const part = { isDirty: false, isWhole: false, objects: (): readonly ApiObject[] => [...objects.values()] };
  const touched = (): void => {
    part.isDirty ||= !coming;
  };
  const told = {
    onReset: () => {
      coming = new Map();
    },
    onObject: (object: ApiObject) => {
      (coming ?? objects).set(keyOf(object), object);
      touched();
    },
    onDeleted: (object: ApiObject) => {
      objects.delete(keyOf(object));
      touched();
    },
    onWhole: () => {
      [objects, coming] = [coming ?? objects, undefined];
      part.isWhole = true;
      touched();
    },
  };
  return { part, told };
};

type Explained = Pick<DetailMessage, 'answers' | 'unexplained'>;

const explained = async (api: DashboardApi, path: string): Promise<Explained> => {
  const { status, text } = await api.get(path);
  const body = JSON.parse(text) as {
    readonly answers: readonly ExplainedAnswer[];
    readonly message?: string;
  };
  return status === 200
    ? { answers: body.answers }
    : { answers: [], unexplained: body.message ?? `${status}` };
};

type Parts = readonly (readonly [DetailPart, ReturnType<typeof createPart>['part']])[];

/** Follows the parts; the source learns of what the watches bring. */
const followParts = (
  { api, source }: DetailDeps,
  paths: DetailTarget['paths'],
  signal: AbortSignal,
): { readonly parts: Parts; readonly standing: ReturnType<typeof createStanding> } => {
  // The source has caught up when the fleet has.
  const standing = createStanding({ ...source, caughtUp: () => undefined }, Object.values(paths));
  const parts = (Object.entries(paths) as [DetailPart, string][]).map(([name, path]) => {
    const { part, told } = createPart();
    void follow({ api, source }, path, standing.told(path, told), signal);
    return [name, part] as const;
  });
  return { parts, standing };
};

/** The parts that changed since the last call. */
const takeDirty = (parts: Parts): Parts => {
  const dirty = parts.filter(([, { isDirty, isWhole }]) => isDirty && isWhole);
  for (const [, part] of dirty) part.isDirty = false;
  return dirty;
};

const OUTDATED: Explained = { answers: [], unexplained: 'it was silent for a while, and is asked again' };

/** Asks for the explanation when something has changed, and now and then. Returns the answer that has come since the last call. */
const createExplainer = ({ api, source, now }: DetailDeps, path: string) => {
  let [askedAt, isStale, isAsking, round] = [0, true, false, source.round()];
  let come: Explained | undefined;
  const ask = async (): Promise<void> => {
    const asked = round;
    [askedAt, isStale, isAsking] = [now(), false, true];
    // That the API does not answer is what the source says.
    const answer = await explained(api, path).catch(() => undefined);
    if (asked !== round) return;
    come = answer ?? come;
    isAsking = false;
  };
  /** An explanation of before a silence is none of now. */
  const beginRound = (): void => {
    [askedAt, isStale, isAsking, round] = [0, true, false, source.round()];
    come = OUTDATED;
  };
  return (isNews: boolean): Explained | undefined => {
    if (round !== source.round()) beginRound();
    isStale ||= isNews;
    const isDue = Math.abs(now() - askedAt) > (isStale ? EXPLAIN_MS : EXPLAIN_AGAIN_MS);
    if (isDue && !isAsking) void ask();
    const taken = come;
    come = undefined;
    return taken;
  };
};

/** The Lease of a node when it differs from what was told. One that is not followed is read with the explanation. */
const createLeaseTeller = (source: LeaseSource | undefined) => {
  let [told, read]: [string | undefined, DetailLease | null | undefined] = [undefined, undefined];
  const ask = async (): Promise<void> => {
    read = await source?.read().catch(() => undefined);
  };
  return (isExplained: boolean): Pick<DetailMessage, 'lease'> => {
    const followed = source?.followed();
    if (followed === undefined && isExplained) void ask();
    const lease = followed ?? (followed === null ? null : read);
    const text = JSON.stringify(lease);
    if (lease === undefined || text === told) return {};
    told = text;
    return { lease };
  };
};

/** Server-sent events, until the page leaves. */
export async function* detailStream(
  deps: DetailDeps,
  { paths, explain, lease: source }: DetailTarget,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { now, tickMs } = deps;
  const { parts, standing } = followParts(deps, paths, signal);
  const explainer = createExplainer(deps, explain);
  const tellLease = createLeaseTeller(source);
  let [spokeAt, was] = [0, ''];
  while (!signal.aborted) {
    const dirty = takeDirty(parts);
    const answers = explainer(dirty.length > 0);
    const leased = tellLease(answers !== undefined);
    const state = standing.state();
    const isNews = dirty.length > 0 || answers || 'lease' in leased || state.is !== was;
    if (isNews || Math.abs(now() - spokeAt) >= ALIVE_MS) {
      [spokeAt, was] = [now(), state.is];
      const message: DetailMessage = {
        now: now(),
        parts: Object.fromEntries(dirty.map(([name, { objects }]) => [name, objects().slice(-MOST)])),
        ...answers,
        ...leased,
        source: state,
      };
      yield `data: ${JSON.stringify(message)}\n\n`;
    }
    await setTimeout(tickMs, undefined, { signal }).catch(() => undefined);
  }
}
