/** POST to a node's `shutdown`: a phase of it has begun. DELETE: it does not go on. */
import { checkNodeToken } from '../../kinds/admission/node-restriction.ts';
import { writerOf } from '../../kinds/contract/user.ts';
import { type FieldError, invalidObject, invalidValue, required } from '../../kube/errors/field-error.ts';
import { badRequest, conflict, notFound } from '../../kube/errors/status-error.ts';
import { isObject, type JsonObject } from '../../kube/json/json-object.ts';
import type { Node } from '../../kube/types/core.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';
import { type LiveRow, liveRow, nodeKey, type Row } from '../../ports/store/rows.ts';
import type { ShutdownFacts } from '../../rules/shutdown/shutdown-facts.ts';
import {
  hasShutdownEnded,
  type ShutdownReport,
  withShutdownEnded,
  withShutdownReport,
} from '../../rules/shutdown/shutdown-report.ts';
import { withNotReady } from '../../rules/shutdown/shutting-down-node.ts';
import { checkMediaType, parseJson } from '../body/body.ts';
import type { Call, Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { ok } from '../contract/http.ts';
import { isDryRun } from '../request/options.ts';

/** What is stored after the request: of a trial nothing, so that its answer has no instants. */
interface Stored {
  readonly node: Node;
  readonly shutdown?: ShutdownFacts | undefined;
}

const KIND = { group: 'rollcall.dev', kind: 'NodeShutdownReport' } as const;
const MAX_ID = 64;
/** A day. What is longer than the control plane believes is cut there. */
const MAX_SECONDS = 86_400;
const MAX_PHASES = 1_000;
const TYPE_META: readonly string[] = ['kind', 'apiVersion'];

/** The least and the most that a field may be. */
const RANGES = {
  phase: [1, MAX_PHASES],
  phases: [1, MAX_PHASES],
  phaseSeconds: [0, MAX_SECONDS],
  remainingSeconds: [0, MAX_SECONDS],
  totalSeconds: [0, MAX_SECONDS],
} as const;

const answerOf = ({ node, shutdown }: Stored) => {
  const { name, uid = '' } = node.metadata;
  return ok({
    kind: 'NodeShutdown',
    apiVersion: 'rollcall.dev/v1',
    metadata: { name, uid },
    ...(shutdown
      ? {
          status: {
            id: shutdown.id,
            phase: shutdown.phase,
            phases: shutdown.phases,
            beginTime: toTime(shutdown.beganAt),
            phaseDeadline: toTime(shutdown.phaseEndsAt),
            deadline: toTime(shutdown.endsAt),
          },
        }
      : {}),
  });
};

const nodeIn = ({ user, info }: Call, row: Row | undefined): LiveRow => {
  const live = liveRow(row);
  if (!live) throw notFound({ resource: 'nodes', name: info.name });
  checkNodeToken(user, live.object);
  return live;
};

type Change = (row: LiveRow, now: EpochMs) => Node;

const store = async (call: Call, deps: ApiServerDeps, change: Change): Promise<Stored> => {
  const key = nodeKey(call.info.name);
  if (isDryRun(call.request, call.info.verb === 'delete' ? 'DeleteOptions' : 'CreateOptions'))
    return { node: change(nodeIn(call, await deps.objects.read(key)), deps.clock.now()) };
  const result = await deps.writer.write(key, (stored, now) => {
    const row = nodeIn(call, stored);
    const next = change(row, now);
    return next === row.object ? undefined : { next, writer: writerOf(call.user) };
  });
  if (result.outcome === 'written') return { node: result.object, shutdown: result.facts.node?.shutdown };
  const row = nodeIn(call, result.outcome === 'unchanged' ? result.row : await deps.objects.read(key));
  return { node: row.object, shutdown: row.facts.node?.shutdown };
};

/** Only a node whose Ready the control plane does not write itself becomes not ready by it: it says when it is ready again. */
const reported =
  (name: string, report: ShutdownReport): Change =>
  ({ object, facts }, now) => {
    if (hasShutdownEnded(object, report.id))
      throw conflict({ resource: 'nodes', name }, `the shutdown ${JSON.stringify(report.id)} has ended`);
    const next = withShutdownReport(object, report);
    return facts.node?.clientReady === true ? withNotReady(next, now) : next;
  };

const idFaults = (id: unknown): readonly FieldError[] => {
  if (id === undefined || id === '') return [required('id')];
  const isFine = typeof id === 'string' && id.length <= MAX_ID;
  return isFine ? [] : [invalidValue('id', id, `must be a string of at most ${MAX_ID} characters`)];
};

const rangeFaults = (body: JsonObject): readonly FieldError[] =>
  Object.entries(RANGES).flatMap(([name, [least, most]]) => {
    const value = body[name];
    if (value === undefined) return name === 'remainingSeconds' ? [required(name)] : [];
    const isFine = Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
    return isFine ? [] : [invalidValue(name, value, `must be a whole number from ${least} to ${most}`)];
  });

const unknownFaults = (body: JsonObject): readonly FieldError[] => {
  const known = ['id', ...Object.keys(RANGES)];
  return Object.keys(body)
    .filter((name) => !known.includes(name) && !TYPE_META.includes(name))
    .map((name) => invalidValue(name, body[name], `must be one of ${known.join(', ')}`));
};

/** Throws 422 that names each wrong field. What is left out follows from the rest: one phase, all of the time. */
const readShutdownReport = (given: unknown, node: string): ShutdownReport => {
  const body = isObject(given) ? given : {};
  const faults = [...unknownFaults(body), ...idFaults(body['id']), ...rangeFaults(body)];
  if (faults.length > 0) throw invalidObject(KIND, node, faults);
  const { id, remainingSeconds, ...others } = body as unknown as Partial<ShutdownReport> & {
    readonly id: string;
    readonly remainingSeconds: number;
  };
  const { phase = 1, phases = 1 } = others;
  if (phase > phases)
    throw invalidObject(KIND, node, [invalidValue('phase', phase, 'must not be greater than phases')]);
  const { phaseSeconds = remainingSeconds, totalSeconds = remainingSeconds } = others;
  return { id, phase, phases, phaseSeconds, remainingSeconds, totalSeconds };
};

/** Stores a phase of the shutdown of a node, whose deadline counts by our clock. Throws 400, 401, 404, 409 for a shutdown that has ended, and 422. */
export const reportShutdown: Handle<ApiServerDeps> = async (call, deps) => {
  const { request, info } = call;
  checkMediaType(request, 'application/json');
  const body = parseJson(request.body, (complaint) =>
    badRequest(`the NodeShutdownReport is not JSON: ${complaint}`),
  );
  return answerOf(await store(call, deps, reported(info.name, readShutdownReport(body, info.name))));
};

/** Ends the shutdown of a node, if one goes on: it was cancelled, or the machine is back. Throws 401 and 404. */
export const endShutdown: Handle<ApiServerDeps> = async (call, deps) =>
  answerOf(await store(call, deps, ({ object }) => withShutdownEnded(object)));
