/** The stream about one node or pod: its object, what belongs to it, and the explanation, whenever one of them changes. */
import { setTimeout } from 'node:timers/promises';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { optional } from '../../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { DetailLease, DetailMessage, DetailPart, ExplainedAnswer } from '../../wire/detail.ts';
import type { DashboardApi } from './api.ts';
import { follow } from './follow.ts';

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
  readonly now: () => EpochMs;
  readonly tickMs: number;
}

/** Objects of a part that are sent. */
const MOST = 300;
/** After a change, the explanation is asked for at most this often (ms); without one, this often, for its times run. */
const EXPLAIN_MS = 1_000;
const EXPLAIN_AGAIN_MS = 15_000;
/** Silence (ms) after which an empty message is sent. */
const ALIVE_MS = 10_000;

/** The objects of one part as they are. */
const createPart = (api: DashboardApi, path: string, signal: AbortSignal) => {
  const objects = new Map<string, ApiObject>();
  const keyOf = ({ metadata }: ApiObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;
  const part = { isDirty: false, isWhole: false, problem: undefined as string | undefined, objects };
  const touched = (): void => {
    part.isDirty = true;
  };
  const told = {
    onReset: () => objects.clear(),
    onObject: (object: ApiObject) => {
      objects.set(keyOf(object), object);
      touched();
    },
    onDeleted: (object: ApiObject) => {
      objects.delete(keyOf(object));
      touched();
    },
    onWhole: () => {
      part.isWhole = true;
      touched();
    },
    onAnswer: () => {
      part.problem = undefined;
    },
    onFailure: (error: unknown) => {
      part.problem = error instanceof Error ? error.message : String(error);
    },
  };
  void follow({ api }, path, told, signal);
  return part;
};

const explained = async (api: DashboardApi, path: string): Promise<readonly ExplainedAnswer[]> => {
  const { status, text } = await api.get(path);
  return status === 200 ? (JSON.parse(text) as { readonly answers: readonly ExplainedAnswer[] }).answers : [];
};

type Parts = readonly (readonly [DetailPart, ReturnType<typeof createPart>])[];

/** The parts that changed since the last call. */
const takeDirty = (parts: Parts): Parts => {
  const dirty = parts.filter(([, { isDirty, isWhole }]) => isDirty && isWhole);
  for (const [, part] of dirty) part.isDirty = false;
  return dirty;
};

/** Asks for the explanation when something has changed, and now and then. */
const createExplainer = ({ api, now }: DetailDeps, path: string) => {
  let [askedAt, isStale] = [0, true];
  return async (isNews: boolean): Promise<readonly ExplainedAnswer[] | undefined> => {
    isStale ||= isNews;
    const sinceMs = now() - askedAt;
    if (sinceMs <= (isStale ? EXPLAIN_MS : EXPLAIN_AGAIN_MS)) return undefined;
    [askedAt, isStale] = [now(), false];
    return explained(api, path);
  };
};

/** The Lease of a node when it differs from what was told. One that is not followed is read with the explanation. */
const createLeaseTeller = (source: LeaseSource | undefined) => {
  let told: string | undefined;
  return async (isExplained: boolean): Promise<Pick<DetailMessage, 'lease'>> => {
    const followed = source?.followed();
    const lease = followed === undefined && isExplained ? await source?.read() : followed;
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
  const { api, now, tickMs } = deps;
  const names = Object.keys(paths) as DetailPart[];
  const parts = names.map((name) => [name, createPart(api, paths[name] ?? '', signal)] as const);
  const explainer = createExplainer(deps, explain);
  const tellLease = createLeaseTeller(source);
  let spokeAt = 0;
  while (!signal.aborted) {
    const dirty = takeDirty(parts);
    const answers = await explainer(dirty.length > 0);
    const leased = await tellLease(answers !== undefined);
    if (dirty.length > 0 || answers || 'lease' in leased || now() - spokeAt > ALIVE_MS) {
      spokeAt = now();
      const problem = parts.map(([, part]) => part.problem).find((one) => one !== undefined);
      const message: DetailMessage = {
        now: now(),
        parts: Object.fromEntries(
          dirty.map(([name, { objects }]) => [name, [...objects.values()].slice(-MOST)]),
        ),
        ...(answers ? { answers } : {}),
        ...leased,
        ...optional('problem', problem),
      };
      yield `data: ${JSON.stringify(message)}\n\n`;
    }
    await setTimeout(tickMs, undefined, { signal }).catch(() => undefined);
  }
}
